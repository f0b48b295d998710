#!/usr/bin/env bash
# Three nodes on 127.0.0.1 that are one limiter, until Ctrl-C. They find each other by an etcd of
# their own when etcd is installed, or else by a static list.
#
#   tools/cluster.sh [SERVER ARGUMENT...]    for every node; --port is the first of three (7379)
#                                            and --http-port likewise (10 above it; 0: no HTTP)
#
# The environment may name another SERVER (build/gub-server). Everything the three keep is in a
# folder that goes with them. On Ctrl-C, SIGTERM and SIGHUP the nodes stop, then the etcd; so they
# do when one of them ends by itself.
# Exit codes: 0 after a signal, 1 when a node or the etcd could not start or has ended.
set -euo pipefail

cd "$(dirname "$0")/.."
server=${SERVER:-build/gub-server}
conf=conf/gub.conf
start_deadline_s=30
stop_deadline_s=15

work=$(mktemp -d "${TMPDIR:-/tmp}/gub-cluster-XXXXXX")
pids=()
declare -A name_of

die() { echo "cluster: $*" >&2; exit 1; }

# stop PID...: by SIGTERM, and by SIGKILL what does not end by it.
stop() {
  local pid deadline=$((SECONDS + stop_deadline_s))
  for pid in "$@"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "$@"; do
    while kill -0 "$pid" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.02; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}

# The etcd goes last, so that the nodes can say good-bye to it.
cleanup() {
  trap '' INT TERM HUP
  stop "${pids[@]:1}"
  stop "${pids[@]:0:1}"
  rm -rf "$work"
}
# Of pids the first is the etcd's, or that of a node when there is none.
trap cleanup EXIT
trap 'echo "cluster: stopping"; exit 0' INT TERM HUP

# launch NAME COMMAND...: starts it, with its log in $work/NAME. Ctrl-C in a terminal reaches this
# script only, since each has a session of its own; and none outlives a script that was killed.
launch() {
  local name=$1
  shift
  : >"$work/$name"
  setsid setpriv --pdeathsig TERM "$@" </dev/null >"$work/$name" 2>&1 &
  pids+=($!)
  name_of[$!]=$name
}

# report NAME: the end of its log.
report() { tail -n 5 "$work/$1" | sed 's/^/    /' >&2; }

# is_taken PORT
is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# await PID TEXT: until its log has the text; fails when it ends or the time does.
await() {
  local name=${name_of[$1]} deadline=$((SECONDS + start_deadline_s))
  until grep -q "$2" "$work/$name"; do
    if ! kill -0 "$1" 2>/dev/null || ((SECONDS >= deadline)); then return 1; fi
    sleep 0.05
  done
}

# start_etcd: sets etcd_port. Somebody may take a port that was free, so it tries some.
start_etcd() {
  local try
  for try in {1..5}; do
    etcd_port=$((20000 + RANDOM % 12000))
    ! is_taken "$etcd_port" || continue
    # A proxy of the environment is not for it.
    launch etcd env 'NO_PROXY=*' 'no_proxy=*' etcd --data-dir "$work/etcd.$try" \
      --listen-client-urls "http://127.0.0.1:$etcd_port" \
      --advertise-client-urls "http://127.0.0.1:$etcd_port" \
      --listen-peer-urls http://127.0.0.1:0
    ! await "${pids[0]}" 'ready to serve client requests' || return 0
    stop "${pids[0]}"
    pids=()
  done
  report etcd
  die "etcd does not start"
}

# arguments of all nodes but their ports; first_port as the server understands arguments,
# environment and file; first_http_port as the arguments say.
read_arguments() {
  first_port=$("$server" "$conf" "$@" --print-config | awk '$1 == "port" { print $2 }')
  arguments=()
  first_http_port=$((first_port + 10))
  while (($#)); do
    case $1 in
      --port) shift ;;
      --port=*) ;;
      --http-port) first_http_port=${2:-}; shift ;;
      --http-port=*) first_http_port=${1#*=} ;;
      *) arguments+=("$1") ;;
    esac
    shift
  done
  ((first_port > 0 && first_port <= 65533)) || die "the first port must be from 1 to 65533"
  [[ $first_http_port == 0 ]] || ((first_http_port > 0 && first_http_port <= 65533)) ||
    die "the first HTTP port must be from 1 to 65533, or 0"
  ports=("$first_port" $((first_port + 1)) $((first_port + 2)))
  http_ports=()
  ((first_http_port > 0)) || return 0
  http_ports=("$first_http_port" $((first_http_port + 1)) $((first_http_port + 2)))
  ((first_http_port > first_port + 2 || first_port > first_http_port + 2)) ||
    die "the HTTP ports ${http_ports[*]} and the ports ${ports[*]} overlap"
}

start_nodes() {
  local port http_port peers=("${ports[@]/#/127.0.0.1:}") members
  if command -v etcd >/dev/null; then
    start_etcd
    members=(--discovery etcd --etcd-endpoints "127.0.0.1:$etcd_port")
    source="etcd at 127.0.0.1:$etcd_port"
  else
    members=(--discovery static --peers "${peers[@]}")
    source="a static list (there is no etcd here)"
  fi
  for port in "${ports[@]}"; do
    http_port=$((first_http_port == 0 ? 0 : first_http_port + port - first_port))
    launch "node-$port" "$server" "$conf" --port "$port" --http-port "$http_port" \
      --bind 127.0.0.1 --cluster-enabled yes \
      --advertise "127.0.0.1:$port" --loglevel notice --logfile stderr "${members[@]}" \
      "${arguments[@]}"
  done
}

# Waits until each node has seen all three.
await_nodes() {
  local pid
  for pid in "${pids[@]}"; do
    [[ ${name_of[$pid]} == node-* ]] || continue
    await "$pid" 'the members have changed .* count=3 ' && continue
    echo "cluster: ${name_of[$pid]} did not start or find the others; the end of its log:" >&2
    report "${name_of[$pid]}"
    exit 1
  done
}

# Comes back, with what there is to say, when a node or the etcd has ended by itself.
await_end() {
  local ended
  wait -n -p ended "${pids[@]}" || true
  echo "cluster: ${name_of[$ended]} has ended, and so do the others; the end of its log:" >&2
  report "${name_of[$ended]}"
  return 1
}

[[ -x $server ]] || die "there is no $server; make build makes it"
read_arguments "$@"
for port in "${ports[@]}" "${http_ports[@]}"; do
  ! is_taken "$port" ||
    die "port $port is taken; other ports: make cluster ARGS=\"--port 7400 --http-port 7410\""
done
start_nodes
await_nodes

cat <<END
Three nodes are one limiter, at ${ports[*]}, for HTTP at ${http_ports[*]:-no port}.
Their members come from $source.
Call any of them from another terminal:

    redis-cli -p ${ports[0]} GUB.HIT logins user:42 1 5 1h
    redis-cli -p ${ports[1]} GUB.HIT logins user:42 1 5 1h
    redis-cli -p ${ports[2]} GUB.OWNER user:42
    redis-cli -p ${ports[0]} GUB.PEERS

The second hit leaves 3 of the 5, wherever it is made. Ctrl-C stops all.
END

await_end
