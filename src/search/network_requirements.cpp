#include "search/network_requirements.h"

#include <fmt/core.h>

#include "search/network_scores.h"
#include "trainyard/network_search.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

constexpr double kShareRounding = 1e-9;

double permutation_of(const NetworkChoice& c) { return c.carries.permutation.value_or(c.carries.all_to_all); }

}  // namespace

/// The permutation is the last one: it takes longest.
const std::vector<RequirementKind>& NetworkRequirements::kinds() {
  using O = OptimizeInput;
  using C = NetworkChoice;
  static const std::vector<RequirementKind> kinds = {
      {"require_all_to_all", "all to all", &O::require_all_to_all,
       [](const C& c) { return c.carries.all_to_all; }},
      {"require_shifted", "rings out of order", &O::require_shifted,
       [](const C& c) { return c.carries.shifted; }},
      {"require_failed", "a step with one switch down", &O::require_failed,
       [](const C& c) { return c.carries.failed; }},
      {"require_permutation", "a random permutation", &O::require_permutation, permutation_of},
  };
  return kinds;
}

bool NetworkRequirements::met(NetworkChoice& choice, std::optional<std::size_t> except) const {
  for (std::size_t k = 0; k < kinds().size(); ++k) {
    if (k != except && !met(kinds()[k], choice)) return false;
  }
  return true;
}

/// In the mean a permutation crosses blocks as all to all does, and its busiest block more than that.
bool NetworkRequirements::met(const RequirementKind& kind, NetworkChoice& choice) const {
  constexpr double kChance = 1.5;  // of few blocks of few hosts
  const double required = least(kind);
  if (required == 0) return true;
  if (kind.carried == permutation_of && !choice.carries.permutation) {
    if (choice.carries.all_to_all * kChance < required) return false;
    complete(choice);
  }
  return kind.carried(choice) >= required - kShareRounding;
}

void NetworkRequirements::complete(NetworkChoice& choice) const {
  if (!choice.carries.permutation) choice.carries.permutation = scores_.permutation_share(choice);
}

std::string NetworkRequirements::missed(NetworkChoice& choice) const {
  std::string out;
  for (const RequirementKind& kind : kinds()) {
    const bool slow = kind.carried == permutation_of && !choice.carries.permutation;
    if ((slow && !out.empty()) || met(kind, choice)) continue;
    out += fmt::format("{}{} {} of {}", out.empty() ? "" : ", ", kind.title,
                       format_quantity(kind.carried(choice), Unit::fraction),
                       format_quantity(least(kind), Unit::fraction));
  }
  return out;
}

}  // namespace trainyard
