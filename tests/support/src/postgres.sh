# Keeps a PostgreSQL server in FOLDER while standard input is open: says "ready" when it takes connections, starts it again
# for each line that it reads, and leaves nothing behind when the input ends, however the process at its other end did.
#
# usage: sh postgres.sh BIN FOLDER SETTING..
set -eu
bin=$1 folder=$2
shift 2

# PostgreSQL refuses to run as root.
as_owner=
if [ "$(id -u)" = 0 ]; then
    as_owner="setpriv --reuid=postgres --regid=postgres --clear-groups --"
    chown postgres "$folder"
fi

start() {
    $as_owner "$bin/postgres" -D "$folder/data" -c listen_addresses= -c "unix_socket_directories=$folder" \
        -c unix_socket_permissions=0700 -c shared_buffers=32MB "$@" </dev/null >>"$folder/log" 2>&1 &
    server=$!
    until $as_owner "$bin/pg_isready" -q -h "$folder" -U postgres; do
        kill -0 "$server" || exit 1
        sleep 0.05
    done
    echo ready
}

stop() {
    kill "-$1" "$server" 2>/dev/null || :
    wait "$server" || :
}

server=
# QUIT: what is thrown away need not be written first.
trap 'trap - EXIT; if [ "$server" ]; then stop QUIT; fi; rm -rf "$folder"' EXIT
cd /
# An order of letters that is not the order of bytes, as most databases have.
$as_owner "$bin/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C.UTF-8 --locale-provider=icu \
    --icu-locale=en --no-sync </dev/null >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
start "$@"
while read -r _; do
    stop INT
    start "$@"
done
