// PeerLink: the requests of one worker on their way to one owner, as pure code: time, bytes and
// connections come from outside, so that the simulation runs exactly what the server runs.
//
//   state      | what it is                                    | leaves by
//   -----------+-----------------------------------------------+------------------------------------
//   closed     | no connection                                 | a request or a probe -> connecting
//   connecting | asked for one; requests wait in the queue     | OnConnected -> greeting
//   greeting   | the handshake is on its way; requests wait    | OnGreeted -> ready
//   ready      | batches are sent                              | OnClosed, Close -> closed
//
// **At most once.** A request is written once or never. When a connection ends, what was written is
// unknown and what was not is not sent: all of it fails, and the caller answers by its fallback. A
// request that is not answered in time fails too, keeps its place, and its answer, when it comes,
// is dropped; one that still waits then is never sent.
//
// **And not long after.** A batch carries an expiry in the owner's own monotonic time: the moment
// at which its first request is given up here. The owner's time is known from below: each of its
// answers says what its clock showed, and cannot have been written later than it was read. So an
// owner that was stopped, and finds the bytes when it wakes, sees that they are too late.
//
// **Batches.** What comes while the link is idle leaves with the next Flush. What comes while a
// batch is on its way waits for its answer, batch_wait_us at most (and half of the time-out at
// most), batch_limit requests at most.
// A request that says NO_BATCHING takes all that wait with it at once.
//
// Frames (peer_frame.h) are numbered; an answer says the number and has as many answers as the
// frame has requests, or it closes the link.
//
// Threads:  one at a time.
// Time:     now_us is any one monotonic clock of this process.
// Memory:   at most max_requests, waiting and in flight together, and max_waiting_bytes that wait;
//           one more is not taken.

#ifndef GUB_CLUSTER_PEER_LINK_H_
#define GUB_CLUSTER_PEER_LINK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/owner_health.h"
#include "cluster/peer_frame.h"

namespace gub {

struct PeerLimits {
  int64_t timeout_ms = 100;
  int64_t batch_wait_us = 500;
  size_t batch_limit = 1000;
  size_t max_requests = 100'000;
  size_t max_waiting_bytes = size_t{16} * 1024 * 1024;
};

// Whether a node may say this of its monotonic time: its microseconds fit into 64 bits twice.
constexpr bool IsPeerTime(int64_t mono_ms) { return mono_ms >= 0 && mono_ms < INT64_MAX / 4000; }

// One batch as it is written, and one answer as it was read.
struct PeerBatch {
  uint64_t number;
  int64_t expires_mono_ms;  // the owner's time
  std::string_view requests;
  size_t count;
};
struct PeerBatchAnswer {
  uint64_t number = 0;
  int64_t mono_ms = 0;       // the owner's time when it was written, IsPeerTime
  std::string_view answers;  // empty and late: nothing was applied
  bool late = false;
};

class PeerLink {
 public:
  // What a link needs done, and whom it tells.
  class Host {
   public:
    virtual ~Host() = default;
    // Asks for a connection; OnConnected or OnClosed will be called, not from within.
    virtual void Connect() = 0;
    // Begins the handshake; OnGreeted or OnClosed will be called.
    virtual void Greet() = 0;
    virtual void Write(const PeerBatch& batch) = 0;
    // Whether a batch may be written now. When it may again, Flush is to be called.
    virtual bool CanWrite() const { return true; }
    // Ends the connection; OnClosed is not called for it.
    virtual void Disconnect() = 0;
    virtual void OnAnswered(uint64_t token, const PeerAnswer& answer) = 0;
    // It may have been applied, or not.
    virtual void OnFailed(uint64_t token) = 0;
    virtual uint64_t Dice() = 0;
  };

  // A batch takes no more bytes than this, unless its first request alone does.
  static constexpr size_t kMaxBatchBytes = size_t{4} * 1024 * 1024;

  struct Counts {
    uint64_t batches = 0;
    uint64_t requests = 0;
    uint64_t answered = 0;
    uint64_t failed = 0;
    uint64_t late_answers = 0;  // of requests that had been given up
    uint64_t refused = 0;       // not taken: the circuit is open, or too many are under way
    uint64_t largest_batch = 0;
    uint64_t connects = 0;
    uint64_t answered_batches = 0;  // in time or late
    uint64_t answer_us = 0;         // from their writing to their answers, together
  };

  PeerLink(Host* host, PeerLimits limits) : host_(*host), limits_(limits) {}

