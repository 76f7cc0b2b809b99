#include "report/data/rail_quantities.h"

#include <fmt/core.h>

#include "report/data/quantity_list.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/rail.h"

namespace trainyard {
namespace {

constexpr const char* kPaper = "rail-only '23 section 3.2";

void add_case(QuantityList& list, const RailCase& r) {
  list.number("gpus", "GPUs (N)", r.gpus);
  list.number("domain", "GPUs of an HB domain (K)", r.domain);
  list.number("batch_tokens", "tokens of a batch (b)", r.batch_tokens);
  list.number("hidden", "embedding dimension (d)", r.hidden);
  list.number("layers", "transformer blocks (l)", r.layers);
  list.number("collective_rounds", "collectives of a block (M_cc)", r.collective_rounds,
              {.source = "rail-only '23 table 1"});
  list.number("activation_bytes", "bytes of an activation", r.activation_bytes);
  list.add("block", "gradients of a block (S_T)", r.block);
  list.add("iteration", "FLOP of an iteration (M_flop)", r.iteration);
  list.add("gpu_rate", "compute speed of a GPU (C)", r.gpu_rate);
  list.add("domain_rate", "HB domain bandwidth (B_F)", r.domain_rate);
  list.add("network_rate", "GPU network bandwidth (B_S)", r.network_rate);
  list.number("bandwidth_ratio", "B_F over B_S", r.domain_rate / r.network_rate,
              {.formula = "rail.domain_rate_bytes_per_s / rail.network_rate_bytes_per_s"});
}

void add_iteration(QuantityList& list, const RailAnalysis& a) {
  list.number("model_group", "best model-parallel group (N_M), over the divisors of K", a.best.model_group);
  list.number("model_group_printed", "N_M by equation 2 as printed", a.printed_group, {.source = kPaper});
  list.number("model_group_stationary", "N_M where the derivative of equation 1 vanishes", a.stationary_group,
              {.how = "sqrt(2 N S_T / (M_cc b d))"});
  list.add("compute", "computation", a.best.compute,
           {"rail.iteration_flop / (rail.gpus * rail.gpu_rate_flop_per_s)", kPaper});
  list.add("across", "gradients between HB domains", a.best.across,
           {"rail.layers * 2 * rail.block_bytes * (rail.gpus / rail.domain - 1) / (rail.gpus * "
            "rail.network_rate_bytes_per_s)",
            kPaper});
  list.add("inside", "gradients inside HB domains", a.best.inside,
           {"rail.layers * 2 * rail.block_bytes * (rail.domain / rail.model_group - 1) / (rail.domain * "
            "rail.domain_rate_bytes_per_s)",
            kPaper});
  list.add(
      "model", "model parallelism", a.best.model,
      {"rail.layers * rail.collective_rounds * rail.batch_tokens * rail.hidden * rail.activation_bytes * "
       "(rail.model_group - 1) / (rail.gpus * rail.domain_rate_bytes_per_s)",
       kPaper});
  list.add("total", "iteration time (equation 1)", a.best.total(),
           {"rail.compute_s + rail.across_s + rail.inside_s + rail.model_s", kPaper});
  list.add("ideal", "iteration time with one HB network for all (equation 3)", a.ideal, {.source = kPaper});
  list.number("ideal_speedup", "speed-up of that network", a.best.total() / a.ideal,
              {"rail.total_s / rail.ideal_s", "rail-only '23 Fig. 5"});
  list.fraction("relative_performance", "performance relative to it", a.ideal / a.best.total(),
                {"rail.ideal_s / rail.total_s", "rail-only '23 Fig. 8b"});
  list.number("tokens", "tokens of the training run", a.tokens);
  list.add("days_to_train", "time to train at perfect utilization", a.days_to_train,
           {.formula = "rail.tokens / rail.batch_tokens * rail.compute_s"});
}

/// What doubling the HB domain saves (rail-only '23 section 3.3), for the cluster of the case.
void add_gains(QuantityList& list, const RailAnalysis& a) {
  for (std::size_t i = 0; i + 1 < a.by_domain.size(); ++i) {
    const RailPoint& small = a.by_domain[i];
    const RailPoint& large = a.by_domain[i + 1];
    if (small.gpus != a.rail.gpus || large.gpus != a.rail.gpus) continue;
    list.fraction(fmt::format("gain_{}_{}", small.domain, large.domain),
                  fmt::format("shorter iteration from K = {} to {}", small.domain, large.domain),
                  1 - large.iteration.total() / small.iteration.total(),
                  {.source = "rail-only '23 section 3.3"});
  }
}

}  // namespace

void add_traffic(std::vector<PlanQuantity>& out, const TrafficSummary& summary) {
  QuantityList list(out, "traffic");
  list.number("devices", "devices", summary.devices);
  list.number("pairs", "ordered pairs of devices", summary.pairs);
  list.add("volume", "bytes of a batch", summary.volume);
  list.fraction("silent_pair_share", "pairs without traffic", summary.silent_pair_share);
  list.fraction("domain_pair_share", "pairs with traffic inside HB domains", summary.domain_pair_share);
  list.fraction("domain_volume_share", "share of the bytes inside HB domains", summary.domain_volume_share);
}

std::vector<PlanQuantity> rail_quantities(const Scenario& scenario) {
  const RailAnalysis analysis = analyse_rail(scenario);
  std::vector<PlanQuantity> out;
  QuantityList list(out, "rail");
  add_case(list, analysis.rail);
  add_iteration(list, analysis);
  add_gains(list, analysis);
  add_traffic(out, summarize(traffic_of(analysis.rail, analysis.best.model_group)));
  return out;
}

}  // namespace trainyard
