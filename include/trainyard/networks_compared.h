// Network designs with what they do to training: counts, price, loads of the plan's traffic, exposed time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/traffic_shares.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;
struct Scenario;
struct TrafficMatrix;

/// What a plan's training step makes of a network.
struct NetworkEffect {
  NetworkLoad load;  // of all the plan's traffic of a batch
  TrafficShares shares;
  Seconds step;
  double exposed_share = 0;  // of the step, by assumptions.step_rule
  double tokens_per_second = 0;
};

/// One design, complete.
struct NetworkAnswer {
  NetworkDesign design;
  DesignCounts counts;
  bool counted_on_graph = false;  // else in closed form: the graph would be very large
  Bill bill;
  std::optional<NetworkEffect> effect;  // nothing when the design is for another cluster than the plan's
  std::string no_effect;                // why
};

/// Designs up to so many links of a fabric are counted on their graphs.
constexpr std::int64_t kCountedLinks = 8'000'000;
/// The effect on training follows the traffic of every host: some seconds and some 500 MB of a design of so
/// many.
constexpr std::int64_t kMostFollowedHosts = 20'000'000;

NetworkAnswer answer_network(const Scenario& scenario, const NetworkDesign& design, const Plan* plan);

/// All designs of a scenario (designs_of). Without a plan that fits, counts and prices alone. `on_counted` is
/// told of them before their effects are known, where these take long. Threads take a design each; the result
/// is the same for any number of them.
std::vector<NetworkAnswer> answer_networks(
    const Scenario& scenario, const std::string& name = {},
    const std::function<void(const std::vector<NetworkAnswer>&)>& on_counted = {}, unsigned threads = 1);

/// The effect of shares of the scale-out rate on the plan's own mapping, and of experts' traffic of which a
/// part is forwarded inside HB domains.
Plan with_shares(const Plan& plan, const TrafficShares& shares, double forwarded = 0);

/// Part of the traffic between HB domains that a design's network cannot carry to another rank's rail.
double forwarded_on(const NetworkDesign& design);

/// Whether a design connects the plan's own cluster; empty, or why not.
std::string mismatch(const NetworkDesign& design, const Plan& plan);

/// Shares from the loads of each kind of traffic, each put on the network alone.
TrafficShares shares_on(const NetworkDesign& design, const TrafficMatrix& matrix);

}  // namespace trainyard
