#!/usr/bin/env bash
# Says how to call the server, then becomes it (in the foreground; Ctrl-C stops it).
#
#   tools/run.sh [SERVER ARGUMENT...]    such as --port 7400
#
# Exit codes: the server's own.
set -euo pipefail

cd "$(dirname "$0")/.."
server=build/gub-server
conf=conf/gub.conf

# The port as the server understands its arguments, its environment and its file.
port=$("$server" "$conf" "$@" --print-config | awk '$1 == "port" { print $2 }')

cat <<END
Gub starts on port $port. Call it from another terminal, with this or any other Redis client:

    redis-cli -p $port GUB.HIT requests_per_sec account:42 1 100 1s

The reply is status (0 admitted, 1 denied), what remains of the 100, and when it is whole again
(Unix ms). Ctrl-C stops the server.

END
exec "$server" "$conf" "$@"
