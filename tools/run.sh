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
config=$("$server" "$conf" "$@" --print-config)
port=$(awk '$1 == "port" { print $2 }' <<<"$config")
http_port=$(awk '$1 == "http-port" { print $2 }' <<<"$config")

cat <<END
Gub starts on port $port. Call it from another terminal, with this or any other Redis client:

    redis-cli -p $port GUB.HIT requests_per_sec account:42 1 100 1s

The reply is status (0 admitted, 1 denied), what remains of the 100, and when it is whole again
(Unix ms). Ctrl-C stops the server.

END
if [[ $http_port != 0 ]]; then
  cat <<END
The same by HTTP, which answers 200 or 429:

    curl -i 'http://127.0.0.1:$http_port/v1/check?name=requests_per_sec&key=account:42&limit=100&duration=1s'

END
fi
exec "$server" "$conf" "$@"
