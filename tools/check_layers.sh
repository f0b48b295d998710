#!/usr/bin/env bash
# Checks what the files of src/ and include/ may name.
#
#   tools/check_layers.sh [ROOT]    ROOT: the tree to check; default: this repository
#
#   5 server   4 command   3 cluster   2 store proto net   1 limit   0 base (and include/gub)
# A file includes from its own room and from lower floors; never sideways, never up. src/main.cc is
# above all. A library that one room wraps is included there only, `catch` stands only where
# exceptions end, `throw` nowhere; comments and strings do not count.
# Prints "file:line: reason" for each violation. Exit codes: 0 none, 1 some, 2 no such tree.
set -euo pipefail

cd "${1:-$(dirname "$0")/..}" || exit 2
[[ -d src && -d include ]] || { echo "check_layers: no src/ and include/ in $PWD" >&2; exit 2; }

# shellcheck disable=SC2016  # the dollars are awk's
find src include -name '*.h' -o -name '*.cc' | LC_ALL=C sort | xargs -r awk '
  BEGIN {
    split("base 0 limit 1 store 2 proto 2 net 2 cluster 3 command 4 server 5", f, " ")
    for (i = 1; i in f; i += 2) floor[f[i]] = f[i + 1]
    home["^uv(\\.h$|/)"] = "src/net/"  # a pattern of headers -> the only place that includes them
    home["^ares"] = "src/net/resolver.cc"
    home["^curl/"] = "src/net/http_client.cc"
    home["^libcuckoo/"] = "src/store/"
    home["^nlohmann/"] = "src/cluster/etcd_json.cc|src/proto/gubernator_json.cc"
    home["^boost/"] = "src/proto/http_request.cc"
    may_catch = "^src/(store/|main\\.cc$|base/log\\.cc$)"
    for (i = 1; i < ARGC; i++) { path = ARGV[i]; sub(/^[a-z]+\//, "", path); ours[path] }
  }
  function report(reason) { printf "%s:%d: %s\n", FILENAME, FNR, reason; bad = 1 }
  function has(word) { return $0 ~ "(^|[^A-Za-z0-9_])" word "($|[^A-Za-z0-9_])" }
  function check_include(path, to, i) {
    for (i in home)
      if (path ~ i && FILENAME !~ "^(" home[i] ")") report(path " is for " home[i] " alone")
    if (path ~ /^\.|\/\./) report(path " is a relative path")
    if (!(to in floor) || room == "main.cc" || room == to) return
    if (room == "include") report("a public header includes " path)
    else if (floor[to] >= floor[room])
      report(path " is on floor " floor[to] ", " room " on floor " floor[room])
  }
  FNR == 1 {
    split(FILENAME, part, "/"); room = part[1] == "include" ? "include" : part[2]; in_comment = 0
    if (!(room in floor) && room !~ /^(include|main\.cc)$/) report("lies in no known room")
  }
  in_comment { if (!sub(/^.*\*\//, "")) next; in_comment = 0 }
  /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    split($0, piece, /["<>]/); split(piece[2], part, "/")
    check_include(piece[2], (/"/ || piece[2] in ours) ? part[1] : "")
    next
  }
  {
    gsub(/\047([^\047\\]|\\.)\047/, ""); gsub(/"([^"\\]|\\.)*"/, "")
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, ""); sub(/\/\/.*/, "")
    in_comment = sub(/\/\*.*/, "")
    if (has("throw")) report("throw; an error is an absl::Status")
    if (has("catch") && FILENAME !~ may_catch) report("catch outside " may_catch)
  }
  END { exit bad }
' || exit 1
