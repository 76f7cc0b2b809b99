#include <algorithm>
#include <numeric>

#include "collective/all_to_alls.h"
#include "collective/collective.h"
#include "cost/compute_times.h"
#include "cost/cost.h"
#include "cost/measured_collectives.h"
#include "cost/traffic.h"
#include "model/model.h"
#include "parallel/schedules.h"
#include "scenario/in_force.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {
namespace {

/// Of a layer with experts.
class ExpertTraffic : Traffic {
 public:
  using Traffic::Traffic;

  /// Tokens go to their experts and come back: two all-to-alls a pass, over the devices that share one set of
  /// experts, one of the ranks over which each is cut.
  void add() {
    if (m_.expert == 1) return;
    const Bytes mean = out_.layer_input * (real(model_.shape.experts_per_token) / real(m_.tensor));
    // The fullest device's own: what comes to it goes back from it.
    const Bytes sent = mean * fullest();
    // Dispatch and combine may differ in format: what stands for each is their mean.
    const PrecisionInput& precision = scenario_.precision;
    const double back = bytes_of(precision.combine.value_or(precision.communication));
    const Bytes routed = sent * ((element_ + back) / (2 * element_));
    const Networks networks = shared(scenario_.network.expert_share);
    const std::int64_t local = std::gcd(m_.expert, m_.expert_places() * m_.expert_ranks());
    const bool in_domain = m_.expert_domains() == 1;
    AllToAllPlan exchange = all_to_all_plan(scenario_.assumptions.all_to_all, in_domain ? m_.expert : local,
                                            in_domain ? 1 : m_.expert / local, routed, networks);
    const CopiesSent copies = copies_sent();
    exchange.inside = exchange.inside * copies.inside;
    exchange.outside = exchange.outside * copies.leaving;
    out_.expert_algorithm = exchange.algorithm;
    out_.expert_volume =
        routed * (1 / fullest()) * ((real(m_.expert) - 1) / real(m_.expert)) * copies.leaving;
    out_.expert_inside = exchange.inside;
    out_.expert_outside = exchange.outside;
    out_.expert_forward = 2 * ((measured_ ? measured_exchange(exchange, routed) : exchange.time) +
                               forwarding(exchange.outside));
    out_.expert_backward = out_.expert_forward;
    if (!measured_) return;
    if (schedule_.pairs_passes) {  // which hides what it can of them, and no more
      if (hides_wholly(scenario_, Hidden::expert)) out_.expert_exposed = 0;
      return;
    }
    const bool stated = hides(scenario_, Hidden::expert);
    const bool usual = software_.hides_experts || (software_.hides_wide_experts && !in_domain);
    if (!stated && !usual) return;
    const double alone = stated ? 0 : share_alone();
    const double slowed = hides_wholly(scenario_, Hidden::expert) ? 0 : contention();
    out_.expert_exposed = alone + (1 - alone) * slowed;
  }

 private:
  /// Programs run a microbatch's exchanges beside the compute of another: without stages, the first forward
  /// and the last backward pass have no other (Megatron Core, combined 1F1B).
  double share_alone() const { return m_.pipeline > 1 ? 0 : 1 / real(m_.microbatches); }

  /// Copies of a token, over its experts, that a domain passes on inside and that a device sends out.
  struct CopiesSent {
    double inside = 1;
    double leaving = 1;
  };

  /// As MeasuredCollectives::dispatch times them.
  CopiesSent copies_sent() const {
    const bool once =
        measured_ && software_.sends_tokens_once && scenario_.assumptions.all_to_all == AllToAll::bandwidth;
    if (!once) return {};
    const RankGroup group = measured_->expert_group();
    const double experts = real(model_.shape.experts_per_token);
    const double places = m_.expert_domains() > 1 ? group.ranks / group.ranks_per_domain : group.ranks;
    return {places_reached(model_.shape, group.ranks) / experts,
            places_reached(model_.shape, places) / experts};
  }

  /// What hidden transfers slow a layer's compute by, of their time: nothing while it waits for the host,
  /// unless that waits for the compute.
  double contention() const {
    const Seconds slowed = software_.contention * (out_.expert_forward + out_.expert_backward);
    if (!(slowed.si() > 0)) return software_.contention;
    const Seconds idle = scenario_.training.blocking_launches ? Seconds(0) : layer_.host_wait;
    return software_.contention * (beyond(slowed, idle) / slowed);
  }

  /// Where a network joins equal ranks only, what is for another rank goes there inside the HB domain first.
  Seconds forwarding(Bytes outside) const {
    const double reached = measured_ ? measured_->calibration().all_to_all : 1;
    return outside * scenario_.network.expert_forwarded / (networks_.scale_up.rate * reached);
  }

  Seconds measured_exchange(const AllToAllPlan& plan, Bytes routed) const {
    const double share = scenario_.network.expert_share;
    const double tokens =
        out_.layer_input / Bytes(real(model_.shape.hidden) * element_ * real(m_.tensor)) * fullest();
    if (scenario_.assumptions.all_to_all == AllToAll::bandwidth)
      return measured_->dispatch(measured_->expert_group(), tokens,
                                 routed / (tokens * real(model_.shape.experts_per_token)), share);
    const Calibration& c = measured_->calibration();
    return std::max(plan.inside / (networks_.scale_up.rate * c.all_to_all),
                    plan.outside / (networks_.scale_out.rate * (c.wide_all_to_all * share))) +
           measured_->latency();
  }
};

}  // namespace

void add_expert_traffic(const CommunicationCase& c, CommunicationPlan& out) { ExpertTraffic(c, out).add(); }

}  // namespace trainyard
