#!/usr/bin/env bash
# How long one client waits for GUB.HIT on a quiet server, and beside bad neighbours: 5000 idle
# connections, 1000 that send a byte a second, one that pipelines a million hits and never reads.
# `make bench-neighbours`; alternates the two, and prints medians.
#
# Environment: BUILD (build), ROUNDS (5), SECONDS_EACH (2).
# Exit codes: 0 measured, otherwise not.
set -euo pipefail

cd "$(dirname "$0")/../.."
. tools/bench/common.sh

start_gub --threads 2
measure() {
  "$build/tests/load_client" --port "$gub_port" --connections 1 --seconds "${SECONDS_EACH:-2}" \
    GUB.HIT requests_per_sec %k 1 100 1m
}

for ((round = 0; round < ${ROUNDS:-5}; ++round)); do
  measure >>"$scratch/quiet"
  coproc CROWD { tools/bench/crowd.py "$gub_port" --seconds 60; }
  crowd_out=${CROWD[0]} crowd_in=${CROWD[1]} crowd=$CROWD_PID
  read -r _ connections <&"$crowd_out"
  measure >>"$scratch/crowded"
  eval "exec $crowd_in>&-"
  wait "$crowd" || true
done
echo "== one client's GUB.HIT, medians of ${ROUNDS:-5} alternating rounds"
printf '%-36s %10s %10s %10s\n' '' 'p50 us' 'p99 us' 'p99.9 us'
for kind in quiet crowded; do
  label=quiet
  [[ $kind == quiet ]] || label="beside $connections bad neighbours"
  printf '%-36s %10s %10s %10s\n' "$label" "$(median p50_us "$scratch/$kind")" \
    "$(median p99_us "$scratch/$kind")" "$(median p999_us "$scratch/$kind")"
done
