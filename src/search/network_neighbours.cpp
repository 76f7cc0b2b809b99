#include "search/network_neighbours.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "search/network_mixes.h"
#include "topology/dealing.h"
#include "topology/topologies.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// The value that follows (step 1) or precedes (-1) another in a list.
template <class T>
std::optional<T> beside(std::vector<T> values, T at, int step) {
  std::sort(values.begin(), values.end());
  const auto found = std::find(values.begin(), values.end(), at);
  if (found == values.end()) return std::nullopt;
  const auto index = found - values.begin() + step;
  if (index < 0 || index >= static_cast<std::ptrdiff_t>(values.size())) return std::nullopt;
  return values[static_cast<std::size_t>(index)];
}

std::string percent(double ratio) { return fmt::format("{:+.1f}%", (ratio - 1) * 100); }

/// "price +12.0%, power +10.1%, exposed 1.65% to 2.30%": what gets worse, then what gets better.
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
  const double exposed = to.score.exposed_share - from.score.exposed_share;
  if (exposed != 0) {
    note(exposed > 0,
         fmt::format("exposed {} to {}", format_quantity(from.score.exposed_share, Unit::fraction),
                     format_quantity(to.score.exposed_share, Unit::fraction)));
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

NetworkNeighbours::NetworkNeighbours(const OptimizeInput& limits, std::int64_t domain,
                                     const std::vector<NetworkChoice>& choices)
    : limits_(limits), rails_(rails_to_try(limits, domain)), choices_(choices) {
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
  const auto add = [&](const std::string& change, auto Settings::*setting, auto value) {
    Settings wanted = at;
    wanted.*setting = std::move(value);
    out.push_back(neighbour(choice, change, std::move(wanted)));
  };
  for (const int step : {-1, 1}) {
    if (const auto p = beside(limits_.planes, at.planes, step))
      add(fmt::format("{} planes", *p), &Settings::planes, *p);
    if (const auto r = beside(rails_, at.rails, step); r && *r > 1 && at.rails > 1)
      add(fmt::format("{} rails", *r), &Settings::rails, *r);
    for (std::size_t b = 0; b < at.oversubscription.size(); ++b) {
      const auto o = beside(limits_.oversubscription, at.oversubscription[b], step);
      if (!o) continue;
      std::vector<double> changed = at.oversubscription;
      changed[b] = *o;
      add(fmt::format("{:g}:1 on tier {}", *o, b + 1), &Settings::oversubscription, std::move(changed));
    }
  }
  for (const RegisteredTopology& other : topologies()) {
    const bool one_network = other.topology->mix && !other.topology->dealing.over_rails();
    if (one_network && other.kind != at.topology && at.rails == 1)
      add(std::string(other.topology->mix->order), &Settings::topology, other.kind);
  }
  return out;
}

NetworkNeighbour NetworkNeighbours::neighbour(const NetworkChoice& from, const std::string& change,
                                              Settings wanted) const {
  // A change of planes or rails changes the tiers that are needed.
  auto found = by_settings_.find(wanted);
  for (std::int64_t tiers = 1; found == by_settings_.end() && tiers <= limits_.most_tiers; ++tiers) {
    wanted.tiers = tiers;
    wanted.oversubscription.resize(static_cast<std::size_t>(tiers - 1), 1);
    found = by_settings_.find(wanted);
  }
  if (found == by_settings_.end()) {
    NetworkNeighbour none;
    none.change = change;
    none.verdict = "cannot be built";
    return none;
  }
  const NetworkChoice& other = choices_[found->second];
  const bool beaten = std::any_of(choices_.begin(), choices_.end(),
                                  [&](const NetworkChoice& c) { return c.score.dominates(other.score); });
  return {change, other, !beaten, verdict(from, other)};
}

}  // namespace trainyard
