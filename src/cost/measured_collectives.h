// Collectives at the rates that a calibration says are reached.
#pragma once

#include "trainyard/catalog_records.h"
#include "trainyard/networks.h"
#include "trainyard/units.h"

namespace trainyard {

struct CostCase;
struct MappingPlan;

/// Ranks of one group and where they sit: so many in an HB domain, the rest in others like it.
struct RankGroup {
  double ranks = 1;
  double ranks_per_domain = 1;
  double interfaces = 1;  // through which its rings leave a domain, side by side
};

/// Times of collectives on calibrated networks.
///
/// Rings: S (n-1)/n over the slower of the scale-up rate and the scale-out rate of all interfaces that the
/// group has in a domain (NCCL runs one ring for each; Narayanan et al. 2021, section 4.1, scatter/gather).
/// Inside a domain: what was measured of the accelerator (cost/measured_operators.h) times *collective_time*,
/// or the scale-up rate times *scale_up*. All-to-alls: what stays in the domain and what leaves it go at the
/// same time.
class MeasuredCollectives {
 public:
  /// Of a case with a calibration. Case and mapping must outlive it.
  MeasuredCollectives(const CostCase& c, const MappingPlan& mapping);

  RankGroup tensor_group() const;
  RankGroup context_group() const;
  RankGroup expert_group() const;
  /// Over which one expert is cut.
  RankGroup ranks_of_expert() const;
  /// Ranks of one datacenter that ZeRO divides the same parameters over, or that sum them whole; of experts.
  RankGroup replicas() const;
  RankGroup expert_replicas() const;
  /// Groups of those that hold copies of each other (mapping.zero_group), one rank of each.
  RankGroup copies() const;
  RankGroup expert_copies() const;

  /// One pass of a ring over a group: an all-gather or a reduce-scatter; an all-reduce is two. `share` is the
  /// part of the scale-out rate that the topology leaves to this kind of traffic.
  Seconds ring(const RankGroup& group, Bytes bytes, double share = 1) const;
  Seconds all_to_all(const RankGroup& group, Bytes bytes, double share = 1) const;
  /// So many tokens to the experts of a group, `each` of so many bytes. A plain all-to-all sends a copy to
  /// each expert. A program that *sends_tokens_once* sends one to each HB domain with experts of it, and
  /// inside one to each such device, where a copy takes *token_copy_time* at least.
  Seconds dispatch(const RankGroup& group, double tokens, Bytes each, double share = 1) const;
  /// Between two stages.
  Seconds point_to_point(Bytes bytes, bool in_domain) const;

  /// Whether rings of a group are those that were measured of the accelerator.
  bool knows(const RankGroup& group) const;

  /// Of one collective, whatever its size.
  Seconds latency() const { return calibration_.collective_latency; }
  const Calibration& calibration() const { return calibration_; }

 private:
  RankGroup group(double ranks, double stride, double domain) const;
  double in_datacenter() const;  // ranks that hold the same stage
  double sharing() const;        // of these, those that ZeRO divides states over
  double sharing_experts() const;
  Seconds ring_inside(double ranks, Bytes bytes) const;
  Seconds all_to_all_inside(double ranks, Bytes bytes) const;

  const CostCase& c_;
  const Calibration& calibration_;
  const Networks& networks_;
  const MappingPlan& m_;
  double held_;  // devices of an HB domain that hold one stage
  bool all_interfaces_;
};

}  // namespace trainyard
