#include "report/text/siting_words.h"

#include <fmt/core.h>

#include "report/data/show.h"

namespace trainyard {
namespace {

/// Three significant digits with what belongs to billions or millions.
std::string dollars(double usd) {
  return usd >= 1e9 ? fmt::format("${:.2f}B", usd / 1e9) : fmt::format("${:.2f}M", usd / 1e6);
}

}  // namespace

std::string joint_words(const std::optional<JointFlow>& joint) {
  if (!joint) return "not put on the network";
  if (!joint->holds())
    return fmt::format("the network feeds only {} of {} MW", grouped(joint->delivered_mw),
                       grouped(joint->wanted_mw));
  std::string out = "the network feeds it";
  if (!joint->producer_lost_mw) return out;
  if (joint->survives()) return out + ", also without any one of its largest plants or lines";
  return out + fmt::format(", {} of {} MW without the worst plant, {} without the worst line",
                           grouped(joint->producer_lost_mw), grouped(joint->wanted_mw),
                           grouped(joint->line_lost_mw));
}

std::string training_brief(const TrainingRun& run) {
  if (!run.infeasible.empty()) return "impossible: " + run.infeasible;
  return fmt::format("{:.1f} days, {:.2f}% of the step by the distance", run.days, 100 * run.added_share);
}

std::string training_words(const TrainingRun& run) {
  if (!run.infeasible.empty()) return "impossible: " + run.infeasible;
  std::string out = fmt::format(
      "{:.1f} days, {} (energy {}, {}wear {})", run.days, dollars(run.usd()), dollars(run.energy_usd),
      run.fibre_usd > 0 ? "fibre " + dollars(run.fibre_usd) + ", " : "", dollars(run.capital_usd));
  if (run.exchange.empty()) return out;
  out += fmt::format(
      "; the distance adds {:.2f}% to the step, {:.1f} days: a layer's exchange between sites ({}) takes "
      "{:.1f} ms at {:g} Gbps a device beside {:.1f} ms of backward pass; ",
      100 * run.added_share, run.days_added, run.exchange, run.exchange_ms, run.rate_gbps, run.backward_ms);
  return out + (run.hiding_gbps ? fmt::format("{:.3g} Gbps a device hide it", *run.hiding_gbps)
                                : std::string("no capacity hides it"));
}

}  // namespace trainyard
