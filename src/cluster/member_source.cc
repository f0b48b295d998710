#include "cluster/member_source.h"

#include <string_view>
#include <utility>

#include "cluster/dns_source.h"
#include "cluster/etcd_source.h"
#include "cluster/file_source.h"
#include "cluster/static_source.h"
#include "fmt/format.h"

namespace gub {

namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

// Without any peer the node is a cluster of its own.
absl::StatusOr<std::unique_ptr<MemberSource>> MakeStaticSource(Loop* loop,
                                                               const SourceOptions& options) {
  absl::StatusOr<std::vector<Member>> members =
      ParseMembers(Joined(options.peers), options.default_port);
  if (!members.ok()) return members.status();
  if (members->empty()) members->push_back(options.self);
  return std::make_unique<StaticSource>(loop, *std::move(members));
}

absl::StatusOr<std::unique_ptr<MemberSource>> MakeFileSource(Loop* loop,
                                                             const SourceOptions& options) {
  if (options.file.empty()) return absl::InvalidArgumentError("discovery file needs a file");
  return std::make_unique<FileSource>(loop, options.file, options.default_port);
}

}  // namespace

SourceOptions SourceOptionsOf(const Config& config, Member self, int default_port) {
  return {.discovery = config.discovery,
          .self = std::move(self),
          .default_port = default_port,
          .peers = config.peers,
          .file = config.discovery_file,
          .dns_names = config.discovery_dns,
          .dns_server = config.discovery_dns_server,
          .etcd_endpoints = config.etcd_endpoints,
          .etcd_prefix = config.etcd_prefix,
          .etcd_lease_s = config.etcd_lease_s};
}

absl::StatusOr<std::unique_ptr<MemberSource>> MakeSource(Loop* loop, const SourceOptions& options) {
  if (options.discovery == "static") return MakeStaticSource(loop, options);
  if (options.discovery == "file") return MakeFileSource(loop, options);
  if (options.discovery == "dns") return DnsSource::Create(loop, options);
  if (options.discovery == "etcd") return EtcdSource::Create(loop, options);
  return absl::InvalidArgumentError(
      fmt::format("there is no discovery called '{}'", options.discovery));
}

}  // namespace gub
