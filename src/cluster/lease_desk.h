// LeaseDesk: one worker's part in GLOBAL by leases: the leases that it holds of other nodes, the
// frames that it sends and is sent, and the hits of its clients that wait for an answer.
//
// **Each worker is a holder of its own**, "<node id>/<worker>" in frames, so that a hit which a
// lease has room for takes no lock. The price: an owner counts a node's workers one by one when it
// sizes leases, and a peek at one worker sees what its sister has admitted after a sync.
//
//   holder side   Decide; a LeaseHolder for each key, of one process of the owner
//   owner side    DecideOwn and the On… of resets, by way of the node's LeaseBook
//   frames        reports go with the forwarded requests of this worker, what the owner has to say
//                 at once comes in the answers to these; what it says later, its own links bring,
//                 to whichever worker, which posts it to the one that is meant
//
// A frame is taken only from the process that it names as its sender, and only when it names this
// process; what it says of keys is the business of lease_holder.h and lease_owner.h. A node lends
// only to members of its own table, and only of keys that it owns by that.
//
// Threads:  loop-confined.
// Memory:   a worker holds its share of global-max-leases; a hit that finds no room is forwarded as
//           without GLOBAL.
// Time:     the monotonic time is read for each hit: a lease must not be spent after its end.

#ifndef GUB_CLUSTER_LEASE_DESK_H_
#define GUB_CLUSTER_LEASE_DESK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "base/clock.h"
#include "base/counters.h"
#include "base/live_config.h"
#include "cluster/lease_book.h"
#include "cluster/lease_holder.h"
#include "cluster/lease_key_map.h"
#include "cluster/lease_mail.h"
#include "cluster/router.h"
#include "net/timer.h"

namespace gub {

class LeaseDesk {
 public:
  // How long a node that ends tries to tell what it has spent and returns.
  static constexpr int64_t kMostLeaveMs = 1000;
  // What one batch of a peer's requests is answered of leases; the rest follows by itself.
  static constexpr size_t kMostReplyBytes = size_t{1024} * 1024;

  struct Place {
    Loop* loop;
    Router* router;
    LeaseBook* book;
    const LiveConfig* config;
    const LimiterClock* clock;
    CounterSet* counters;
    size_t worker;
    size_t workers;
    std::string node_id;
    // Runs something at the desk of a worker, soon, on its thread.
    std::function<void(size_t worker, std::function<void(LeaseDesk* desk)>)> post;
  };

  // What became of a hit that waited. kForward: the owner is to decide it as without GLOBAL.
  using Settle = std::function<void(LeaseOutcome outcome, const Decision& decision)>;

  explicit LeaseDesk(Place place);
  ~LeaseDesk();
  LeaseDesk(const LeaseDesk&) = delete;
  LeaseDesk& operator=(const LeaseDesk&) = delete;

  // A hit on a key of another node. kForward: it may be forwarded now, on the same link. kWaits:
  // Await is to be called before anything else.
  uint64_t NextToken() { return (place_.worker + 1) << kWorkerShift | ++last_token_; }
  struct Hit {
    uint64_t token;
    int64_t now_ms;  // of the limiter, as the caller has read it
  };
  LeaseHolder::Result Decide(PeerClient* owner, const Request& request, const Hit& hit);
  void Await(uint64_t token, Settle settle) { awaited_[token] = std::move(settle); }
  // How much of the limit is used, as the owner told last and what was spent here since.
  std::optional<int64_t> KnownUsed(const Request& request);

  // A hit that the store has answered kLeased. Nothing: the store decides now. With token 0 it does
  // not wait.
  std::optional<LeaseOwner::Result> DecideOwn(const Request& request, uint64_t token);
  void OnGone(std::string_view name, std::string_view key);
  void OnGoneAll();

  // A frame that a process sent; what there is to answer at once is appended to *reply, about
  // `most_bytes` of it.
  void OnFrame(const PeerIdentity& sender, std::string_view bytes, size_t most_bytes,
               std::string* reply);

  // Hands all leases back and takes no more; `done` is called when their owners know it, or after
  // kMostLeaveMs.
  void Leave(std::function<void()> done);
  // Gives up what waits: its fallback answers.
  void GiveUp();
  // The table of slots may have changed, or the options.
  void Refresh();

  size_t holders() const { return held_.size(); }

 private:
  static constexpr int kWorkerShift = 48;

  // A process that owns keys of which this worker holds leases.
  struct Process {
    LeaseMail::Address address;
    uint64_t newest_generation = 0;  // of holders that are no more
  };
  struct Held {
    std::unique_ptr<LeaseHolder> holder;
    Process* process = nullptr;
    bool waits = false;  // its key is in waiting_
  };

  LeaseTime Now() const { return {BootNs() / 1000, place_.clock->NowMs()}; }
  int64_t MaxHeld() const;
  void TakeOptions();
  Process* ProcessAt(const PeerClient& owner);
  // Whether another process is behind its address now: nobody is left to be told.
  bool IsGone(const Process& process) const;
  void ForgetProcesses();
  Held* Find(const LeaseMapKey& at);
  Held* FindOrMake(const LeaseMapKey& at, const LeaseKey& key, Process* process);
  void Post(const Process& process, const std::vector<LeaseReport>& reports);
  void Collect(Held* held, LeaseTime now);
  void Watch(const LeaseMapKey& at, Held* held);
  void WakeAt(int64_t mono_us);
  void SettleAll(const std::vector<LeaseSettled>& settled);
  void LeaveOne(const std::string& at, Held held, bool process_ends,
                std::vector<LeaseSettled>* settled);
  void LeaveThose(bool process_ends, absl::FunctionRef<bool(const Held&)> is_meant);

  void OnTick();
  void TickHolders(std::vector<LeaseSettled>* settled);
  void Sync();
  void SyncHolders();
  void FinishLeaving();

  void OnReply(const LeaseMail::Address& to, const std::string_view* frame);
  void OnReports(const PeerIdentity& sender, const LeaseFrame& frame, size_t most_bytes,
                 std::string* reply);
  void OnAnswers(const std::string& process_id, const std::string& bytes);
  bool TellLeaving(Process* process, const LeaseAnswer& answer, std::vector<LeaseSettled>* settled);
  void OnAnswer(Process* process, const LeaseAnswer& answer, std::vector<LeaseSettled>* settled);
  void OnOwnerLost(const LeaseMail::Address& address);
  void Deliver(const LeaseNews& news);
  void PostLetter(const LeaseNews::Letter& letter);

  Place place_;
  const std::string self_;  // as a holder
  ConfigView config_;
  LeaseSettings settings_;
  LeaseNumbers exchanges_;
  uint64_t epoch_ = 0;  // of the table that the holders are of
  std::map<LeaseMail::Address, std::unique_ptr<Process>> processes_;
  LeaseKeyMap<Held> held_;
  // Those that end, a key's one after the other, until their owners know it.
  LeaseKeyMap<std::vector<Held>> leaving_;
  std::vector<std::string> waiting_;  // keys of held_ with hits that wait
  absl::flat_hash_map<uint64_t, Settle> awaited_;
  uint64_t last_token_ = 0;
  bool left_ = false;
  std::function<void()> left_done_;
  int64_t leave_until_us_ = 0;
  LeaseMail mail_;
  int64_t wake_us_ = INT64_MAX;
  int64_t synced_each_ms_ = 0;  // as sync_ was started
  Timer tick_;
  Timer sync_;
  Timer leave_;
  std::vector<LeaseReport> reports_;  // for Collect
  std::shared_ptr<LeaseDesk*> alive_ = std::make_shared<LeaseDesk*>(this);
};

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_DESK_H_
