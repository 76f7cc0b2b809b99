// The mappings that networks of one cluster are judged with: for each, the one that is fastest on it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "search/mapping_search.h"
#include "search/traffic_crossings.h"
#include "trainyard/network_design.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/units.h"

namespace trainyard {

/// A step of a mapping on a network.
struct StepOnNetwork {
  double exposed_share = 0;
  Seconds step;
  double tokens_per_second = 0;
};

/// The fastest mapping on a network, and what its step is there.
struct FastestMapping {
  const Plan* plan = nullptr;  // with the mapping, on the scenario's own network
  TrafficShares shares;
  double exposed_share = 0;  // of its own step
  double tokens_per_second = 0;
  double speed_left =
      1;  // of the step's, when every HB domain waits for one that has lost a part of its rate
};

/// The mappings that a scenario leaves open, joined to the networks of its cluster.
///
/// Looked at is every mapping that find_mapping() looks at, with both placements where the scenario is silent
/// about them, that has kLeastSpeed of the best one's speed without limits. Since no network makes a mapping
/// faster, they are tried from the fastest on until no later one can win: the result is the best of them all,
/// and of those within a millionth of it the scenario's own or the first. Left out are groups that span HB
/// domains, whose traffic is not followed. A scenario that states its mapping has this one alone.
class JointMappings {
 public:
  static constexpr double kLeastSpeed = 0.5;

  /// Throws Infeasible where nothing fits.
  JointMappings(const Scenario& scenario, const NetworkDesign& any);

  /// The scenario's plan on the scenario's network.
  const Plan& own() const { return tried_.front().plan; }
  /// Whether the scenario leaves anything open.
  bool open() const { return open_; }

  /// `kept`: of an HB domain's rate, when something fails.
  FastestMapping fastest_on(const NetworkDesign& design, double kept);

 private:
  struct Mapped {
    Plan plan;
    double most_speed = 0;  // of its merit, without limits
    TrafficCrossings* traffic = nullptr;
    std::map<std::tuple<double, double, double, double>, StepOnNetwork> steps;
  };

  void add(Plan plan, double most_speed);
  /// The mapping of a rank, if there are so many.
  Mapped* ranked(std::size_t rank);
  std::size_t fastest(const NetworkDesign& design);
  static const StepOnNetwork& step_on(Mapped& mapped, const TrafficShares& shares);
  double speed_on(Mapped& mapped, const NetworkDesign& design) const;

  const Scenario& scenario_;
  const NetworkDesign any_;
  bool open_;
  std::optional<double> batch_;
  std::map<TrafficShape, std::unique_ptr<TrafficCrossings>> traffics_;
  std::deque<Mapped> tried_;            // the scenario's own first, then from the fastest on
  std::vector<RankedMapping> untried_;  // from the slowest on
  std::size_t last_ = 0;                // that was the fastest
};

}  // namespace trainyard
