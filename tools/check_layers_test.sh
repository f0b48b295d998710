#!/usr/bin/env bash
# Tests tools/check_layers.sh on small trees: each planted violation is found, the allowed is not.
# Exit codes: 0 as expected, 1 not.
set -euo pipefail

check=$(cd "$(dirname "$0")" && pwd)/check_layers.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect VERDICT FILE LINE...: on a tree with that file and a server, VERDICT (`clean`, or a part of
# the message) is what check_layers.sh says.
expect() {
  local verdict=$1 file=$2 said
  shift 2
  rm -rf "$work/tree"
  mkdir -p "$work/tree/src/server" "$work/tree/include" "$(dirname "$work/tree/$file")"
  touch "$work/tree/src/server/server.h"
  printf '%s\n' "$@" >"$work/tree/$file"
  said=$("$check" "$work/tree") && said=clean
  if [[ $said != *"$verdict"* || ($verdict != clean && $said != "$file:"*) ]]; then
    printf 'check_layers_test: %s with\n%s\nexpected: %s\nsaid:     %s\n' \
      "$file" "$*" "$verdict" "$said" >&2
    failed=1
  fi
}

expect clean src/store/store.cc '#include "store/store.h"' '#include "limit/token.h"' \
  '#include "base/text.h"' '#include "gub/types.h"' '#include "libcuckoo/cuckoohash_map.hh"' \
  '#include <vector>' '#include "absl/status/status.h"' 'try { } catch (...) { }'
expect clean src/net/loop.h '#include <uv.h>' '#include <net/if.h>' '#include "base/clock.h"'
expect clean src/server/session.cc '#include "command/dispatch.h"' '#include "net/loop.h"'
expect clean src/base/text.cc '#include <net/if.h>'
expect clean src/main.cc '#include "server/server.h"' 'catch (const std::exception& e) {'
expect clean src/limit/token.cc '// We never throw, nor catch.' '/* throw' '   catch */ int a;' \
  'auto s = "throw \" catch"; char c = '"'\"'"';' '/* throw */ int rethrow_count, catcher;'

expect 'src/limit/token.cc:2: store/store.h is on floor 2' src/limit/token.cc \
  '#include <vector>' '#include "store/store.h"'
expect 'proto/parser.h is on floor 2' src/net/connection.cc '#include "proto/parser.h"'
expect 'cluster/router.h is on floor 3' src/store/store.h '  #  include "cluster/router.h"'
expect 'server/session.h is on floor 5' src/command/dispatch.cc '#include "server/session.h"'
expect 'server/server.h is on floor 5' src/base/text.h '#include <server/server.h>'
expect 'limit/int128.h is on floor 1' src/base/text.h '#include "limit/int128.h"'
expect 'a public header' include/gub/limiter.h '#include "base/clock.h"'
expect 'relative path' src/net/loop.cc '#include "../base/clock.h"'
expect 'uv.h is for src/net/ alone' src/server/server.cc '#include <uv.h>'
expect 'uv.h is for src/net/ alone' src/main.cc '#include "uv.h"'
expect 'is for src/net/resolver.cc alone' src/net/loop.cc '#include <ares.h>'
expect 'is for src/net/http_client.cc alone' src/cluster/etcd_client.cc '#include <curl/curl.h>'
expect 'is for src/cluster/etcd_json.cc|src/proto/gubernator_json.cc alone' src/cluster/member.cc '#include "nlohmann/json.hpp"'
expect clean src/cluster/etcd_json.cc '#include "nlohmann/json.hpp"' '#include "net/loop.h"'
expect 'is for src/store/ alone' src/limit/token.cc '#include <libcuckoo/cuckoohash_map.hh>'
expect 'catch' src/base/text.cc 'try { f(); } catch(...) {}'
expect 'throw' src/store/store.cc 'throw std::bad_alloc();'
expect 'throw' src/proto/writer.cc '/* why */ throw 1;  // because'
expect 'src/proto/writer.cc:3: throw' src/proto/writer.cc '/* one' 'two */' 'throw 1;'
expect 'no known room' src/util/strings.cc 'int a;'
expect 'no known room' src/loose.cc 'int a;'

mkdir -p "$work/empty"
"$check" "$work/empty" 2>/dev/null && failed=1

exit "$failed"
