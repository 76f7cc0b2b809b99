// Parameters of hpcc. Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [hpcc]
struct HpccInput {
  static constexpr bool kLossless = true;  // its links are paused before they lose a packet

  double utilization = 0.95;
  std::int64_t stages = 5;
  std::optional<Bytes> increase;  // auto: W (1 - eta) / flows_expected
  std::int64_t flows_expected = 10;
  std::optional<Seconds> base_rtt;  // auto: the longest of the network

  template <class Field>
  static auto fields(const Field& field) {
    using H = HpccInput;
    return std::vector{field("utilization", &H::utilization, share(), "Target use of links (eta).")
                           .from("Li et al. 2019, section 5.1"),
                       field("stages", &H::stages, between(0, 1000),
                             "Additive steps before a multiplicative one (maxStage).")
                           .from("Li et al. 2019, section 5.1"),
                       field("increase", &H::increase, positive(), "Bytes of an additive step (W_AI).")
                           .otherwise("W (1 - eta) / flows_expected (Li et al. 2019, section 3.3)"),
                       field("flows_expected", &H::flows_expected, between(1, 1e6),
                             "Flows at a bottleneck for which the step is meant (N).")
                           .from("Li et al. 2019, section 3.3"),
                       field("base_rtt", &H::base_rtt, within_run(), "Round trip of an empty network (T).")
                           .otherwise("that of the longest way")};
  }
};

}  // namespace trainyard