  // Also for what is under way: a shorter time-out counts from now on.
  void SetLimits(const PeerLimits& limits, int64_t now_us);

  // Takes a request, whose outcome will be told by its token, which is not 0. False: it is not
  // taken, and nothing will be told; the fallback answers at once. Its bytes are copied. Nothing is
  // told from within.
  bool Forward(uint64_t token, const PeerRequest& request, int64_t now_us);
  // Sends what may leave. To be called when a batch of Forwards is over.
  void Flush(int64_t now_us);
  // Sends a batch of no requests, once the link is ready: its answer tells the owner's view, and
  // that it lives. Connects when it is not, unless the circuit is open.
  void Ask(int64_t now_us);

  void OnConnected(int64_t now_us);
  // The owner has proved itself; `mono_ms` is its time as it told in the handshake.
  void OnGreeted(int64_t mono_ms, int64_t now_us);
  void OnAnswer(const PeerBatchAnswer& answer, int64_t now_us);
  // Bytes that are no answer, an error for a frame, or the connection's end.
  void OnClosed(int64_t now_us);
  // To be called at NextTickUs or after.
  void OnTick(int64_t now_us);
  // When something is due; nothing: never.
  std::optional<int64_t> NextTickUs() const;

  // Gives up all requests and the connection.
  void Close();

  OwnerHealth::State health() const { return health_.state(); }
  // Whether requests are taken, as far as the owner's health goes.
  bool IsAsked() const { return health_.IsAsked(); }
  bool IsReady() const { return state_ == State::kReady; }
  size_t waiting() const { return queue_.size(); }
  size_t in_flight() const { return in_flight_requests_; }
  const Counts& counts() const { return counts_; }

 private:
  enum class State { kClosed, kConnecting, kGreeting, kReady };

  struct Waiting {
    uint64_t token;
    int64_t due_us;     // when it is given up
    uint64_t end_byte;  // of all bytes that were ever queued
  };
  struct InFlight {
    uint64_t token;
    int64_t due_us;
    bool given_up;
  };
  struct Frame {
    uint64_t number;
    std::vector<InFlight> requests;
    size_t next_due;  // the first that is not given up
    size_t answers;   // how many the owner has to give
    int64_t sent_us = 0;
  };

  int64_t TimeoutUs() const { return limits_.timeout_ms * 1000; }
  void StartConnecting(int64_t now_us);
  void SendBatch(int64_t now_us);
  void WriteFrame(Frame frame, const PeerBatch& batch, int64_t now_us);
  void WriteAsk(int64_t now_us);
  int64_t WaitUs() const { return std::min(limits_.batch_wait_us, TimeoutUs() / 2); }
  void DropQueueFront(size_t count);
  void Fail(const std::vector<uint64_t>& tokens);
  void GiveUpLate(int64_t now_us);
  void CountFailure(int64_t now_us);
  void Drop();
  void FailAll();
  void LearnClock(int64_t mono_ms, int64_t now_us);

  static constexpr uint64_t kNobody = 0;  // the token of a batch of no requests

  Host& host_;
  PeerLimits limits_;
  State state_ = State::kClosed;
  OwnerHealth health_;
  Counts counts_;

  std::deque<Waiting> queue_;
  std::string queue_bytes_;     // of those that wait, behind some that have left
  uint64_t queue_base_ = 0;     // which byte of all is queue_bytes_[0]
  uint64_t queue_begin_ = 0;    // and which is the first that waits
  bool urgent_ = false;         // one of them says NO_BATCHING
  bool asks_ = false;           // a batch of no requests waits for the link
  int64_t oldest_us_ = 0;       // when the first of them came
  int64_t connect_due_us_ = 0;  // while connecting or greeting

  uint64_t next_number_ = 1;
  std::deque<Frame> frames_;  // without an answer
  size_t in_flight_requests_ = 0;
  // The owner's time is at least ours plus this, in us: the best bound of the last kClockSpanUs to
  // twice that, for clocks drift.
  int64_t ClockOffsetUs() const { return std::max(clock_offset_us_, older_clock_offset_us_); }
  static constexpr int64_t kClockSpanUs = 10'000'000;
  int64_t clock_offset_us_ = 0;
  int64_t older_clock_offset_us_ = 0;
  int64_t clock_span_start_us_ = 0;
};

}  // namespace gub

#endif  // GUB_CLUSTER_PEER_LINK_H_
