// Connection: one accepted TCP connection: bytes in, bytes out, in batches.
//
// A read batch is what one read(2) brought (at most Loop::kReadBytes) behind what was left over
// before. The handler consumes as much of it as it can and appends its replies to one buffer, which
// is written in one go when the batch ends. What the kernel does not take at once waits in the
// connection, and while anything waits nothing more is read or run: a client that does not read
// stops itself, not the node. Three bounds hold the memory of a connection: the handler pauses
// after ReplySoftLimit() bytes of replies, more than max_unsent_bytes closes the connection, and so
// does an unfinished request of more than max_pending_bytes.
//
//   state     | reads | runs requests | leaves it when
//   ----------+-------+---------------+--------------------------------------------
//   open      |  yes  |      yes      | a write is not taken whole -> blocked
//   blocked   |  no   |      no       | all is written -> open (or closing)
//   closing   |  no   |      no       | all is written and the FIN sent -> lingering or closed
//   lingering |  yes  |      no       | the other end closes, or kLingerMs have passed -> closed
//   closed    |  no   |      no       | libuv has let go -> OnClosed
//
// It lingers where the other end may have sent more than was read: closed at once, the kernel would
// tell it of a broken connection, and not hand it what was written last (RFC 9112, section 9.6).
// What comes while it lingers is thrown away.
//
// Threads:  loop-confined.
// Memory:   the owner destroys it after OnClosed, never before.

#ifndef GUB_NET_CONNECTION_H_
#define GUB_NET_CONNECTION_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_buffer.h"
#include "base/counters.h"
#include "net/loop.h"
#include "net/timer.h"

namespace gub {

class ConnectionHandler {
 public:
  enum class Next {
    kRead,    // all that is whole has been run; call again with more
    kPause,   // enough replies for now; call again when they are written
    kWait,    // replies are still to come; read no more and call again at Wake
    kClose,   // write the replies, then close; nothing after this is run
    kLinger,  // the same, and linger
    kDrop,    // close at once, without the replies
  };
  struct Progress {
    size_t consumed;  // bytes at the front of the input that are done with
    Next next;
  };

  virtual ~ConnectionHandler() = default;

  // Runs what is whole in `input` and appends the replies to *replies. After Wake it is called also
  // when there is no input.
  // While the connection is blocked, nothing may be appended.
  virtual Progress OnInput(std::string_view input, ByteBuffer* replies) = 0;

  // How many bytes the connection now holds of requests that are not whole and of replies that are
  // not sent; called when that has changed, and not from within OnInput.
  virtual void OnHeld(size_t pending_bytes, size_t unsent_bytes) {
    static_cast<void>(pending_bytes);
    static_cast<void>(unsent_bytes);
  }

  // Whether replies are still to come, by Wake: the connection is not closed before they are
  // written, unless it is by Close.
  virtual bool HasPending() const { return false; }

  // The connection is closed; the handler may destroy it, and itself, now.
  virtual void OnClosed() = 0;
};

class Connection {
 public:
  static constexpr int64_t kLingerMs = 1000;

  struct Limits {
    size_t max_pending_bytes;  // of a request that is not whole yet
    size_t max_unsent_bytes;
    int keepalive_s;  // 0: off
    // Whether input is read while output waits for the other end. Not for whoever answers what he
    // reads: that is how he would run out of memory. But one of two that both write must, or
    // neither would ever read again.
    bool reads_while_blocked = false;
  };

  // Replies of one batch after which a handler should pause.
  size_t ReplySoftLimit() const {
    constexpr size_t kReplyBytes = 256 * 1024;
    return std::min(kReplyBytes, limits_.max_unsent_bytes / 2);
  }

  Connection(Loop* loop, ConnectionHandler* handler, CounterSet* counters, Limits limits);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Takes the descriptor of an accepted connection, whose owner it is from then on, also when it
  // fails. Whether it worked: until then nothing but Close may be called.
  bool Open(int fd);

  // Starts reading. REQUIRES: open.
  void Start();

  // From now on.
  void set_limits(const Limits& limits);

  // "host:port" of the other end and of ours; "?:0" when the connection is gone.
  // REQUIRES: open.
  std::string PeerAddress() const;
  std::string LocalAddress() const;
  // Whether the other end is on this machine, by its address.
  bool IsFromLoopback() const;
  // -1 when the connection is gone.
  int fd() const;

  // Whether bytes wait for the other end to take them.
  bool IsBlocked() const { return state_ == State::kBlocked; }

  // The handler has replies that it had not when it was called last, or takes input again.
  void Wake();

  // Writes `text`, then closes; before that it lingers, or not. REQUIRES: open, not started.
  void Refuse(std::string_view text, bool lingers);

  // Answers what has arrived so far, whole requests only, and then closes. The rest of a long
  // pipeline may still be on its way, or with the sender's kernel: a connection that looks like it
  // stays until it was silent from one call to the next, so call this again every so often.
  void CloseWhenDrained();

  // Closes at once; what waits to be written is lost.
  void Close();

  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&tcp_); }

 private:
  enum class State { kOpen, kBlocked, kClosing, kLingering, kClosed };

  void OnRead(ssize_t count);
  void OnEnd();
  void RunBatches(std::string_view input, bool woken);
  void RunBlocked(std::string_view input);
  void KeepRest(std::string_view input, size_t consumed);
  void Send(ByteBuffer* replies);
  void CloseUnread(size_t unsent_bytes);
  void OnSent(int status);
  void FinishIfDrained();
  void CloseGracefully();
  void Linger();
  void StartReading();
  void StopReading();
  void ReadOn();
  void SetKeepalive();
  void ReportHeld();
  bool KernelHasInput() const;
  bool ExpectsMore() const;

  Loop* const loop_;
  ConnectionHandler* const handler_;
  CounterSet* const counters_;
  Limits limits_;

  uv_tcp_t tcp_;
  uv_write_t write_;
  uv_shutdown_t shutdown_;
  State state_ = State::kOpen;
  bool reading_ = false;
  bool waiting_ = false;      // the handler has said kWait
  bool ended_ = false;        // the client sends no more
  bool draining_ = false;     // CloseWhenDrained was called
  bool close_after_ = false;  // once what waits is written
  bool lingers_ = false;      // before it closes
  bool heard_ = false;        // since the last CloseWhenDrained
  size_t last_read_bytes_ = 0;
  size_t reported_pending_bytes_ = 0;
  size_t reported_unsent_bytes_ = 0;
  ByteBuffer pending_;  // input that is not consumed yet
  ByteBuffer unsent_;   // with libuv, while blocked
  std::unique_ptr<Timer> linger_timer_;
};

}  // namespace gub

#endif  // GUB_NET_CONNECTION_H_
