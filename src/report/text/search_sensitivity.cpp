#include "report/text/search_sensitivity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "trainyard/quantity_text.h"
#include "trainyard/search.h"
#include "trainyard/search_sensitivity.h"

namespace trainyard {
namespace {

std::string value_text(const SearchMeasure& objective, double value) {
  return format_quantity(value, objective.unit);
}

/// " (4.460 years to 5.340 years)": of a value that goes by times, at both ends of their interval.
std::string range_text(const SearchMeasure& objective, double value, const Interval& interval) {
  if (interval.low == interval.high) return {};
  const double one = value * std::pow(interval.low, objective.time_power);
  const double other = value * std::pow(interval.high, objective.time_power);
  return fmt::format(" ({} to {})", value_text(objective, std::min(one, other)),
                     value_text(objective, std::max(one, other)));
}

std::string rival_text(const SearchMeasure& objective, const SearchRival& rival) {
  return fmt::format("   {}: {}{}: {}\n", rival.setting, value_text(objective, rival.objective),
                     range_text(objective, rival.objective, rival.interval),
                     rival.may_win
                         ? "may be the best: the errors of the two are larger than what is between them"
                         : "is not the best within the errors of the two");
}

std::string world_text(const SearchMeasure& objective, const SearchWorld& world) {
  const std::string head = "   " + world.change + ": ";
  if (!world.refused.empty()) return head + "not of this scenario: " + world.refused + "\n";
  if (!world.objective) return head + "no answer\n";
  const std::string best = value_text(objective, *world.objective);
  if (world.same_choice) return head + best + ", the same choice\n";
  if (!world.winner) return head + best + ", another choice; what is chosen now is no answer there\n";
  constexpr double kPercent = 100;
  return head + fmt::format("{}, another choice; what is chosen now gets {} ({:+.2f}%)\n", best,
                            value_text(objective, *world.winner),
                            (*world.winner / *world.objective - 1) * kPercent);
}

/// Those where the winner stays, and those that the scenario does not take, in a line each.
std::string unchanged_text(const SearchMeasure& objective, const std::vector<SearchWorld>& worlds) {
  std::vector<const SearchWorld*> same;
  std::size_t refused = 0;
  for (const SearchWorld& world : worlds) {
    if (!world.refused.empty()) ++refused;
    if (world.objective && world.same_choice) same.push_back(&world);
  }
  std::string out;
  if (!same.empty()) {
    const auto [least, most] = std::minmax_element(
        same.begin(), same.end(),
        [](const SearchWorld* a, const SearchWorld* b) { return *a->objective < *b->objective; });
    out += fmt::format("   at {} of {} ends the same choice, {} ({}) to {} ({})\n", same.size(),
                       worlds.size(), value_text(objective, *(*least)->objective), (*least)->change,
                       value_text(objective, *(*most)->objective), (*most)->change);
  }
  if (refused > 0) out += fmt::format("   {} are not of this scenario (--json says why)\n", refused);
  return out;
}

std::string assumptions_text(const SearchMeasure& objective, const std::vector<SearchWorld>& worlds) {
  if (worlds.empty()) return {};
  std::string out =
      "   where what is assumed is at an end of what is plausible (trainyard catalog list assumptions):\n";
  for (const SearchWorld& world : worlds) {
    const bool changes = world.refused.empty() && !(world.objective && world.same_choice);
    if (changes) out += world_text(objective, world);
  }
  return out + unchanged_text(objective, worlds);
}

}  // namespace

std::string sensitivity_text(const SearchMeasure& objective, const SearchSensitivity& s) {
  std::string out = "\ndoes the winner change?\n";
  constexpr double kPercent = 100;
  if (s.interval.low == s.interval.high) {
    out += "   its times: " + s.interval.basis + "\n";
  } else {
    out += fmt::format("   its times: {:+.1f}% to {:+.1f}%, four in five ({})\n",
                       (s.interval.low - 1) * kPercent, (s.interval.high - 1) * kPercent, s.interval.basis);
  }
  for (const SearchRival& rival : s.rivals) out += rival_text(objective, rival);
  for (const SearchWorld& world : s.worlds) out += world_text(objective, world);
  return out + assumptions_text(objective, s.assumptions);
}

}  // namespace trainyard
