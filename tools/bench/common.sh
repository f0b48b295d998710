# What the benchmarks share; to be sourced from the repository's root.
# shellcheck shell=bash
#
# Servers run on free ports of 127.0.0.1 and are stopped, by pid, when the script ends.

build=${BUILD:-build}
scratch=$(mktemp -d)
servers=()

stop_servers() {
  local pid
  for pid in "${servers[@]}"; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$scratch"
}
trap stop_servers EXIT

# start_gub OPTION...: starts a gub-server; its port is gub_port, its pid gub_pid.
start_gub() {
  local log=$scratch/gub.${#servers[@]} deadline=$((SECONDS + 20))
  : >"$log"
  "$build/gub-server" --port 0 --http-port 0 --bind 127.0.0.1 "$@" 2>"$log" &
  gub_pid=$!
  servers+=("$gub_pid")
  until grep -q ' ready ' "$log"; do
    ((SECONDS < deadline)) && kill -0 "$gub_pid" 2>/dev/null || { cat "$log" >&2; exit 1; }
    sleep 0.05
  done
  gub_port=$(sed -n 's/.* listening address=127\.0\.0\.1:\([0-9]*\)$/\1/p' "$log" | head -1)
}

# median FIELD FILE: of the values `FIELD=value` in the lines of a file.
median() {
  sed -n "s/.*\b$1=\([0-9.]*\).*/\1/p" "$2" | sort -n |
    awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'
}
