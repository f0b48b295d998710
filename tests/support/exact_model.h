// The slow reference for limit/: both algorithms written a second time from the contract, on
// integers without end and exact fractions, with a calendar of its own (UTC). Where the contract
// says that a value stays at int64's end, it is cut there by name; nothing else can overflow.
//
// Threads:  plain values.
// Time:     as limit/token.h and limit/leaky.h.

#ifndef GUB_TESTS_SUPPORT_EXACT_MODEL_H_
#define GUB_TESTS_SUPPORT_EXACT_MODEL_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>

#include "gub/types.h"
#include "limit/leaky.h"
#include "limit/token.h"

namespace gub {

// Without expression templates, so that `auto` and ?: mean what they say.
using BigInt = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                             boost::multiprecision::et_off>;
using Fraction = boost::multiprecision::number<
    boost::multiprecision::rational_adaptor<boost::multiprecision::cpp_int_backend<>>,
    boost::multiprecision::et_off>;

struct ExactSpan {
  BigInt start_ms;
  BigInt end_ms;  // the first ms of the next period
};

// The UTC period that contains now_ms.
ExactSpan ExactPeriodAt(CalendarUnit unit, const BigInt& now_ms);

// One token bucket.
class ExactToken {
 public:
  using State = TokenState;

  Decision Hit(const Request& request, int64_t clock_ms);

  // What ApplyToken should have left.
  std::optional<TokenState> Expected() const;

 private:
  struct Window {
    BigInt open_ms, end_ms, used, last_ms;
    Period period;
    bool marked;
  };

  static Window NewWindow(Period period, const BigInt& now_ms);
  std::optional<Window> Find(const Request& request, const BigInt& now_ms) const;
  static LimitStatus Take(const Request& request, Window* window);
  static LimitStatus Refund(const Request& request, Window* window);

  std::optional<Window> window_;
};

// One leaky bucket.
class ExactLeaky {
 public:
  using State = LeakyState;

  Decision Hit(const Request& request, int64_t clock_ms);

  // What ApplyLeaky should have left.
  std::optional<LeakyState> Expected() const;

 private:
  struct Bucket {
    Fraction used = 0;  // hits, whatever the duration; 0 is no state
    BigInt last_ms, limit, duration_ms;
    bool marked = false;
  };

  Bucket Find(const Request& request, const BigInt& now_ms) const;
  static BigInt Room(const Request& request, const Bucket& bucket);
  static LimitStatus Take(const Request& request, Bucket* bucket);
  static LimitStatus Refund(const Request& request, Bucket* bucket);

  Bucket bucket_;
};

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_EXACT_MODEL_H_
