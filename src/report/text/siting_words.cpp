#include "report/text/siting_words.h"

#include <fmt/core.h>

#include "report/data/hiding_words.h"
#include "report/data/siting_numbers.h"

namespace trainyard {
namespace {

/// Three significant digits with what belongs to billions or millions.
std::string dollars(Usd cost) {
  return cost >= Usd(1e9) ? "$" + fixed(cost.si() / 1e9, 2) + "B" : "$" + fixed(cost.si() / 1e6, 2) + "M";
}

}  // namespace

std::string joint_words(const std::optional<JointFlow>& joint) {
  if (!joint) return "not put on the network";
  if (!joint->holds())
    return fmt::format("the network feeds only {} of {} MW", grouped(joint->delivered),
                       grouped(joint->wanted));
  std::string out = "the network feeds it";
  if (!joint->producer_lost) return out;
  if (joint->survives()) return out + ", also without any one of its largest plants or lines";
  return out + fmt::format(", {} of {} MW without the worst plant, {} without the worst line",
                           grouped(joint->producer_lost), grouped(joint->wanted), grouped(joint->line_lost));
}

std::string training_brief(const TrainingRun& run) {
  if (!run.infeasible.empty()) return "impossible: " + run.infeasible;
  return fmt::format("{} days, {:.2f}% of the step by the distance", fixed(run.duration.count(), 1),
                     100 * run.added_share);
}

std::string training_words(const TrainingRun& run) {
  if (!run.infeasible.empty()) return "impossible: " + run.infeasible;
  std::string out =
      fmt::format("{} days, {} (energy {}, {}wear {})", fixed(run.duration.count(), 1), dollars(run.cost()),
                  dollars(run.energy), run.fibre > Usd() ? "fibre " + dollars(run.fibre) + ", " : "",
                  dollars(run.capital));
  if (run.exchange.empty()) return out;
  out += fmt::format(
      "; the distance adds {:.2f}% to the step, {} days: a layer's exchange between sites ({}) takes "
      "{:.1f} ms at {:g} Gbps a device beside {:.1f} ms of backward pass; ",
      100 * run.added_share, fixed(run.added_duration.count(), 1), run.exchange, run.exchange_time.count(),
      run.rate.count(), run.backward.count());
  return out + "capacity that hides it, a device: " +
         hiding_words(run.hiding_bit_rate(), as<BitRate>(run.nic_rate));
}

}  // namespace trainyard
