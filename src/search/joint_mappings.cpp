#include "search/joint_mappings.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/finite.h"
#include "parallel/batch.h"
#include "parallel/memory.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"

namespace trainyard {
namespace {

/// Mappings within this share of the fastest are as fast.
constexpr double kAsFast = 1 - 1e-6;

Plan with_mapping(const Plan& like, Candidate chosen) {
  Plan out = like;
  out.scenario.mapping = chosen.input;
  out.mapping = std::move(chosen.mapping);
  out.communication = std::move(chosen.communication);
  out.step = chosen.step;
  return out;
}

bool same_mapping(const Plan& a, const Plan& b) {
  const auto key = [](const Plan& p) {
    const MappingPlan& m = p.mapping;
    const MappingInput& in = p.scenario.mapping;
    return std::tuple(m.tensor, m.context, m.pipeline, m.virtual_stages, m.data, m.expert, m.expert_tensor,
                      m.microbatch, m.placement, in.zero_stage, in.recompute, in.recompute_layers);
  };
  return key(a) == key(b);
}

/// From the fastest on, with the placements that the scenario leaves open. Without a pipeline there is one.
std::vector<RankedMapping> mappings_of(const Scenario& scenario, const Plan& own) {
  constexpr double kLeast = JointMappings::kLeastSpeed;
  std::vector<RankedMapping> out = mappings_near_best(scenario, own.facility, own.model, kLeast);
  if (!scenario.mapping.placement_absent) return out;
  Scenario other = scenario;
  other.mapping.placement = other_placement(scenario.mapping.placement);
  std::vector<RankedMapping> more = mappings_near_best(other, own.facility, own.model, kLeast);
  std::erase_if(more, [](const RankedMapping& m) { return m.cut.pipeline == 1; });
  std::vector<RankedMapping> both;
  both.reserve(out.size() + more.size());
  std::merge(out.begin(), out.end(), more.begin(), more.end(), std::back_inserter(both),
             [](const RankedMapping& a, const RankedMapping& b) { return a.merit.ranks_before(b.merit); });
  return both;
}

}  // namespace

JointMappings::JointMappings(const Scenario& scenario, const NetworkDesign& any)
    : scenario_(scenario), any_(any), open_(chooses_mapping(scenario.mapping)) {
  Plan own = make_plan(scenario);
  batch_ = wanted_batch(scenario.mapping, scenario.training, own.model.shape);
  add(std::move(own), std::numeric_limits<double>::infinity());
  if (!open_) return;
  untried_ = mappings_of(scenario, this->own());
  std::reverse(untried_.begin(), untried_.end());
}

void JointMappings::add(Plan plan, double most_speed) {
  TrafficMatrix matrix = traffic_of(plan);
  const bool own = tried_.empty();
  if (!own && matrix.domain_devices > any_.domain) return;
  auto& traffic = traffics_[shape_of(matrix)];
  if (!traffic) traffic = std::make_unique<TrafficCrossings>(any_, std::move(matrix), own);
  tried_.push_back({std::move(plan), most_speed, traffic.get(), {}});
}

JointMappings::Mapped* JointMappings::ranked(std::size_t rank) {
  while (rank >= tried_.size()) {
    if (untried_.empty()) return nullptr;
    const RankedMapping next = untried_.back();
    untried_.pop_back();
    Scenario scenario = scenario_;
    scenario.mapping.placement = next.input.placement;
    Plan plan = with_mapping(own(), complete(std::move(scenario), own().facility, own().model, next));
    // What has no room for one placement is tried with the other one, too.
    const bool elsewhere = scenario_.mapping.placement_absent && plan.mapping.pipeline > 1 &&
                           plan.mapping.placement != next.input.placement;
    if (!elsewhere && !same_mapping(plan, own())) add(std::move(plan), next.merit.speed);
  }
  return &tried_[rank];
}

FastestMapping JointMappings::fastest_on(const NetworkDesign& design, double kept) {
  last_ = fastest(design);
  Mapped& best = tried_[last_];
  FastestMapping out;
  out.plan = &best.plan;
  out.shares = best.traffic->shares(design);
  const StepOnNetwork& step = step_on(best, out.shares);
  out.exposed_share = step.exposed_share;
  out.tokens_per_second = step.tokens_per_second;
  if (best.traffic->none()) return out;
  if (kept <= 0) {
    out.speed_left = 0;
  } else {
    const TrafficShares left = {out.shares.pipeline * kept, out.shares.gradient * kept,
                                out.shares.expert * kept, out.shares.weights * kept};
    out.speed_left = std::min(1.0, step.step / step_on(best, left).step);
  }
  return out;
}

std::size_t JointMappings::fastest(const NetworkDesign& design) {
  if (!open_) return 0;
  std::vector<double> speeds = {speed_on(tried_.front(), design)};
  double best = std::max(speeds.front(), speed_on(tried_[last_], design));
  for (std::size_t i = 1;; ++i) {
    Mapped* mapped = ranked(i);
    if (!mapped || mapped->most_speed < best * kAsFast) break;
    speeds.push_back(speed_on(*mapped, design));
    best = std::max(best, speeds.back());
  }
  const auto as_fast = [&](double speed) { return speed >= best * kAsFast; };
  return static_cast<std::size_t>(std::find_if(speeds.begin(), speeds.end(), as_fast) - speeds.begin());
}

const StepOnNetwork& JointMappings::step_on(Mapped& mapped, const TrafficShares& shares) {
  const auto key = std::tuple(shares.pipeline, shares.gradient, shares.expert, shares.weights);
  const auto known = mapped.steps.find(key);
  if (known != mapped.steps.end()) return known->second;
  const StepPlan step = with_shares(mapped.plan, shares).step;
  finite(step.step.si(), "time of a step");
  finite(step.tokens_per_second, "tokens a second");
  return mapped.steps.emplace(key, StepOnNetwork{step.exposed_share_step, step.step, step.tokens_per_second})
      .first->second;
}

/// What it is chosen by: a batch that is not met exactly counts less.
double JointMappings::speed_on(Mapped& mapped, const NetworkDesign& design) const {
  const StepOnNetwork& step = step_on(mapped, mapped.traffic->shares(design));
  return merit_of(mapped.plan.mapping, batch_, step.tokens_per_second,
                  chance_of_room(mapped.plan.mapping, mapped.plan.step.memory_interval))
      .speed;
}

}  // namespace trainyard
