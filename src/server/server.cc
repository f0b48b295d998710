#include "server/server.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <optional>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/secret.h"
#include "base/text.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "net/listen_socket.h"
#include "net/signal_watch.h"
#include "net/timer.h"
#include "server/own_address.h"

namespace gub {

namespace {

// How many other nodes a worker has room for; with more of them the limit of open files must be
// higher than maxclients asks for.
constexpr int64_t kLinksPerThread = 32;

size_t ThreadCount(const Config& config) {
  if (config.threads > 0) return static_cast<size_t>(config.threads);
  return std::max<size_t>(1, std::thread::hardware_concurrency());
}

// Raises the limit on descriptors for `clients` beside what the node itself needs; how many clients
// there can be then.
absl::StatusOr<int64_t> MakeRoomForClients(int64_t clients, const Config& config) {
  // A loop has some of its own, each worker a listener on every address, and some are refused.
  const auto threads = static_cast<int64_t>(ThreadCount(config));
  const int64_t fronts = config.http_port == 0 ? 1 : 2;
  int64_t own = 64 + Worker::kProbeRoom + Worker::kRefusedRoom +
                threads * (8 + fronts * static_cast<int64_t>(config.bind.size()));
  // Links from and to other nodes.
  if (config.cluster_enabled) own += Worker::kPeerRoom + threads * kLinksPerThread;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return clients;
  const auto wanted = static_cast<rlim_t>(clients + own);
  if (limit.rlim_cur >= wanted) return clients;
  rlimit raised = {wanted, std::max(wanted, limit.rlim_max)};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return clients;
  raised = {limit.rlim_max, limit.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0) raised = limit;
  const int64_t possible = static_cast<int64_t>(raised.rlim_cur) - own;
  if (possible < 1) {
    return absl::ResourceExhaustedError(
        fmt::format("the limit of open files is {}; {} threads and one client need {}",
                    raised.rlim_cur, threads, own + 1));
  }
  return std::min(possible, clients);
}

}  // namespace

Server::Server(const Config& config, Calendar calendar, size_t threads)
    : node_(config, std::move(calendar), threads) {}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Config& config,
                                                      const std::string& config_file,
                                                      ReadConfig read_config) {
  std::optional<Calendar> calendar = Calendar::ForZone(config.calendar_timezone);
  if (!calendar) {
    return absl::InvalidArgumentError(fmt::format(
        "calendar-timezone: this machine knows no zone '{}'", config.calendar_timezone));
  }
  const absl::StatusOr<int64_t> maxclients = MakeRoomForClients(config.maxclients, config);
  if (!maxclients.ok()) return maxclients.status();
  if (*maxclients < config.maxclients) {
    GUB_LOG(warn,
            "lowering maxclients, the descriptor limit allows no more maxclients={} wanted={}",
            *maxclients, config.maxclients);
  }
  Config effective = config;
  effective.maxclients = *maxclients;
  std::unique_ptr<Server> server(new Server(effective, *std::move(calendar), ThreadCount(config)));
  server->node_.run_id = RandomHex(20);
  server->node_.config_file = config_file;
  server->read_config_ = std::move(read_config);
  server->SetHooks();
  const std::string unknown = server->node_.commands.FindUnknown(config.disable_commands);
  if (!unknown.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("disable-commands: there is no command '{}'", Escape(unknown)));
  }
  if (absl::Status status = server->JoinCluster(); !status.ok()) return status;
  for (size_t i = 0; i < server->node_.threads; ++i) {
    server->workers_.push_back(std::make_unique<Worker>(&server->node_, i));
  }
  if (absl::Status status = server->Listen(); !status.ok()) return status;
  return server;
}

void Server::SetHooks() {
  node_.hooks.prepare_config = [this](const Config& before, Config* after) {
    return PrepareConfig(before, after);
  };
  node_.hooks.config_changed = [this] {
    for (auto& worker : workers_) worker->ConfigChanged();
  };
  node_.hooks.close_client = [this](const ClientRecord& client) {
    workers_[client.worker]->CloseClient(client.id);
  };
  node_.hooks.at_desk = [this](size_t worker, std::function<void(LeaseDesk*)> task) {
    workers_[worker]->AtDesk(std::move(task));
  };
  node_.hooks.stop = [] { kill(getpid(), SIGTERM); };
}

absl::Status Server::JoinCluster() {
  const std::shared_ptr<const Config> config = node_.config.Get();
  if (!config->cluster_enabled) return absl::OkStatus();
  absl::StatusOr<Member> self = OwnMember(*config);
  if (!self.ok()) return self.status();
  node_.address = self->address;
  node_.cluster =
      std::make_unique<Cluster>(*std::move(self), node_.run_id, config->calendar_timezone);
  node_.leases = std::make_unique<LeaseBook>(&node_.store, &node_.clock, config->global_max_leases);
  return absl::OkStatus();
}

