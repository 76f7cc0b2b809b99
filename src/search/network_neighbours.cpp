#include "search/network_neighbours.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "search/network_mixes.h"
#include "topology/dealing.h"
#include "topology/topologies.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

constexpr double kLostRounding = 1e-9;

/// The value that follows (step 1) or precedes (-1) another in a list.
template <class T>
std::optional<T> next_to(std::vector<T> values, T at, int step) {
  std::sort(values.begin(), values.end());
  const auto found = std::find(values.begin(), values.end(), at);
  if (found == values.end()) return std::nullopt;
  const auto index = found - values.begin() + step;
  if (index < 0 || index >= static_cast<std::ptrdiff_t>(values.size())) return std::nullopt;
  return values[static_cast<std::size_t>(index)];
}

std::string percent(double ratio) { return fmt::format("{:+.1f}%", (ratio - 1) * 100); }

/// "price +12.0%, power +10.1%, lost 1.65% to 2.30%": what gets worse, then what gets better.
std::string verdict(const NetworkChoice& from, const NetworkChoice& to) {
  std::string worse;
  std::string better;
  const auto note = [&](bool is_worse, const std::string& text) {
    std::string& list = is_worse ? worse : better;
    list += (list.empty() ? "" : ", ") + text;
  };
  const double price = to.score.price / from.score.price;
  const double power = to.score.power / from.score.power;
  if (std::abs(price - 1) > 5e-4) note(price > 1, "price " + percent(price));
  if (std::abs(power - 1) > 5e-4) note(power > 1, "power " + percent(power));
  const double lost = to.score.lost_share - from.score.lost_share;
  if (lost != 0) {
    note(lost > 0, fmt::format("lost {} to {}", format_quantity(from.score.lost_share, Unit::fraction),
                               format_quantity(to.score.lost_share, Unit::fraction)));
  }
  const double kept = to.score.kept - from.score.kept;
  if (std::abs(kept) > 1e-9) {
    note(kept < 0, fmt::format("one switch down leaves {} in place of {}",
                               format_quantity(to.score.kept, Unit::fraction),
                               format_quantity(from.score.kept, Unit::fraction)));
  }
  if (worse.empty() && better.empty()) return "the same";
  if (worse.empty()) return "better: " + better;
  return better.empty() ? worse : worse + "; but " + better;
}

}  // namespace

NetworkNeighbours::NetworkNeighbours(const OptimizeInput& limits, std::int64_t domain, double lost,
                                     const NetworkRequirements& requirements,
                                     std::vector<NetworkChoice>& choices,
                                     const std::vector<FrontMember>& front)
    : limits_(limits),
      rails_(rails_to_try(limits, domain)),
      lost_(lost),
      requirements_(requirements),
      choices_(choices),
      front_(front) {
  for (std::size_t i = 0; i < choices.size(); ++i) by_settings_[settings_of(choices[i])] = i;
}

NetworkNeighbours::Settings NetworkNeighbours::settings_of(const NetworkChoice& choice) {
  const DesignInput& input = choice.input;
  return {input.switch_name,       input.topology, input.planes,
          input.rails.value_or(1), choice.tiers,   input.rails_per_switch.value_or(0),
          input.oversubscription};
}

std::vector<NetworkNeighbour> NetworkNeighbours::of(const NetworkChoice& choice) const {
  const Settings at = settings_of(choice);
  std::vector<NetworkNeighbour> out;
  for (const int step : {-1, 1}) {
    if (const auto p = next_to(limits_.planes, at.planes, step)) {
      out.push_back(cheapest(choice, counted(*p, "plane"),
                             [&](const NetworkChoice& c) { return c.input.planes == *p; }));
    }
    if (const auto r = next_to(rails_, at.rails, step); r && *r > 1 && at.rails > 1) {
      out.push_back(
          cheapest(choice, counted(*r, "rail"), [&](const NetworkChoice& c) { return c.input.rails == *r; }));
    }
    for (std::size_t b = 0; b < at.oversubscription.size(); ++b) {
      const auto o = next_to(limits_.oversubscription, at.oversubscription[b], step);
      if (!o) continue;
      Settings wanted = at;
      wanted.oversubscription[b] = *o;
      out.push_back(exactly(choice, fmt::format("{:g}:1 on tier {}", *o, b + 1), wanted));
    }
  }
  for (const RegisteredTopology& other : topologies()) {
    const bool one_network = other.topology->mix && !other.topology->dealing.over_rails();
    if (!one_network || other.kind == at.topology || at.rails != 1) continue;
    out.push_back(cheapest(choice, std::string(other.topology->mix->order),
                           [&](const NetworkChoice& c) { return c.input.topology == other.kind; }));
  }
  return out;
}

template <class Wanted>
NetworkNeighbour NetworkNeighbours::cheapest(const NetworkChoice& from, const std::string& change,
                                             const Wanted& wanted) const {
  const double most = std::max(from.score.lost_share, lost_) + kLostRounding;
  NetworkChoice* carrying = nullptr;
  NetworkChoice* least = nullptr;
  const auto take_less = [](NetworkChoice*& best, NetworkChoice& c) {
    if (!best || c.score.lost_share < best->score.lost_share) best = &c;
  };
  for (NetworkChoice& c : choices_) {
    if (c.input.switch_name != from.input.switch_name || !wanted(c)) continue;
    take_less(least, c);
    const bool useful =
        c.score.lost_share <= most || !carrying || c.score.lost_share < carrying->score.lost_share;
    if (!useful || !requirements_.met(c)) continue;
    if (c.score.lost_share <= most) return beside(from, change, &c);
    take_less(carrying, c);
  }
  return beside(from, change, carrying ? carrying : least);
}

NetworkNeighbour NetworkNeighbours::exactly(const NetworkChoice& from, const std::string& change,
                                            const Settings& wanted) const {
  const auto found = by_settings_.find(wanted);
  return beside(from, change, found == by_settings_.end() ? nullptr : &choices_[found->second]);
}

NetworkNeighbour NetworkNeighbours::beside(const NetworkChoice& from, const std::string& change,
                                           NetworkChoice* other) const {
  if (!other) {
    NetworkNeighbour none;
    none.change = change;
    none.verdict = "cannot be built";
    return none;
  }
  const std::string missed = requirements_.missed(*other);
  const bool beaten = std::any_of(front_.begin(), front_.end(), [&](const FrontMember& m) {
    return m.choice.score.dominates(other->score);
  });
  std::string why = verdict(from, *other);
  if (!missed.empty()) why = "does not carry " + missed + "; " + why;
  return {change, *other, !beaten && missed.empty(), why};
}

}  // namespace trainyard
