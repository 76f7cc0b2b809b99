#include "step/transfer_rates.h"

#include <fmt/core.h>

#include "trainyard/errors.h"

namespace trainyard {

namespace {

std::string rate_setting(const TransferClass& c) {
  return fmt::format("network.{}_rate", step_resource_name(c.network));
}

}  // namespace

TransferRates::TransferRates(const StepGraph& graph, const Networks& networks) {
  rates_[static_cast<std::size_t>(StepResource::scale_up)] = networks.scale_up;
  rates_[static_cast<std::size_t>(StepResource::scale_out)] = networks.scale_out;
  rates_[static_cast<std::size_t>(StepResource::wide_area)] = networks.wide_area;
  rates_[static_cast<std::size_t>(StepResource::host)] = {networks.host, Seconds(0)};
  for (const TransferClass& c : graph.classes()) {
    if (on(c.network).rate.si() > 0) continue;
    fail_input(whole(rate_setting(c)), fmt::format("'{}' needs the {} network, whose rate is zero", c.name,
                                                   step_resource_name(c.network)));
  }
}

StepTime TransferRates::alone(const TransferClass& c, double bytes) const {
  const Seconds time = Bytes(bytes) / most(c);
  if (time <= seconds_of(kLongestStep)) return step_time(time);
  fail_input(whole(rate_setting(c)),
             fmt::format("'{}' would send for {:.4g} s over the {} network", c.name, time.si(),
                         step_resource_name(c.network)),
             fmt::format("a step may take {:.4g} s: a higher {} or efficiency, or fewer bytes",
                         seconds_of(kLongestStep).si(), rate_setting(c)));
}

}  // namespace trainyard
