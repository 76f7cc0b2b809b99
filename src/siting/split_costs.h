// What a set of places costs as a split: power, round trip, money and carbon, without allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "facility/geo.h"
#include "siting/splits.h"
#include "trainyard/units.h"

namespace trainyard {

/// What two powers may differ by and still be equal.
inline constexpr Megawatts kSplitRounding(1e-9);

/// A set of places under construction: no allocation in the innermost loop.
struct PlaceSet {
  std::array<std::uint32_t, kMostSplitSites> at{};
  std::size_t size = 0;
};

/// What a set costs, before it is worth keeping.
struct SetCosts {
  std::array<Megawatts, kMostSplitSites> power{};
  Milliseconds rtt;
  UsdPerYear cost;
  UsdPerYear fibre_cost;
  TonnesPerYear co2;
  double slowdown = 1;  // 1 until somebody asks
};

/// In all but the time of training.
inline bool dominates(const SetCosts& a, const SetCosts& b) {
  return a.rtt <= b.rtt && a.cost <= b.cost && a.co2 <= b.co2;
}

/// Allocations and costs of sets of one question's places. Sides of a set are squares of chords. Places and
/// question have to outlive it.
class SplitCosts {
 public:
  SplitCosts(const std::vector<SplitPlace>& places, const SplitQuestion& question);

  /// Absent where the set cannot take the power. `longest`: its longest side.
  std::optional<SetCosts> of(const PlaceSet& set, double longest) const;

  double farthest(const PlaceSet& set) const;
  bool spread_holds(const PlaceSet& set) const;

  /// The longest side of the set with one more place; negative when that is too near to another.
  double with_place(const PlaceSet& set, std::uint32_t place, double most) const {
    for (std::size_t i = 0; i < set.size; ++i) {
      const double side = chord(set.at[i], place);
      if (side <= apart_squared_) return -1;
      most = std::max(most, side);
    }
    return most;
  }

  /// Time of training over that of sites that exchange in no time.
  double slowdown(const PlaceSet& set, const SetCosts& costs) const;

 private:
  bool divide(const PlaceSet& set, SetCosts& out) const;
  UsdPerMegawattHour price(const PlaceSet& set, std::size_t i) const { return places_[set.at[i]].price; }
  double chord(std::uint32_t a, std::uint32_t b) const { return chord_squared(vectors_[a], vectors_[b]); }

  const std::vector<SplitPlace>& places_;
  const SplitQuestion& q_;
  std::vector<UnitVector> vectors_;
  double apart_squared_ = 0;
};

}  // namespace trainyard
