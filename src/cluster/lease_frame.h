// Lease frames: what crosses between the holders and the owners of leases, of many keys at once.
//
//   LeaseReport  holder -> owner   totals, what is asked for, how much is used
//   LeaseAnswer  owner -> holder   totals, what is lent, news; or, unasked, a recall or "reopened"
//
// A frame holds reports and answers of any keys from one process to one other; it may be lost,
// doubled, late and overtaken. It names both processes by node id, and only the one named may take
// it: a generation means something only between the two (G6, G11).
//
// A report of a 33-byte name and key takes about 60 bytes, an answer about 70.
//
// Threads:  pure functions.
// Memory:   what is read borrows from the string it was read from; what is appended is copied.
// Errors:   nothing for a string that is cut, has something left over, or says what no node of this
//           version sends: of a bad frame nothing is read.

#ifndef GUB_CLUSTER_LEASE_FRAME_H_
#define GUB_CLUSTER_LEASE_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/lease_terms.h"
#include "gub/types.h"

namespace gub {

// Which bucket an item is about.
struct LeaseKey {
  std::string_view name;
  std::string_view key;
  Algorithm algorithm = Algorithm::kToken;
  friend bool operator==(const LeaseKey&, const LeaseKey&) = default;
};

struct LeaseReport {
  LeaseKey key = {};
  LimitNumbers numbers = {};
  uint64_t number = 0;      // of this exchange; the answer repeats it
  uint64_t generation = 0;  // whose totals these are; 0: none
  uint64_t newest = 0;      // with 0: that and older ones this holder will not spend any more
  int64_t spent = 0;
  int64_t returned = 0;
  int64_t wanted = 0;   // hits asked at this node per sync interval, as it is now
  int64_t hits = 0;     // of one hit that the lease has no room for; 0: none is asked for
  bool denied = false;  // hits were denied here since the last report, when nothing was left
  friend bool operator==(const LeaseReport&, const LeaseReport&) = default;
};

// What became of the hit that was asked for.
enum class LeaseVerdict : uint8_t {
  kNone,     // none was asked for
  kLent,     // the lease has grown by it
  kDenied,   // it is over the limit
  kForward,  // no lease; to be forwarded as without GLOBAL
  kSpent,    // never but in tests without G7: the owner has spent it
};

struct LeaseAnswer {
  LeaseKey key = {};
  uint64_t number = 0;  // 0: nobody asked
  LeaseVerdict verdict = LeaseVerdict::kNone;
  // The generation that was reported, and the totals that the owner knows of it: not known, it is
  // over. `recall`: nothing more of it is to be spent.
  uint64_t about = 0;
  bool about_is_known = false;
  int64_t spent = 0;
  int64_t returned = 0;
  int64_t about_lent = 0;
  bool recall = false;
  // The generation that the owner lends from, 0: none; and how long that may be spent, counted from
  // the moment at which the report left.
  uint64_t generation = 0;
  int64_t lent = 0;
  int64_t term_ms = 0;
  // News: the bucket as the owner knows it; of this holder's generation it contains `contained`.
  int64_t remaining = 0;
  int64_t contained = 0;
  int64_t reset_ms = 0;     // passed on as it is, compared with no clock
  int64_t reset_in_ms = 0;  // the same as a duration
  bool marked = false;
  bool reopened = false;  // nothing was left, and something is again
  // Of a denied hit; and how long, from when the report left, all hits may be denied alike.
  int64_t retry_after_ms = 0;
  int64_t denial_ms = 0;
  friend bool operator==(const LeaseAnswer&, const LeaseAnswer&) = default;
};

struct LeaseFrame {
  std::string_view from;  // node ids
  std::string_view to;
  std::vector<LeaseReport> reports;
  std::vector<LeaseAnswer> answers;
};

// What a frame may hold.
struct LeaseFrameLimits {
  size_t max_items = 10'000;
  size_t max_key_bytes = 4096;
  static constexpr size_t kMaxIdBytes = 256;
};

// A frame that is made item by item, each copied as it comes.
class LeaseFrameBuilder {
 public:
  void Add(const LeaseReport& report);
  void Add(const LeaseAnswer& answer);
  size_t count() const { return reports_ + answers_; }
  size_t bytes() const { return report_bytes_.size() + answer_bytes_.size(); }
  // The whole frame; the next one starts empty.
  std::string Take(std::string_view from, std::string_view to);

 private:
  size_t reports_ = 0;
  size_t answers_ = 0;
  std::string report_bytes_;
  std::string answer_bytes_;
};

void AppendLeaseFrame(const LeaseFrame& frame, std::string* bytes);
std::optional<LeaseFrame> ReadLeaseFrame(std::string_view bytes, const LeaseFrameLimits& limits);

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_FRAME_H_
