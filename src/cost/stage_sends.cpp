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
    const Seconds back = crossings_ > 0 ? outside_ : inside_;
    return once * real(m_.virtual_stages) + back * real(m_.virtual_stages - 1);
  }
  Seconds behind(std::int64_t stage) const {
    const bool consecutive = m_.placement == Placement::consecutive_layers;
    const std::int64_t together = consecutive ? std::max<std::int64_t>(1, m_.groups_per_domain) : 1;
    return (stage + 1) % together == 0 ? outside_ : inside_;
  }
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

/// Of 1F1B.
class Sends {
 public:
  Sends(const MappingPlan& m, const Hops& hops)
      : hops_(hops),
        stages_(real(m.pipeline)),
        microbatches_(real(m.microbatches)),
        chunks_(real(m.virtual_stages)) {}

  StageSends hidden() const {
    if (chunks_ > 1) return {Seconds(0), 2 * hops_.way()};
    const double behind = 2 * std::max(0.0, std::min(microbatches_, stages_) - 2);
    const Seconds whole = 2 * hops_.way() + behind * hops_.mean();
    const Seconds each = std::max(2 * hops_.way() / stages_, hops_.longest());
    const Seconds later = each * std::max(0.0, microbatches_ - stages_);
    return {each, whole + later - each * microbatches_};
  }

  StageSends awaited(Seconds backward) const {
    if (stages_ == 2 || microbatches_ == 1) return around();
    if (chunks_ > 1)
      return std::max(around(), through(backward),
                      [&](const StageSends& a, const StageSends& b) { return of_step(a) < of_step(b); });
    return {hops_.of_stage(), (2 * stages_ - 5) * hops_.mean()};
  }

 private:
  Seconds of_step(const StageSends& s) const { return s.each * microbatches_ + s.fill; }

  /// The path that leaves out a send of each microbatch.
  StageSends around() const {
    const double each = 2 * chunks_ - 1;
    const double first = 2 * hops_.count() + std::min(microbatches_, stages_) - 1;
    const double begun = std::min(microbatches_, stages_);
    return {each * hops_.longest(), (first - each * begun) * hops_.mean()};
  }

  /// The path through all sends of a stage, which has a chunk's backward pass to spare.
  StageSends through(Seconds backward) const {
    return {chunks_ * hops_.of_stage(), (2 * stages_ - 6) * hops_.mean() - backward / chunks_};
  }

  const Hops& hops_;
  double stages_;
  double microbatches_;
  double chunks_;
};

}  // namespace

std::vector<Seconds> sends_between(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c) {
  const Hops hops(costs, m, c.pipeline_volume);
  std::vector<Seconds> out;
  for (std::int64_t stage = 0; stage + 1 < m.pipeline; ++stage) out.push_back(hops.behind(stage));
  return out;
}

StageSends stage_sends(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c,
                       double fill_share, Seconds backward) {
  if (m.pipeline == 1) return {};
  const bool hidden = costs.calibration && hides_sends(costs.software, m);
  const bool one_f_one_b = !costs.schedule.fill_share && !costs.schedule.keeps_all;
  if (!costs.calibration) {
    constexpr double kPasses = 2;
    const Seconds each = hidden ? Seconds(0) : kPasses * c.pipeline_transfer * real(m.virtual_stages);
    return {each, each * ((real(m.pipeline) - 1) * fill_share)};
  }
  const Hops hops(costs, m, c.pipeline_volume);
  if (!one_f_one_b) {
    if (hidden) return {};
    return {hops.of_stage(), 2 * hops.mean() * ((real(m.pipeline) - 1) * fill_share)};
  }
  const Sends sends(m, hops);
  StageSends out = hidden ? sends.hidden() : sends.awaited(backward);
  if (out.fill < Seconds(0)) return {out.each + out.fill / real(m.microbatches), Seconds(0)};
  return out;
}

}  // namespace trainyard
