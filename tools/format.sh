#!/usr/bin/env bash
# Formats all C++ of src/, include/ and tests/ by .clang-format.
#
#   tools/format.sh            in place
#   tools/format.sh --check    changes nothing, prints what is not formatted
#
# Exit codes: 0 done (--check: all formatted), 1 not.
set -euo pipefail

cd "$(dirname "$0")/.."
mode=(-i)
[[ ${1:-} != --check ]] || mode=(--dry-run -Werror)
find src include tests -name '*.h' -print0 -o -name '*.cc' -print0 |
  xargs -0r clang-format "${mode[@]}" || exit 1
