// Calendar: the periods minute, hour, day, week, month, year of one time zone (spec: Calendar).
//
// A period ends with the first ms of the next one. Minutes and hours are floors of local time at
// the zone's present offset; days and longer are civil time. An end is always later than now, also
// in the hour that a zone repeats.
//
// Threads:  Immutable.
// Time:     Unix ms in and out; ends that leave int64 stay at its end.

#ifndef GUB_LIMIT_CALENDAR_H_
#define GUB_LIMIT_CALENDAR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "gub/types.h"

namespace gub {

class Calendar {
 public:
  // UTC.
  Calendar();

  // The calendar of an IANA zone ("Europe/Berlin"); nothing when this machine does not know it.
  static std::optional<Calendar> ForZone(const std::string& iana_name);

  // The first ms after the period that contains now_ms.
  int64_t EndMs(CalendarUnit unit, int64_t now_ms) const;

  // How long the period that contains now_ms is; at least 1.
  int64_t LengthMs(CalendarUnit unit, int64_t now_ms) const;

 private:
  explicit Calendar(absl::TimeZone zone) : zone_(zone) {}
  absl::TimeZone zone_;
};

}  // namespace gub

#endif  // GUB_LIMIT_CALENDAR_H_
