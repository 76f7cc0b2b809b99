// Times of day and date, as public traces write them.
#include <array>
#include <charconv>

#include "jobs/job_table.h"

namespace trainyard {
namespace {

constexpr double kDay_s = 86400;
constexpr double kHour_s = 3600;
constexpr double kMinute_s = 60;

/// Days from 1970-01-01 to a date of the Gregorian calendar; March is the first month of the year here, so
/// that the day that leap years add is its last.
std::int64_t days_to(std::int64_t year, std::int64_t month, std::int64_t day) {
  constexpr std::int64_t kDaysOfEra = 146097;  // of 400 years
  constexpr std::int64_t kDaysBefore1970 = 719468;
  if (month <= 2) --year;
  const std::int64_t era = year / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * kDaysOfEra + of_era * 365 + of_era / 4 - of_era / 100 + of_year - kDaysBefore1970;
}

std::int64_t days_of_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<std::size_t>(month - 1)] + (leap && month == 2 ? 1 : 0);
}

/// Takes digits and letters from the front of a text.
class Front {
 public:
  explicit Front(std::string_view text) : rest_(text) {}

  /// A number of exactly so many digits, from least to most.
  std::int64_t digits(std::size_t count, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') return fail();
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value < least || value > most ? fail() : value;
  }
  bool take(char letter) {
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char letter) {
    if (!take(letter)) good_ = false;
  }
  /// What stands after a decimal point, if there is one.
  double fraction() {
    double value = 0;
    double place = 1;
    if (!take('.')) return 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      place /= 10;
      value += place * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  bool done() const { return good_ && rest_.empty(); }
  bool good() const { return good_; }

 private:
  std::int64_t fail() {
    good_ = false;
    return 1;
  }

  std::string_view rest_;
  bool good_ = true;
};

/// Seconds that clocks of the zone are ahead of UTC.
double zone_seconds(Front& text) {
  if (text.take('Z')) return 0;
  const bool west = text.take('-');
  if (!west && !text.take('+')) return 0;
  const double hours = static_cast<double>(text.digits(2, 0, 14));
  text.take(':');
  const double ahead = hours * kHour_s + static_cast<double>(text.digits(2, 0, 59)) * kMinute_s;
  return west ? -ahead : ahead;
}

}  // namespace

std::optional<double> calendar_seconds(std::string_view text) {
  constexpr std::int64_t kFirstYear = 1970;
  constexpr std::int64_t kLastYear = 2999;
  Front front(text);
  const std::int64_t year = front.digits(4, kFirstYear, kLastYear);
  front.need('-');
  const std::int64_t month = front.digits(2, 1, 12);
  front.need('-');
  const std::int64_t day = front.digits(2, 1, 31);
  if (!front.good() || day > days_of_month(year, month)) return std::nullopt;
  if (!front.take('T')) front.need(' ');
  const double hour = static_cast<double>(front.digits(2, 0, 23));
  front.need(':');
  const double minute = static_cast<double>(front.digits(2, 0, 59));
  front.need(':');
  const double second = static_cast<double>(front.digits(2, 0, 60)) + front.fraction();
  const double zone = zone_seconds(front);
  if (!front.done()) return std::nullopt;
  return static_cast<double>(days_to(year, month, day)) * kDay_s + hour * kHour_s + minute * kMinute_s +
         second - zone;
}

}  // namespace trainyard
