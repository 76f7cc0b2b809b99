#include "cost/measured_collectives.h"

#include <algorithm>
#include <cmath>

#include "cost/cost_case.h"
#include "cost/measured_operators.h"
#include "model/model.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
MeasuredCollectives::MeasuredCollectives(const CostCase& c, const MappingPlan& mapping)
    : c_(c),
      calibration_(*c.calibration),
      networks_(c.networks),
      m_(mapping),
      held_(real(mapping.held_in_domain)),
      all_interfaces_(c.scenario.mapping.zero_stage < 3 || c.software.wide_gathers) {}

RankGroup MeasuredCollectives::group(double ranks, double stride, double domain) const {
  const double there = std::clamp(std::floor(domain / stride), 1.0, ranks);
  return {ranks, there, all_interfaces_ ? there : 1};
}

RankGroup MeasuredCollectives::tensor_group() const { return group(real(m_.tensor), 1, c_.domain_devices); }
RankGroup MeasuredCollectives::context_group() const {
  return group(real(m_.context), real(m_.tensor), c_.domain_devices);
}
RankGroup MeasuredCollectives::expert_group() const {
  return group(real(m_.expert), real(m_.expert_tensor), held_);
}
RankGroup MeasuredCollectives::ranks_of_expert() const {
  return group(real(m_.expert_tensor), 1, c_.domain_devices);
}
double MeasuredCollectives::in_datacenter() const {
  return real(m_.datacenters > 1 ? m_.data_per_datacenter * m_.context : m_.data * m_.context);
}

double MeasuredCollectives::sharing() const {
  const auto& group = c_.scenario.mapping.zero_group;
  return group ? std::min(real(*group), in_datacenter()) : in_datacenter();
}
double MeasuredCollectives::sharing_experts() const { return std::max(1.0, sharing() / m_.expert_spread()); }

RankGroup MeasuredCollectives::replicas() const { return group(sharing(), real(m_.tensor), held_); }
RankGroup MeasuredCollectives::expert_replicas() const {
  return group(sharing_experts(), real(m_.expert_devices()), held_);
}
RankGroup MeasuredCollectives::copies() const {
  return group(in_datacenter() / sharing(), real(m_.tensor) * sharing(), held_);
}
RankGroup MeasuredCollectives::expert_copies() const {
  const double together = m_.expert_spread() * sharing_experts();
  return group(std::max(1.0, in_datacenter() / together), real(m_.tensor) * together, held_);
}

Seconds MeasuredCollectives::ring_inside(double ranks, Bytes bytes) const {
  const BytesPerSecond rate = networks_.scale_up.rate;
  if (c_.operators) return calibration_.collective_time * c_.operators->ring(ranks, bytes, rate);
  return bytes * ((ranks - 1) / ranks) / (rate * calibration_.scale_up);
}

Seconds MeasuredCollectives::ring(const RankGroup& g, Bytes bytes, double share) const {
  if (g.ranks <= 1 || bytes.si() <= 0) return Seconds(0);
  if (g.ranks <= g.ranks_per_domain) return ring_inside(g.ranks, bytes) + networks_.scale_up.delay;
  const BytesPerSecond inside = networks_.scale_up.rate * calibration_.scale_up;
  const BytesPerSecond outside = networks_.scale_out.rate * (calibration_.scale_out * g.interfaces * share);
  return bytes * ((g.ranks - 1) / g.ranks) / std::min(inside, outside) + networks_.scale_out.delay;
}

Seconds MeasuredCollectives::all_to_all_inside(double ranks, Bytes bytes) const {
  if (ranks <= 1) return Seconds(0);
  const BytesPerSecond rate = networks_.scale_up.rate;
  if (c_.operators) return calibration_.all_to_all_time * c_.operators->all_to_all(ranks, bytes, rate);
  return bytes * ((ranks - 1) / ranks) / (rate * calibration_.all_to_all);
}

Seconds MeasuredCollectives::all_to_all(const RankGroup& g, Bytes bytes, double share) const {
  if (g.ranks <= 1) return Seconds(0);
  const double here = g.ranks_per_domain;
  const Seconds inside = all_to_all_inside(here, bytes * (here / g.ranks));
  const Seconds outside = bytes * ((g.ranks - here) / g.ranks) /
                          (networks_.scale_out.rate * (calibration_.wide_all_to_all * share));
  const bool leaves = g.ranks > here;
  return std::max(inside, outside) + latency() +
         (leaves ? networks_.scale_out.delay : networks_.scale_up.delay);
}

Seconds MeasuredCollectives::dispatch(const RankGroup& g, double tokens, Bytes each, double share) const {
  const ModelShape& shape = c_.model.shape;
  if (!c_.software.sends_tokens_once)
    return all_to_all(g, each * (tokens * real(shape.experts_per_token)), share);
  const double domains = std::max(1.0, g.ranks / g.ranks_per_domain);
  // A domain passes on to its devices what came to it.
  const double copies = tokens * places_reached(shape, g.ranks);
  const double here = std::min(g.ranks, g.ranks_per_domain);
  const Seconds handled = copies * ((here - 1) / here) * c_.software.token_copy_time;
  const Seconds inside = std::max(handled, all_to_all_inside(here, each * copies));
  if (domains <= 1) return inside + latency() + networks_.scale_up.delay;
  const double leaving = tokens * places_reached(shape, domains) * (1 - 1 / domains);
  const Seconds outside =
      each * leaving / (networks_.scale_out.rate * (calibration_.wide_all_to_all * share));
  return std::max(inside, outside) + latency() + networks_.scale_out.delay;
}

bool MeasuredCollectives::knows(const RankGroup& group) const {
  return c_.operators && group.ranks <= group.ranks_per_domain;
}

Seconds MeasuredCollectives::point_to_point(Bytes bytes, bool in_domain) const {
  const NetworkRate& network = in_domain ? networks_.scale_up : networks_.scale_out;
  const double share = in_domain ? calibration_.scale_up : c_.scenario.network.pipeline_share;
  return bytes / (network.rate * share) + network.delay + latency();
}

}  // namespace trainyard
