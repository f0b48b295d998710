#include "command/client_filter.h"

#include <algorithm>

#include "base/text.h"
#include "command/errors.h"
#include "fmt/format.h"

namespace gub {

bool ClientFilter::Fits(const ClientRecord& record) const {
  if (!ids.empty() && std::find(ids.begin(), ids.end(), record.id) == ids.end()) return false;
  if (address && record.address != *address) return false;
  if (local_address && record.local_address != *local_address) return false;
  if (min_age_s && MonotonicNs() - record.since_mono_ns < *min_age_s * 1'000'000'000) return false;
  if (!type) return true;
  const Type client = record.subscriptions > 0 ? Type::kPubSub : Type::kNormal;
  const Type is = record.IsPeer() ? Type::kPeer : client;
  return *type == is;
}

std::string ClientFilter::ReadType(std::string_view word) {
  if (EqualsIgnoreCase(word, "normal")) {
    type = Type::kNormal;
  } else if (EqualsIgnoreCase(word, "pubsub")) {
    type = Type::kPubSub;
  } else if (EqualsIgnoreCase(word, "master")) {
    type = Type::kPeer;
  } else if (EqualsIgnoreCase(word, "replica") || EqualsIgnoreCase(word, "slave")) {
    type = Type::kReplica;  // there are none
  } else {
    return fmt::format("ERR Unknown client type '{}'", Escape(word));
  }
  return "";
}

std::string ClientFilter::ReadId(std::string_view word) {
  const std::optional<int64_t> id = ParseInt64(word);
  if (!id || *id <= 0) return "ERR client-id should be greater than 0";
  ids.push_back(*id);
  return "";
}

std::string ClientFilter::ReadList(Args words) {
  if (words.empty()) return "";
  if (EqualsIgnoreCase(words[0], "TYPE") && words.size() == 2) return ReadType(words[1]);
  if (!EqualsIgnoreCase(words[0], "ID") || words.size() < 2) return std::string(kSyntaxError);
  for (std::string_view word : words.subspan(1)) {
    std::string error = ReadId(word);
    if (!error.empty()) return "ERR Invalid client ID";
  }
  return "";
}

std::string ClientFilter::ReadKill(Args words, bool* skip_me) {
  if (words.size() % 2 != 0) return std::string(kSyntaxError);
  for (size_t i = 0; i < words.size(); i += 2) {
    const std::string_view name = words[i];
    const std::string_view value = words[i + 1];
    std::string error;
    if (EqualsIgnoreCase(name, "ID")) {
      error = ReadId(value);
    } else if (EqualsIgnoreCase(name, "TYPE")) {
      error = ReadType(value);
    } else if (EqualsIgnoreCase(name, "ADDR")) {
      address = value;
    } else if (EqualsIgnoreCase(name, "LADDR")) {
      local_address = value;
    } else if (EqualsIgnoreCase(name, "USER")) {
      if (value != "default") error = fmt::format("ERR No such user '{}'", Escape(value));
    } else if (EqualsIgnoreCase(name, "MAXAGE")) {
      min_age_s = ParseInt64(value);
      // Longer than any client can have been here, and short enough to be counted in ns.
      if (!min_age_s || *min_age_s < 1 || *min_age_s > 9'000'000'000) error = kSyntaxError;
    } else if (EqualsIgnoreCase(name, "SKIPME") &&
               (EqualsIgnoreCase(value, "yes") || EqualsIgnoreCase(value, "no"))) {
      *skip_me = EqualsIgnoreCase(value, "yes");
    } else {
      error = kSyntaxError;
    }
    if (!error.empty()) return error;
  }
  return "";
}

}  // namespace gub
