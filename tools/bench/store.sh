#!/usr/bin/env bash
# `make bench-store`: what the store costs in bytes, stalls and freeing, and how it scales.
#
# Bytes a limit are shown beside what redis-server takes for the same limit as the hash of a Lua
# token bucket (two fields and a TTL), measured in the same run in the same way: the difference in
# resident memory, by the number of limits.
# Environment: BUILD (build), KEYS (1000000), MANY_KEYS (5000000), REPETITIONS (7).
# Exit codes: 0 measured, otherwise not.
set -euo pipefail

cd "$(dirname "$0")/../.."
build=${BUILD:-build} keys=${KEYS:-1000000} many=${MANY_KEYS:-5000000}
report=$build/tests/store_report
scratch=$(mktemp -d)
redis=
stop() {
  [[ -z $redis ]] || kill "$redis" 2>/dev/null || true
  rm -rf "$scratch"
}
trap stop EXIT

resident() { awk '/^VmRSS:/ { print $2 * 1024 }' "/proc/$1/status"; }

# redis_bytes KEYS: fills a redis-server with Lua buckets; prints bytes a limit.
redis_bytes() {
  local socket=$scratch/redis.sock before after deadline=$((SECONDS + 20))
  redis-server --port 0 --unixsocket "$socket" --save '' --appendonly no >"$scratch/log" &
  redis=$!
  until redis-cli -s "$socket" ping >/dev/null 2>&1; do
    ((SECONDS < deadline)) || { cat "$scratch/log" >&2; exit 1; }
  done
  before=$(resident "$redis")
  redis-cli -s "$socket" EVAL "
    for i = ARGV[1], ARGV[2] do
      local key = 'requests_per_sec:account:' .. (100000000 + i)
      redis.call('HMSET', key, 'tokens', 9, 'ts', '1700000000.123')
      redis.call('EXPIRE', key, 3600)
    end" 0 1 "$1" >/dev/null
  after=$(resident "$redis")
  kill "$redis"
  wait "$redis" 2>/dev/null || true
  redis=
  awk -v bytes=$((after - before)) -v keys="$1" 'BEGIN { printf "%.1f", bytes / keys }'
}

for count in "$keys" "$many"; do
  echo "== bytes a limit, $count limits, name and key of 33 bytes"
  "$report" bytes "$count"
  printf '%-34s %14s bytes\n' 'redis-server, Lua bucket' "$(redis_bytes "$count")"
done
echo "== one thread inserts $many live limits into a table of that many"
"$report" stall "$many"
echo "== $keys limits lapse in the same 10 ms"
"$report" burst "$keys"
echo "== ten rounds of $keys limits that lapse"
"$report" rounds "$keys"
echo "== Limiter::Decide on one thread and on two"
"$build/tests/limiter_bench" --benchmark_repetitions="${REPETITIONS:-7}" \
  --benchmark_enable_random_interleaving=true --benchmark_report_aggregates_only=true \
  --benchmark_min_time=0.3
