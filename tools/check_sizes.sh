#!/usr/bin/env bash
# Checks that no file of src/, include/, tests/ and tools/ is longer than 400 lines: a file that
# must grow is two ideas. Data and prose (.vec, .md, .conf, fuzzing corpora) are not counted.
#
#   tools/check_sizes.sh [ROOT]    ROOT: the tree to check; default: this repository
#
# Prints "file: reason" for each that is. Exit codes: 0 none, 1 some.
set -euo pipefail

max_lines=400

cd "${1:-$(dirname "$0")/..}"
find src include tests tools -type f -not -path 'tests/fuzz/corpus/*' -not -name '*.vec' \
  -not -name '*.md' -not -name '*.conf' -not -name '*.pyc' -print0 |
  xargs -0r awk -v max="$max_lines" '
    FNR == max + 1 { print FILENAME ": longer than " max " lines"; bad = 1; nextfile }
    END { exit bad }' || exit 1
