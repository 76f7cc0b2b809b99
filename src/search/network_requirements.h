// What [optimize] requires of a network beside the plan's own traffic.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/scenario/designs.h"

namespace trainyard {

class NetworkScores;
struct NetworkChoice;

/// One requirement: its setting, and what of a choice it is about.
struct RequirementKind {
  const char* key;
  const char* title;
  double OptimizeInput::*least;
  double (*carried)(const NetworkChoice& choice);
};

/// Asks choices whether they carry what is required. The permutation, which has to be followed flow by flow,
/// is looked at only where everything else is carried.
class NetworkRequirements {
 public:
  NetworkRequirements(const OptimizeInput& limits, NetworkScores& scores)
      : limits_(limits), scores_(scores) {}

  static const std::vector<RequirementKind>& kinds();

  /// Whether a choice carries all, or all but one.
  bool met(NetworkChoice& choice, std::optional<std::size_t> except = std::nullopt) const;

  /// "all to all 3.1% of 12.5%": what of it is missed; empty when all is carried.
  std::string missed(NetworkChoice& choice) const;

  /// Fills in what a choice carries of a permutation.
  void complete(NetworkChoice& choice) const;

  double least(const RequirementKind& kind) const { return limits_.*kind.least; }

 private:
  bool met(const RequirementKind& kind, NetworkChoice& choice) const;

  const OptimizeInput& limits_;
  NetworkScores& scores_;
};

}  // namespace trainyard
