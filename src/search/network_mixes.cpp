#include "search/network_mixes.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/counted.h"
#include "base/divisors.h"
#include "base/errors.h"
#include "topology/dealing.h"
#include "topology/topologies.h"
#include "trainyard/errors.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

constexpr double kMostMixes = 500'000;

/// A topology that is tried, with a count of rails where it has some.
struct Kind {
  TopologyKind topology;
  std::optional<std::int64_t> rails;
};

std::vector<Kind> kinds_to_try(const std::vector<std::int64_t>& rails) {
  std::vector<Kind> out;
  for (const RegisteredTopology& entry : topologies()) {
    if (!entry.topology->mix) continue;
    if (!entry.topology->dealing.over_rails()) {
      out.push_back({entry.kind, std::nullopt});
      continue;
    }
    for (const std::int64_t count : rails) out.push_back({entry.kind, count});
  }
  return out;
}

/// Lists that multiply to more than could ever be tried are refused.
void check_size(const OptimizeInput& limits, std::size_t kinds) {
  double overs = 1;
  double sum = 0;
  for (std::int64_t tiers = 1; tiers <= limits.most_tiers; ++tiers) {
    sum += overs;
    overs *= static_cast<double>(limits.oversubscription.size());
  }
  const double mixes = sum * static_cast<double>(limits.planes.size() * limits.switches.size() * kinds);
  if (mixes > kMostMixes) {
    fail_input(whole("optimize"),
               fmt::format("{:.3g} mixes are more than the {:.0f} that are tried", mixes, kMostMixes),
               "fewer values of oversubscription, planes or rails, or a smaller most_tiers");
  }
}

void add_oversubscribed(const OptimizeInput& limits, DesignInput& input, std::size_t boundary,
                        std::vector<DesignInput>& out) {
  if (boundary == input.oversubscription.size()) {
    out.push_back(input);
    return;
  }
  for (const double o : limits.oversubscription) {
    input.oversubscription[boundary] = o;
    add_oversubscribed(limits, input, boundary + 1, out);
  }
  input.oversubscription[boundary] = 1;
}

/// Every count of tiers, with every oversubscription of each boundary.
void add_tiers(const OptimizeInput& limits, DesignInput& input, std::vector<DesignInput>& out) {
  for (std::int64_t tiers = 1; tiers <= limits.most_tiers; ++tiers) {
    input.tiers = tiers;
    input.oversubscription.assign(static_cast<std::size_t>(tiers - 1), 1);
    add_oversubscribed(limits, input, 0, out);
  }
}

}  // namespace

std::vector<std::int64_t> rails_to_try(const OptimizeInput& limits, std::int64_t domain) {
  std::vector<std::int64_t> rails = limits.rails.empty() ? divisors(domain) : limits.rails;
  std::sort(rails.begin(), rails.end());
  return rails;
}

std::vector<DesignInput> network_mixes(const OptimizeInput& limits, std::int64_t domain) {
  const std::vector<std::int64_t> rails = rails_to_try(limits, domain);
  for (const std::int64_t count : rails) {
    if (domain % count == 0) continue;
    fail_input(whole("optimize.rails"),
               fmt::format("{} of an HB domain {} not divide by {}", counted(domain, "device"),
                           agreeing(domain, "does", "do"), counted(count, "rail")),
               "allowed: divisors of the devices of an HB domain");
  }
  const std::vector<Kind> kinds = kinds_to_try(rails);
  check_size(limits, kinds.size());
  std::vector<DesignInput> out;
  for (const Kind& kind : kinds) {
    if (kind.rails == 1) continue;  // one network for all: a topology without rails
    for (const std::string& part : limits.switches) {
      for (const std::int64_t planes : limits.planes) {
        DesignInput input;
        input.name = "mix";
        input.topology = kind.topology;
        input.switch_name = part;
        input.planes = planes;
        input.prices = limits.prices;
        input.rails = kind.rails;
        add_tiers(limits, input, out);
      }
    }
  }
  return out;
}

}  // namespace trainyard
