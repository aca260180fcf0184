-- Times are milliseconds since 1970 in UTC.

-- Who may speak: the session itself is never stored, only its SHA-256.
CREATE TABLE sessions (
    digest     TEXT   PRIMARY KEY,
    owner      TEXT   NOT NULL,
    issued_at  BIGINT NOT NULL,
    expires_at BIGINT
);

-- A report id has one owner for ever. `revision` counts its submissions.
CREATE TABLE report_owners (
    report_id TEXT   PRIMARY KEY,
    owner     TEXT   NOT NULL,
    revision  BIGINT NOT NULL
);

-- What the jobs produce. A row never goes back to an older revision.
CREATE TABLE reports (
    report_id TEXT             PRIMARY KEY REFERENCES report_owners (report_id),
    revision  BIGINT           NOT NULL,
    sum       DOUBLE PRECISION NOT NULL,
    count     BIGINT           NOT NULL
);

CREATE TABLE jobs (
    id                 TEXT   PRIMARY KEY,
    owner              TEXT   NOT NULL,
    report_id          TEXT   NOT NULL REFERENCES report_owners (report_id),
    revision           BIGINT NOT NULL,
    rows               TEXT   NOT NULL,
    fail_until_attempt BIGINT NOT NULL,
    duration_ms        BIGINT NOT NULL,
    -- Of the submission as asked for, to tell a repetition from a clash.
    deduplication_key  TEXT,
    digest             TEXT   NOT NULL,

    state              TEXT   NOT NULL
        CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
    attempts           BIGINT NOT NULL DEFAULT 0,
    max_attempts       BIGINT NOT NULL,
    run_at             BIGINT NOT NULL,
    cancel_requested   BOOLEAN NOT NULL DEFAULT FALSE,
    last_error         TEXT,
    submitted_at       BIGINT NOT NULL,
    started_at         BIGINT,
    finished_at        BIGINT,

    -- `fence` grows with each claim: only its newest value may settle the job.
    fence              BIGINT NOT NULL DEFAULT 0,
    lease_owner        TEXT,
    lease_expires_at   BIGINT,
    CHECK ((state = 'running') = (lease_expires_at IS NOT NULL)),

    UNIQUE (owner, deduplication_key)
);

-- Jobs that are not over, in the order in which they are claimed.
CREATE INDEX open_jobs ON jobs (run_at, submitted_at) WHERE state IN ('queued', 'running');

-- A job that may be claimed wakes the workers that wait, once its transaction is committed.
CREATE FUNCTION wake_workers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY jobs;
    RETURN NULL;
END
$$;

CREATE TRIGGER wake_workers AFTER INSERT OR UPDATE OF state ON jobs
    FOR EACH ROW WHEN (NEW.state = 'queued') EXECUTE FUNCTION wake_workers();
