#include "report/data/exposed_words.h"

#include <fmt/core.h>

#include "report/data/show.h"
#include "trainyard/exposed_errors.h"

namespace trainyard {
namespace {

std::string shares_text(const ExposedInterval& exposed) {
  return fmt::format("{} to {}", show_share(exposed.share_low), show_share(exposed.share_high));
}

}  // namespace

std::string exposed_with_interval(const Interval& step, double share) {
  const ExposedInterval exposed = exposed_interval(step, share);
  if (exposed.time.high <= 1) return show_share(share);
  return fmt::format("{} ({})", show_share(share), shares_text(exposed));
}

std::string exposed_range_text(Seconds step, const Interval& interval, double share) {
  const ExposedInterval exposed = exposed_interval(interval, share);
  const Seconds time = step * share;
  return fmt::format("{} to {}, {} of a step", show(time * exposed.time.low), show(time * exposed.time.high),
                     shares_text(exposed));
}

std::string exposed_of_step_text(Seconds step, const Interval& interval, double share) {
  std::string text = fmt::format("{} = {}", show(step * share), show_share(share));
  if (exposed_interval(interval, share).time.high <= 1) return text;
  return text + "; 80% interval " + exposed_range_text(step, interval, share);
}

}  // namespace trainyard
