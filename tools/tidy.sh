#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy says what it checks) over the files of src/, JOBS of them at a time,
# with the compile commands of the clang preset, which is only configured, not built.
#
# A file that was found clean is passed over until something that matters changes: itself, one of
# our headers that it includes, its compile command, .clang-tidy, or clang-tidy. The sha256 of all
# these is what build/lint/clean/FILE holds.
# Exit codes: 0 clean, 1 something was found (and printed), 2 the tree cannot be configured.
set -euo pipefail

cd "$(dirname "$0")/.."
export build=build/lint
rm -rf "$build/found"
mkdir -p "$build/found"
if ! cmake --preset clang -B "$build" -DBUILD_TESTING=OFF >"$build/cmake.log" 2>&1; then
  cat "$build/cmake.log" >&2
  exit 2
fi
version=$(clang-tidy --version)
export version

# inputs FILE COMMAND: the files that its result depends on, one a line.
inputs() {
  printf '%s\n' .clang-tidy "$2"
  clang++ -std=c++20 -Isrc -Iinclude -MM "$1" |
    sed 's/^[^ ]*: *//; s/\\$//' | tr -s ' ' '\n' | sed '/^$/d'
}

check() {
  local file=$1 clean=$build/clean/$1 command=$build/command/$1 found=$build/found/${1//\//:} sums
  mkdir -p "${clean%/*}" "${command%/*}"
  echo "$version" >"$command"
  if ! grep -F -e "-c $PWD/$file\"" "$build/compile_commands.json" >>"$command"; then
    echo "$file:1: error: no target compiles this file" >"$found"
    return 1
  fi
  if sha256sum --check --status "$clean" 2>/dev/null; then return 0; fi
  sums=$(inputs "$file" "$command" 2>/dev/null | xargs sha256sum) || sums=
  clang-tidy --quiet -p "$build" "$file" >"$found" 2>&1 || return 1
  [[ -z $sums ]] || printf '%s\n' "$sums" >"$clean"
}
export -f check inputs

# The largest first, so that no long one is left over at the end.
if ! find src -name '*.cc' -printf '%s %p\n' | sort -rn | cut -d ' ' -f 2 |
  xargs -r -P "${JOBS:-$(nproc)}" -I FILE bash -euo pipefail -c 'check FILE'; then
  # What is found in a header is found in every file that includes it; it is shown once.
  awk '/: (error|warning): / { show = !($0 in seen); seen[$0] }
       FNR == 1 && !/: (error|warning): / { show = 1 }
       show && !/^([0-9]+ (warning|error)|Error while processing|Suppressed )/' "$build"/found/*
  exit 1
fi
