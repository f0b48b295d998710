#include "cluster/etcd_json.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

namespace gub::etcd {

namespace {

using Json = nlohmann::json;

std::string ToBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

std::optional<std::string> FromBase64(const std::string& text) {
  std::string bytes;
  if (!absl::Base64Unescape(text, &bytes)) return std::nullopt;
  return bytes;
}

// An object; nothing when the text is anything else. It never throws: no function of the library is
// used here that could.
std::optional<Json> ReadObject(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

// nullptr when the object has no such field.
const Json* Find(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const std::string* FindText(const Json& object, const char* name) {
  const Json* const field = Find(object, name);
  return field == nullptr ? nullptr : field->get_ptr<const std::string*>();
}

// The gateway writes 64-bit numbers as strings and leaves out those that are 0.
std::optional<int64_t> FindNumber(const Json& object, const char* name) {
  const Json* const field = Find(object, name);
  if (field == nullptr) return 0;
  if (const auto* text = field->get_ptr<const std::string*>()) return ParseInt64(*text);
  if (const auto* number = field->get_ptr<const int64_t*>()) return *number;
  return std::nullopt;
}

// The first key behind all that start with the prefix.
std::string EndOfPrefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) return std::string(1, '\0');
  ++end.back();
  return end;
}

std::string RangeFields(std::string_view prefix) {
  return fmt::format(R"("key":"{}","range_end":"{}")", ToBase64(prefix),
                     ToBase64(EndOfPrefix(prefix)));
}

std::optional<Member> ReadMember(std::string_view value) {
  const std::optional<Json> json = ReadObject(value);
  if (!json) return std::nullopt;
  const std::string* const address = FindText(*json, "address");
  if (address == nullptr || address->find('*') != std::string::npos) return std::nullopt;
  absl::StatusOr<Member> member = ParseMember(*address, 0);
  if (!member.ok()) return std::nullopt;
  if (Find(*json, "weight") != nullptr) {
    const std::optional<int64_t> weight = FindNumber(*json, "weight");
    if (!weight || *weight < 1 || *weight > kMaxMemberWeight) return std::nullopt;
    member->weight = static_cast<int>(*weight);
  }
  return *std::move(member);
}

// Each key holds one address, so that of two entries none can claim the same one.
void AddEntry(const Json& entry, std::string_view prefix, MemberList* list) {
  const std::string* const key_text = FindText(entry, "key");
  const std::string* const value_text = FindText(entry, "value");
  const std::optional<std::string> key = key_text ? FromBase64(*key_text) : std::nullopt;
  const std::optional<std::string> value = value_text ? FromBase64(*value_text) : std::nullopt;
  std::optional<Member> member = value ? ReadMember(*value) : std::nullopt;
  if (key && member && *key == std::string(prefix) + member->address) {
    list->members.push_back(*std::move(member));
  } else {
    list->wrong_keys.push_back(key.value_or(""));
  }
}

}  // namespace

std::string GrantBody(int64_t ttl_s) { return fmt::format(R"({{"TTL":"{}"}})", ttl_s); }

std::string LeaseBody(std::string_view lease_id) {
  return fmt::format(R"({{"ID":"{}"}})", lease_id);
}

std::string PutBody(std::string_view prefix, const Member& member, std::string_view lease_id) {
  const std::string value =
      fmt::format(R"({{"address":"{}","weight":{}}})", member.address, member.weight);
  return fmt::format(R"({{"key":"{}","value":"{}","lease":"{}"}})",
                     ToBase64(std::string(prefix) + member.address), ToBase64(value), lease_id);
}

std::string RangeBody(std::string_view prefix) {
  return fmt::format("{{{}}}", RangeFields(prefix));
}

std::string WatchBody(std::string_view prefix, int64_t from_revision) {
  return fmt::format(R"({{"create_request":{{{},"start_revision":"{}"}}}})", RangeFields(prefix),
                     from_revision);
}

std::optional<Lease> ReadGrant(std::string_view body) {
  const std::optional<Json> json = ReadObject(body);
  if (!json) return std::nullopt;
  const std::optional<int64_t> id = FindNumber(*json, "ID");
  const std::optional<int64_t> ttl_s = FindNumber(*json, "TTL");
  if (!id || *id == 0 || !ttl_s || *ttl_s < 1) return std::nullopt;
  return Lease{fmt::format("{}", *id), *ttl_s};
}

std::optional<int64_t> ReadKeepAlive(std::string_view body) {
  const std::optional<Json> json = ReadObject(body);
  const Json* const result = json ? Find(*json, "result") : nullptr;
  if (result == nullptr) return std::nullopt;
  return FindNumber(*result, "TTL");
}

std::optional<MemberList> ReadRange(std::string_view body, std::string_view prefix) {
  const std::optional<Json> json = ReadObject(body);
  const Json* const header = json ? Find(*json, "header") : nullptr;
  const std::optional<int64_t> revision = header ? FindNumber(*header, "revision") : std::nullopt;
  if (!revision) return std::nullopt;
  MemberList list;
  list.revision = *revision;
  if (const Json* const entries = Find(*json, "kvs"); entries != nullptr) {
    if (!entries->is_array()) return std::nullopt;
    for (const Json& entry : *entries) AddEntry(entry, prefix, &list);
  }
  absl::StatusOr<std::vector<Member>> merged = MergeMembers(std::move(list.members));
  if (!merged.ok()) return std::nullopt;
  list.members = *std::move(merged);
  return list;
}

std::optional<WatchNews> ReadWatchLine(std::string_view line) {
  const std::optional<Json> json = ReadObject(line);
  if (!json) return std::nullopt;
  const Json* const result = Find(*json, "result");
  if (result == nullptr) return WatchNews::kEnd;
  const Json* const canceled = Find(*result, "canceled");
  if (canceled != nullptr && canceled->is_boolean() && *canceled->get_ptr<const bool*>()) {
    return WatchNews::kEnd;
  }
  return Find(*result, "events") == nullptr ? WatchNews::kNothing : WatchNews::kChange;
}

std::string ReadError(std::string_view body) {
  const std::optional<Json> json = ReadObject(body);
  const std::string* const text = json ? FindText(*json, "error") : nullptr;
  return text == nullptr ? "" : *text;
}

}  // namespace gub::etcd
