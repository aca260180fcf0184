-- Times are milliseconds since 1970 in UTC.

-- Who may speak: the session itself is never stored, only its SHA-256. `id` names it to people and opens nothing.
CREATE TABLE sessions (
    id         TEXT   PRIMARY KEY,
    digest     TEXT   NOT NULL UNIQUE,
    owner      TEXT   NOT NULL,
    issued_at  BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE INDEX sessions_by_owner ON sessions (owner);

-- The audience of a session: the operations it was issued for.
CREATE TABLE session_methods (
    session TEXT NOT NULL REFERENCES sessions (id),
    method  TEXT NOT NULL CHECK (method IN ('create', 'list', 'read', 'update', 'remove')),
    PRIMARY KEY (session, method)
);

-- Ids of later notes sort later, as bytes do. `version` grows with each change.
CREATE TABLE notes (
    id         TEXT   COLLATE "C" PRIMARY KEY,
    owner      TEXT   NOT NULL,
    title      TEXT   NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
    body       TEXT   NOT NULL CHECK (length(body) <= 20000),
    version    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX notes_by_owner ON notes (owner, id);
