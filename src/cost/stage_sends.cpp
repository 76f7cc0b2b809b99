#include "cost/stage_sends.h"

#include <algorithm>

#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/measured_collectives.h"
#include "parallel/schedules.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Transfers from each stage to the next, in an HB domain or between two.
class Hops {
 public:
  Hops(const CostCase& costs, const MappingPlan& m, Bytes volume) : m_(m) {
    const MeasuredCollectives collectives(costs, m);
    inside_ = collectives.point_to_point(volume, true);
    outside_ = collectives.point_to_point(volume, false);
    const bool consecutive = m.placement == Placement::consecutive_layers;
    const std::int64_t together = consecutive ? m.groups_per_domain : 1;
    crossings_ = (m.pipeline - 1) / std::max<std::int64_t>(1, together);
  }

  /// Once through all chunks.
  Seconds way() const {
    const Seconds once = outside_ * real(crossings_) + inside_ * real(m_.pipeline - 1 - crossings_);
    return once * real(m_.virtual_stages) + back() * real(m_.virtual_stages - 1);
  }
  Seconds behind(std::int64_t stage) const {
    const bool consecutive = m_.placement == Placement::consecutive_layers;
    const std::int64_t together = consecutive ? std::max<std::int64_t>(1, m_.groups_per_domain) : 1;
    return (stage + 1) % together == 0 ? outside_ : inside_;
  }
  /// From the last stage to the first.
  Seconds back() const { return crossings_ > 0 ? outside_ : inside_; }
  double count() const { return real(m_.pipeline * m_.virtual_stages - 1); }
  Seconds mean() const { return way() / count(); }
  Seconds longest() const { return crossings_ > 0 ? outside_ : inside_; }

  /// Both of a stage between two others.
  Seconds of_stage() const {
    const bool both = crossings_ < m_.pipeline - 1;
    return longest() + (both ? inside_ : longest());
  }

 private:
  const MappingPlan& m_;
  Seconds inside_;
  Seconds outside_;
  std::int64_t crossings_ = 0;  // of the hops from the first stage to the last
};

}  // namespace

std::vector<Seconds> sends_between(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c) {
  const Hops hops(costs, m, c.pipeline_volume);
  std::vector<Seconds> out;
  for (std::int64_t stage = 0; stage + 1 < m.pipeline; ++stage) out.push_back(hops.behind(stage));
  out.push_back(hops.back());
  return out;
}

StageSends stage_sends(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c,
                       double fill_share) {
  if (m.pipeline == 1 || (costs.calibration && hides_sends(costs.software, m))) return {};
  if (!costs.calibration) {
    constexpr double kPasses = 2;
    const Seconds each = kPasses * c.pipeline_transfer * real(m.virtual_stages);
    return {each, each * ((real(m.pipeline) - 1) * fill_share)};
  }
  const Hops hops(costs, m, c.pipeline_volume);
  return {hops.of_stage(), 2 * hops.mean() * ((real(m.pipeline) - 1) * fill_share)};
}

}  // namespace trainyard
