#include "trainyard/report/rail.h"

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/counted.h"
#include "report/data/show.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/rail.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

std::string point_row(const RailPoint& p) {
  return fmt::format("   {:>8} {:>6} {:>11} {:>6} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9}\n",
                     show_count(p.gpus), p.domain, show_count(p.batch_tokens), p.iteration.model_group,
                     show(p.iteration.compute), show(p.iteration.across), show(p.iteration.inside),
                     show(p.iteration.model), show(p.iteration.total()), show(p.ideal),
                     show_share(p.relative_performance()));
}

std::string points_text(const std::string& title, const std::vector<RailPoint>& points) {
  std::string out = fmt::format(
      "\n{}\n   {:>8} {:>6} {:>11} {:>6} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9}\n", title, "GPUs",
      "K", "batch", "N_M", "compute", "across", "inside", "model", "iteration", "ideal", "relative");
  for (const RailPoint& p : points) out += point_row(p);
  return out;
}

/// A group of a formula, which is no whole number and may be beyond all clusters.
std::string show_group(double devices) {
  constexpr double kLarge = 1e6;
  if (!std::isfinite(devices)) return "none";
  return devices < kLarge ? fmt::format("{:.2f}", devices) : fmt::format("{:.4g}", devices);
}

}  // namespace

std::string rail_text(const Scenario& scenario) {
  const RailAnalysis a = analyse_rail(scenario);
  const RailCase& r = a.rail;
  std::string out =
      fmt::format("{}\n\nHB domains of {} in a cluster of {} GPUs, batches of {}\n", scenario.title, r.domain,
                  show_count(r.gpus), counted(show_count(r.batch_tokens), "token"));
  out += fmt::format(
      "   {:<28}{} best of the divisors of K; {} by equation 2 as printed, {} where the derivative "
      "vanishes\n",
      "model-parallel group (N_M)", a.best.model_group, show_group(a.printed_group),
      show_group(a.stationary_group));
  out += fmt::format("   {:<28}{} = compute {} + across {} + inside {} + model {}\n",
                     "iteration (equation 1)", show(a.best.total()), show(a.best.compute),
                     show(a.best.across), show(a.best.inside), show(a.best.model));
  out += fmt::format("   {:<28}{} (equation 3): {:.3f} times as fast; B_F / B_S = {:.4g}\n",
                     "one HB network for all", show(a.ideal), a.best.total() / a.ideal, a.bandwidth_ratio);
  out += fmt::format("   {:<28}{} for {} at perfect utilization\n", "training", show(a.days_to_train),
                     counted(show_count(a.tokens), "token"));
  out += points_text("Iteration time over HB-domain size (Fig. 7)", a.by_domain);
  if (!a.by_batch.empty()) out += points_text("Iteration time over batch size (Fig. 8)", a.by_batch);
  return out + "\n" + traffic_text(summarize(traffic_of(r, a.best.model_group)));
}

std::string traffic_text(const TrafficSummary& s) {
  std::string out = fmt::format("Traffic of a batch between {}: {} in all\n",
                                counted(show_count(s.devices), "device"), show(s.volume));
  out += fmt::format("   {:<36}{:>12} {:>11} {:>11} {:>11} {:>11}\n", "kind", "pairs", "of pairs", "a pair",
                     "volume", "of volume");
  for (const TrafficShare& c : s.classes) {
    out += fmt::format("   {:<36}{:>12} {:>11} {:>11} {:>11} {:>11}{}\n", c.name, show_count(c.pairs),
                       show_share(c.pair_share), show(c.pair), show(c.volume), show_share(c.volume_share),
                       c.in_domain ? "  in HB domains" : "");
  }
  out += fmt::format(
      "   {} of the pairs exchange nothing; {} exchange inside HB domains, with {} of the bytes\n",
      show_share(s.silent_pair_share), show_share(s.domain_pair_share), show_share(s.domain_volume_share));
  return out;
}

}  // namespace trainyard
