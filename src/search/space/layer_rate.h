// How fast a plan can be at most, by what its layers take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/space/mapping_values.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

class FreeSettings;
struct Plan;

/// The mappings of a space, as far as what they compute of a layer differs.
class LayerMappings {
 public:
  LayerMappings(const FreeSettings& free, const MappingValues& counts);

  /// Points of the space that share facility and model.
  double points_each() const { return points_each_; }
  /// Combinations of the settings that are no counts of [mapping].
  double facilities() const { return facilities_; }

  /// The most tokens a second that any mapping of a begun plan's devices trains on, in whatever pipeline,
  /// with whatever replicas; nothing where there are more than so many, or none has a plan. Throws InputError
  /// for networks that contradict each other.
  std::optional<double> most_tokens_per_second(const Plan& begun, double most_mappings) const;

 private:
  std::optional<MappingInput> mapping(std::uint64_t number, MappingInput like) const;

  const MappingValues& counts_;
  std::vector<std::size_t> values_;    // of each free setting, how many
  std::vector<std::size_t> settings_;  // those that layers go by
  double count_ = 1;
  double points_each_ = 1;
  double facilities_ = 1;
};

}  // namespace trainyard
