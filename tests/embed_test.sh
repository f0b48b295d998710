#!/usr/bin/env bash
# Installs the library of a build under a folder of its own, builds tools/examples/embed from that
# alone, and compares what it prints.
#
#   tests/embed_test.sh BUILD_DIR CXX [CXXFLAGS]
# Exit codes: 0 as it should be, otherwise not.
set -euo pipefail

source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$1 cxx=$2 flags=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" --component library >/dev/null
# A copy, so that nothing of the source tree can be found by a relative path.
cp -r "$source_dir/tools/examples/embed" "$scratch/embed"
cmake -S "$scratch/embed" -B "$scratch/build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/build"

diff - <("$scratch/build/embed") <<'EXPECTED'
attempt 1: admitted, 2 remaining
attempt 2: admitted, 1 remaining
attempt 3: admitted, 0 remaining
attempt 4: denied, 0 remaining
EXPECTED
echo "1 passed, 0 failed"
