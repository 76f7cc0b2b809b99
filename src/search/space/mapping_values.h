// Counts of [mapping] that a search leaves free: points that differ in nothing else share all the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/scenario/mapping.h"

namespace trainyard {

class FreeSettings;

class MappingValues {
 public:
  explicit MappingValues(const FreeSettings& free);

  /// For each free setting, whether it is such a count.
  std::vector<bool> held() const;
  /// Whether a setting is one.
  bool holds(std::size_t setting) const { return counts_[setting].copy != nullptr; }

  /// Gives a mapping the values of a choice. False: one of them is none that a count can have.
  bool apply(std::span<const std::size_t> choice, MappingInput& mapping) const;
  /// The same of one setting that is a count.
  bool apply(std::size_t setting, std::size_t value, MappingInput& mapping) const;

 private:
  struct Count {
    void (*copy)(MappingInput& to, const MappingInput& from) = nullptr;
    std::vector<std::optional<MappingInput>> values;  // nothing: refused
  };
  std::vector<Count> counts_;  // of each free setting
};

}  // namespace trainyard
