#!/usr/bin/env bash
# What `make lint` runs: every check to its end, so that one run shows all there is to mend.
# Exit codes: 0 nothing found, 1 something was.
set -euo pipefail

cd "$(dirname "$0")/.."
failed=()

# step NAME COMMAND...
step() {
  local name=$1 start=$SECONDS verdict=ok
  shift
  "$@" || { verdict=FAILED && failed+=("$name"); }
  printf 'lint: %-16s %s (%d s)\n' "$name" "$verdict" $((SECONDS - start))
}

step layers-test tools/check_layers_test.sh
step layers tools/check_layers.sh
step sizes tools/check_sizes.sh
step shellcheck shellcheck .ci/run tools/*.sh
step format tools/format.sh --check
step clang-tidy tools/tidy.py

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint: found something: ${failed[*]}"
  exit 1
fi
echo "lint: clean"