absl::Status Server::FollowMembers(Loop* housekeeping) {
  if (node_.cluster == nullptr) return absl::OkStatus();
  auto keeper = MembershipKeeper::Make(housekeeping, &node_, [this](const std::string& address) {
    workers_.front()->TryLink(address);
  });
  if (!keeper.ok()) return keeper.status();
  members_ = *std::move(keeper);
  const auto tell = [this, housekeeping](void (MembershipKeeper::*what)(const std::string&)) {
    return [this, housekeeping, what](const std::string& address) {
      housekeeping->Post([this, what, address] {
        if (members_ != nullptr) ((*members_).*what)(address);
      });
    };
  };
  node_.cluster->hooks = {tell(&MembershipKeeper::FoundSelf), tell(&MembershipKeeper::FoundOther),
                          tell(&MembershipKeeper::MemberLeaves)};
  members_->Start();
  return absl::OkStatus();
}

absl::Status Server::PrepareConfig(const Config& before, Config* after) {
  if (after->maxclients > before.maxclients) {
    const absl::StatusOr<int64_t> possible = MakeRoomForClients(after->maxclients, *after);
    if (!possible.ok()) return possible.status();
    if (*possible < after->maxclients) {
      return absl::ResourceExhaustedError(fmt::format(
          "maxclients must be at most {}, the limit of open files allows no more", *possible));
    }
  }
  SetLogLevel(after->loglevel);
  return absl::OkStatus();
}

// Takes over what may change while the node runs, and tells what it cannot.
void Server::ReloadConfig() {
  const absl::StatusOr<Config> read = read_config_();
  if (!read.ok()) {
    GUB_LOG(error, "the configuration was not read again, nothing has changed reason=\"{}\"",
            std::string(read.status().message()));
    return;
  }
  std::vector<std::string_view> changed;
  std::vector<std::string_view> waiting;
  bool opens = false;
  const absl::Status status = ChangeConfig(&node_, [&](Config* config) {
    opens = !config->requirepass.empty() && read->requirepass.empty();
    for (const OptionRow& row : OptionTable()) {
      if (FormatOption(row, *read) == FormatOption(row, *config)) continue;
      (row.reloadable ? changed : waiting).push_back(row.name);
      if (row.reloadable) CopyOption(row, *read, config);
    }
    // As at the start.
    const absl::StatusOr<int64_t> possible = MakeRoomForClients(config->maxclients, *config);
    if (possible.ok()) config->maxclients = *possible;
    return possible.status();
  });
  if (!status.ok()) {
    GUB_LOG(error, "the configuration was not taken over, nothing has changed reason=\"{}\"",
            std::string(status.message()));
    return;
  }
  if (opens) GUB_LOG(warn, "the configuration has no password any more, clients need none");
  const auto list = [](const std::vector<std::string_view>& names) {
    return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
  };
  GUB_LOG(info, "the configuration was read again file={} changed={} waiting_for_restart={}",
          node_.config_file.empty() ? "none" : node_.config_file, list(changed), list(waiting));
}

absl::Status Server::Listen() {
  const std::shared_ptr<const Config> config = node_.config.Get();
  node_.port = static_cast<int>(config->port);
  const auto of_option = [](const absl::Status& status, std::string_view option,
                            std::string_view advice) {
    return absl::Status(status.code(),
                        fmt::format("{}: {}{}", option, std::string(status.message()), advice));
  };
  absl::Status status = ListenFor(Worker::Protocol::kResp, &node_.port);
  if (absl::IsPermissionDenied(status)) return of_option(status, "port", "");
  if (!status.ok() || config->http_port == 0) return status;
  node_.http_port = static_cast<int>(config->http_port);
  status = ListenFor(Worker::Protocol::kHttp, &node_.http_port);
  if (status.ok()) return status;
  return of_option(status, "http-port", " (another one, or 0 for no HTTP: --http-port 0)");
}

absl::Status Server::ListenFor(Worker::Protocol protocol, int* port) {
  bool any = false;
  for (const std::string& bind : node_.config.Get()->bind) {
    const absl::Status status = ListenOn(protocol, bind, port);
    const bool is_missing = bind.starts_with('-') && absl::IsUnavailable(status);
    if (!status.ok() && !is_missing) return status;
    any = any || status.ok();
  }
  if (any) return absl::OkStatus();
  return absl::UnavailableError("bind: none of the addresses is there to listen on");
}

