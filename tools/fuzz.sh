#!/usr/bin/env bash
# Runs every libFuzzer target of a build for FUZZ_SECONDS (60) on its corpus, JOBS at a time.
#
#   tools/fuzz.sh [BUILD_DIR]    default: build/asan; the targets are its executables *_fuzz
#
# It reads tests/fuzz/corpus/NAME/ for the target NAME_fuzz and writes to build/fuzz/TARGET/ only: corpus/ (new
# finds, kept for the next run), crashes/ (inputs that broke it) and log.
# Exit codes: 0 nothing broke, 1 something did, 2 there is no target.
set -euo pipefail

cd "$(dirname "$0")/.."
export FUZZ_SECONDS=${FUZZ_SECONDS:-60}

fuzz() {
  local name=${1##*/} seeds
  local out=build/fuzz/$name
  mkdir -p "$out/corpus" "$out/crashes"
  seeds=tests/fuzz/corpus/${name%_fuzz}
  if "$1" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$out/crashes/" "$out/corpus" "$seeds" </dev/null >"$out/log" 2>&1; then
    awk -v name="$name" '
      /stat::number_of_executed_units/ { runs = $2 }
      /stat::new_units_added/ { new = $2 }
      END { printf "fuzz: %s ok, %d runs, %d new inputs\n", name, runs, new }' "$out/log"
  else
    sed -n '/[Ee][Rr][Rr][Oo][Rr]: /,/SUMMARY: /p' "$out/log" | head -n 60
    echo "fuzz: $name FAILED; the whole log is $out/log, the input is in $out/crashes/"
    return 1
  fi
}
export -f fuzz

targets=$(find "${1:-build/asan}" -type f -name '*_fuzz' -executable | sort)
[[ -n $targets ]] || { echo "fuzz: no *_fuzz in ${1:-build/asan}" >&2; exit 2; }
xargs -P "${JOBS:-$(nproc)}" -I TARGET bash -euo pipefail -c 'fuzz TARGET' <<<"$targets" || exit 1
