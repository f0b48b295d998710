// ClientFilter: which clients CLIENT LIST and CLIENT KILL mean.
//
// Threads:  a plain value; the words it was read from must outlive it.
// Errors:   texts that start with "ERR "; "" when all is well.

#ifndef GUB_COMMAND_CLIENT_FILTER_H_
#define GUB_COMMAND_CLIENT_FILTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/client_registry.h"
#include "command/context.h"

namespace gub {

struct ClientFilter {
  enum class Type { kNormal, kReplica, kPubSub, kPeer };

  std::vector<int64_t> ids;  // any of these; empty: all
  std::optional<Type> type;
  std::optional<std::string_view> address;
  std::optional<std::string_view> local_address;
  std::optional<int64_t> min_age_s;

  // Whether the client is meant: by everything that is set.
  bool Fits(const ClientRecord& record) const;

  // [TYPE type] [ID id…]
  std::string ReadList(Args words);
  // (ID id | TYPE type | USER user | ADDR address | LADDR address | MAXAGE s | SKIPME yes|no)…
  std::string ReadKill(Args words, bool* skip_me);

 private:
  std::string ReadType(std::string_view word);
  std::string ReadId(std::string_view word);
};

}  // namespace gub

#endif  // GUB_COMMAND_CLIENT_FILTER_H_