// All addresses share one port, also one that was free by chance.
absl::Status Server::ListenOn(Worker::Protocol protocol, const std::string& bind, int* port) {
  const std::string host = bind.starts_with('-') ? bind.substr(1) : bind;
  const auto backlog = static_cast<int>(node_.config.Get()->tcp_backlog);
  absl::StatusOr<ListenSocket> claimed = ListenSocket::Claim(host, *port, backlog);
  if (!claimed.ok()) return claimed.status();
  *port = claimed->port();
  const bool is_resp = protocol == Worker::Protocol::kResp;
  if (is_resp && node_.address.empty()) {
    node_.address = JoinHostPort(IsWildcard(host) ? "127.0.0.1" : host, *port);
  }
  for (size_t i = 1; i < workers_.size(); ++i) {
    absl::StatusOr<ListenSocket> joined = ListenSocket::Join(*claimed);
    if (!joined.ok()) return joined.status();
    const absl::Status status = workers_[i]->Listen(protocol, *std::move(joined));
    if (!status.ok()) return status;
  }
  GUB_LOG(info, "{} address={}", is_resp ? "listening" : "listening for HTTP", claimed->Address());
  return workers_[0]->Listen(protocol, *std::move(claimed));
}

bool Server::Sweep() {
  const uint32_t epoch = node_.store.epoch();
  const int64_t start_mono_ns = MonotonicNs();
  const bool more = node_.store.Sweep(node_.clock.NowMs(), epoch, kSweepBudgetNs);
  const int64_t ms = (MonotonicNs() - start_mono_ns) / 1'000'000;
  const int64_t threshold_ms = node_.config.Get()->latency_monitor_threshold_ms;
  if (threshold_ms > 0 && ms >= threshold_ms) {
    node_.latency.Add(LatencyEvent::kExpireCycle, std::time(nullptr), ms);
  }
  return more;
}

absl::Status Server::Run() {
  Loop housekeeping;  // before the workers, which may leave messages there
  if (absl::Status status = FollowMembers(&housekeeping); !status.ok()) return status;
  std::vector<std::unique_ptr<Thread>> threads;
  absl::Status status = StartWorkers(&threads);
  if (status.ok()) KeepHouse(&housekeeping);
  members_.reset();
  StopWorkers();
  threads.clear();  // waits for each
  if (status.ok()) GUB_LOG(info, "stopped");
  return status;
}

absl::Status Server::StartWorkers(std::vector<std::unique_ptr<Thread>>* threads) {
  for (auto& worker : workers_) {
    auto thread = Thread::Start([&worker] { worker->Run(); });
    if (!thread.ok()) {
      return absl::ResourceExhaustedError(fmt::format("threads: {} of {}: {}", threads->size(),
                                                      workers_.size(),
                                                      std::string(thread.status().message())));
    }
    threads->push_back(*std::move(thread));
  }
  return absl::OkStatus();
}

// The last of those who know of it tells.
void Server::ReturnLeases(Loop* housekeeping, std::function<void()> done) {
  const std::shared_ptr<void> all(
      nullptr, [housekeeping, done = std::move(done)](void*) { housekeeping->Post(done); });
  for (auto& worker : workers_) {
    worker->ReturnLeases([all] {});
  }
}

void Server::StopWorkers() {
  for (auto& worker : workers_) worker->BeginStop();
}

void Server::KeepHouse(Loop* housekeeping) {
  Timer clock(housekeeping, [this] { node_.clock.Pull(); });
  clock.Start(LimiterClock::kPullIntervalMs, LimiterClock::kPullIntervalMs);
  Timer sweeper(housekeeping, [&] { sweeper.Start(Sweep() ? 1 : kSweepIntervalMs, 0); });
  sweeper.Start(kSweepIntervalMs, 0);
  Timer meter(housekeeping, [this] {
    node_.ops_per_sec.Sample(MonotonicNs(), node_.counters.Sum(Counter::kCommandsProcessed));
  });
  meter.Start(RateMeter::kIntervalMs, RateMeter::kIntervalMs);
  bool leaving = false;
  bool stopped = false;
  std::function<void()> stop;
  SignalWatch signals(housekeeping, kSignals, [&](int signal) {
    if (signal == SIGHUP) return ReloadConfig();
    node_.stopping = true;
    node_.serving = false;
    GUB_LOG(info, "stopping signal={}", signal);
    // The second one does not wait for the others.
    if (members_ == nullptr || std::exchange(leaving, true)) return stop();
    ReturnLeases(housekeeping, [this, &stop] {
      if (members_ == nullptr) return;
      members_->Leave(
          [this](std::function<void()> said) { workers_.front()->SayLeave(std::move(said)); },
          stop);
    });
  });
  stop = [&] {
    if (std::exchange(stopped, true)) return;
    housekeeping->Soon([&] {  // not from within a callback of the members
      members_.reset();
      signals.Stop();
      clock.Stop();
      sweeper.Stop();
      meter.Stop();
      housekeeping->CloseMailbox();
    });
  };
  node_.serving = true;
  // Whoever has read this line may send a signal.
  GUB_LOG(info, "ready threads={} max_keys={} version={}", node_.threads, node_.store.max_keys(),
          GUB_VERSION);
  housekeeping->Run();
}

}  // namespace gub
