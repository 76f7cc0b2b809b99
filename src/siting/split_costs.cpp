#include "siting/split_costs.h"

#include "facility/geo.h"

namespace trainyard {
namespace {

constexpr HoursPerYear kAlways(8760);
constexpr Megawatts kNothing(0);
constexpr Megawatts kUnlimited(1e300);

Kilometres ground(double chord_squared) { return Kilometres(km_of_chord_squared(chord_squared)); }

}  // namespace

SplitCosts::SplitCosts(const std::vector<SplitPlace>& places, const SplitQuestion& question)
    : places_(places), q_(question) {
  for (const SplitPlace& place : places) vectors_.push_back(unit_vector(place.at));
  const double apart = chord_of_km(q_.separation.count());
  apart_squared_ = apart * apart;
}

std::optional<SetCosts> SplitCosts::of(const PlaceSet& set, double longest) const {
  SetCosts out;
  if (!divide(set, out)) return std::nullopt;
  out.rtt = ground(longest) * q_.pace;
  const HoursPerYear hours = kAlways * q_.load;
  for (std::size_t i = 0; i < set.size; ++i) {
    const SplitPlace& place = places_[set.at[i]];
    out.cost += out.power[i] * hours * place.price;
    if (out.power[i] > Megawatts()) out.co2 += as<TonnesPerYear>(out.power[i] * hours * place.co2);
  }
  if (q_.fibre_price > FibrePrice()) {
    for (std::size_t i = 0; i < set.size; ++i) {
      for (std::size_t j = i + 1; j < set.size; ++j)
        out.fibre_cost +=
            q_.fibre_price * std::min(out.power[i], out.power[j]) * ground(chord(set.at[i], set.at[j]));
    }
    out.cost += out.fibre_cost;
  }
  return out;
}

/// Least shares first, then the cheapest places up to what they and their authorities give.
bool SplitCosts::divide(const PlaceSet& set, SetCosts& out) const {
  const Megawatts least = q_.least_share * q_.power;
  std::array<Megawatts, kMostSplitSites> room{};  // of the authority, kept at its first place in the set
  std::array<std::size_t, kMostSplitSites> group{};
  for (std::size_t i = 0; i < set.size; ++i) {
    const SplitPlace& place = places_[set.at[i]];
    if (place.available < least - kSplitRounding) return false;
    group[i] = i;
    for (std::size_t j = 0; j < i && group[i] == i; ++j) {
      if (places_[set.at[j]].authority == place.authority) group[i] = group[j];
    }
    if (group[i] == i) room[i] = place.spare.value_or(kUnlimited);
    room[group[i]] -= least;
    out.power[i] = least;
  }
  Megawatts left = q_.power - least * static_cast<double>(set.size);
  if (left < kNothing - kSplitRounding) return false;
  std::array<std::uint8_t, kMostSplitSites> order{};
  for (std::size_t i = 0; i < set.size; ++i) {
    if (room[group[i]] < kNothing - kSplitRounding) return false;
    std::size_t at = i;  // insertion sort by price, stable
    for (; at > 0 && price(set, order[at - 1]) > price(set, i); --at) order[at] = order[at - 1];
    order[at] = static_cast<std::uint8_t>(i);
  }
  for (std::size_t o = 0; o < set.size && left > kNothing; ++o) {
    const std::size_t i = order[o];
    const Megawatts more =
        std::max(kNothing, std::min({left, places_[set.at[i]].available - least, room[group[i]]}));
    out.power[i] += more;
    room[group[i]] -= more;
    left -= more;
  }
  return left <= kSplitRounding;
}

double SplitCosts::farthest(const PlaceSet& set) const {
  double most = 0;
  for (std::size_t i = 0; i < set.size; ++i) {
    for (std::size_t j = i + 1; j < set.size; ++j) most = std::max(most, chord(set.at[i], set.at[j]));
  }
  return most;
}

bool SplitCosts::spread_holds(const PlaceSet& set) const {
  if (q_.spread == SpreadRule::any) return true;
  bool same_authority = false;
  bool two_interconnections = false;
  for (std::size_t i = 0; i < set.size; ++i) {
    for (std::size_t j = i + 1; j < set.size; ++j) {
      same_authority |= places_[set.at[i]].authority == places_[set.at[j]].authority;
      two_interconnections |= places_[set.at[i]].interconnection != places_[set.at[j]].interconnection;
    }
  }
  return q_.spread == SpreadRule::authorities ? !same_authority : two_interconnections;
}

double SplitCosts::slowdown(const PlaceSet& set, const SetCosts& costs) const {
  SplitShape shape;
  shape.sites = set.size;
  for (std::size_t i = 0; i < set.size; ++i) {
    shape.share[i] = costs.power[i] / q_.power;
    for (std::size_t j = 0; j < i; ++j)
      shape.rtt[i][j] = shape.rtt[j][i] = ground(chord(set.at[i], set.at[j])) * q_.pace;
  }
  return q_.training->slowdown(shape);
}

}  // namespace trainyard
