#!/usr/bin/env bash
# Plays README.md's first session against a server of its own and compares every reply.
#
# The session is in fenced blocks that begin with ```console, each after a line `<!-- demo -->`; all
# of them are played in order against the one server, on any free port of 127.0.0.1. In a block
#   $ redis-cli -p 7379 …    is a command, in the shell's syntax; the demo puts in its own port;
#   the lines after it       are the reply as redis-cli prints it on a terminal (--no-raw), with
#                            7379 for the port.
# Time moves on, so integers of 10 and more digits (Unix ms) equal each other, and in a line that
# ends in ` # ms` (the mark itself is not compared) all integers do. Everything else is compared to
# the letter.
#
# The environment may name another SERVER (build/gub-server) and README (README.md).
# Exit codes: 0 all replies are as written, 1 some differ, 2 there is no session or no server.
set -euo pipefail

cd "$(dirname "$0")/.."
server=${SERVER:-build/gub-server}
readme=${README:-README.md}
start_deadline_s=10
command_deadline_s=10

die() { echo "demo: $*" >&2; exit 2; }

work=$(mktemp -d)
pid=
cleanup() {
  if [[ -n $pid ]] && kill "$pid" 2>/dev/null; then
    for _ in {1..100}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# start_server: sets pid and port, once the server has logged the port it listens on.
start_server() {
  local deadline=$((SECONDS + start_deadline_s))
  "$server" --bind 127.0.0.1 --port 0 --http-port 0 --logfile stderr </dev/null >"$work/log" 2>&1 &
  pid=$!
  while true; do
    port=$(grep -o -m 1 'listening address=127\.0\.0\.1:[0-9]*' "$work/log" | sed 's/.*://' || true)
    [[ -z $port ]] || return 0
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; die "$server ended before it listened"; }
    ((SECONDS < deadline)) || { cat "$work/log" >&2; die "$server does not listen"; }
    sleep 0.02
  done
}

# session: the lines of all demo blocks.
session() {
  awk '/^<!-- demo -->$/ { wanted = 1; next }
       /^```/ { inside = wanted && /^```console$/; wanted = 0; next }
       inside' "$readme"
}

# shape FILE MARKED: FILE with what depends on time made alike; MARKED holds the ` # ms` marks.
shape() {
  awk -v marked="$2" -v port="$port" '
    BEGIN { while ((getline line < marked) > 0) loose[++last] = line ~ / # ms$/ }
    /^$/ { next }
    { sub(/ +# ms$/, ""); gsub(":" port, ":7379") }
    loose[++n] { gsub(/[0-9]+/, "N") }
    { gsub(/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+/, "TIME"); print }' "$1"
}

# play COMMAND: runs it and compares with the reply in $work/expected.
play() {
  local arguments=${1#'redis-cli -p 7379 '}
  [[ $arguments != "$1" ]] || die "can only play 'redis-cli -p 7379 …', not '$1'"
  echo "$ redis-cli -p $port $arguments"
  # As a reader's shell would read it.
  eval "timeout $command_deadline_s redis-cli --no-raw -h 127.0.0.1 -p $port $arguments" \
    </dev/null >"$work/reply" 2>&1 || true
  cat "$work/reply"
  shape "$work/expected" "$work/expected" >"$work/expected.shape"
  shape "$work/reply" "$work/expected" >"$work/reply.shape"
  if ! diff -u --label "$readme" --label reply "$work/expected.shape" "$work/reply.shape"; then
    differing=$((differing + 1))
  fi
  played=$((played + 1))
}

command -v redis-cli >/dev/null || die "there is no redis-cli; tools/deps.sh client installs it"
[[ -x $server ]] || die "there is no $server; make build makes it"
session >"$work/session" || die "cannot read $readme"
[[ $(head -n 1 "$work/session") == '$ '* ]] || die "$readme has no demo that begins with a command"

start_server
played=0
differing=0
command=
while IFS= read -r line || [[ -n $line ]]; do
  if [[ $line == '$ '* ]]; then
    [[ -z $command ]] || play "$command"
    command=${line#'$ '}
    : >"$work/expected"
  elif [[ -n $line ]]; then
    printf '%s\n' "$line" >>"$work/expected"
  fi
done <"$work/session"
play "$command"

((differing == 0)) || { echo "demo: $differing of $played replies differ from $readme"; exit 1; }
echo "demo: all $played replies are as in $readme"
