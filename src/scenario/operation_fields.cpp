#include "scenario/checks.h"
#include "scenario/choices/operation.h"
#include "scenario/sections.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kDearest_usd_per_mwh = 1e5;
constexpr double kMostHourValue_usd = 1e5;
constexpr double kMostCurve = 1440;

void check_length(const std::vector<double>& curve, const char* key, const Scenario& scenario,
                  const Table& document, Findings& findings) {
  if (static_cast<double>(curve.size()) > kMostCurve)
    findings.add(locate(document, key, scenario.source_name), "more parts than a day has minutes",
                 "at most 1440");
}

}  // namespace

const FieldTable<OperationInput>& operation_fields() {
  using O = OperationInput;
  static const FieldTable<O> table = {
      field("rule", &O::rule, "Whose devices and power come first."),
      field(
          "service", &O::service, between(0, 1),
          "Share of the devices that other work wants, in equal parts of a day from midnight; empty: none."),
      field("prices_usd_per_mwh", &O::prices_usd_per_mwh,
            between(-kDearest_usd_per_mwh, kDearest_usd_per_mwh),
            "Price of energy in equal parts of a day; empty: facility.electricity_price all day."),
      field("caps", &O::caps, between(0, 1),
            "Share of the power limit that may be drawn, in equal parts of a day; empty: all."),
      field("weekend_service", &O::weekend_service, between(0, 1),
            "service of Saturdays and Sundays; empty: as on other days."),
      field("weekend_prices_usd_per_mwh", &O::weekend_prices_usd_per_mwh,
            between(-kDearest_usd_per_mwh, kDearest_usd_per_mwh),
            "prices_usd_per_mwh of Saturdays and Sundays; empty: as on other days."),
      field("weekend_caps", &O::weekend_caps, between(0, 1),
            "caps of Saturdays and Sundays; empty: as on other days."),
      field("power_limit", &O::power_limit, positive(), "Power that the site may draw.")
          .otherwise("all devices at full power, at the higher PUE"),
      field("pause_above_usd_per_mwh", &O::pause_above_usd_per_mwh,
            between(-kDearest_usd_per_mwh, kDearest_usd_per_mwh),
            "Training stops in parts of the day with a higher price of energy.")
          .otherwise("it does not"),
      field("service_hour", &O::service_hour, between(0, kMostHourValue_usd),
            "What a device's hour of other work earns."),
      field("change_time", &O::change_time, between(0, 86400),
            "Time for which training stands still when its replicas become more or fewer."),
      field("least_replicas", &O::least_replicas, between(0, 1),
            "Share of the replicas below which training waits."),
      field("compute_power", &O::compute_power, between(0, 1),
            "Share of a device's power that it draws while it computes.")
          .from("8.4 of the 10.2 kW of a server of 8 H100, the most seen in training (Latif et al. 2025)"),
      field("transfer_power", &O::transfer_power, between(0, 1), "The same while it waits for transfers.")
          .from("estimate; Choukse et al. 2025 show drops towards idling"),
      field("idle_power", &O::idle_power, between(0, 1), "The same while it idles.").from("estimate"),
      field("service_power", &O::service_power, between(0, 1), "The same with other work.").from("estimate"),
      field("slow_devices", &O::slow_devices,
            "Whether devices lower their clocks under a cap, where that trains more than fewer replicas do."),
      field("clock_exponent", &O::clock_exponent, between(1, 3),
            "Power of computing beyond idling goes with the clock to this power.")
          .from("estimate: 3 where voltage follows the clock, 1 where it stays (Mudge 2001)"),
      field("least_clock", &O::least_clock, share(), "Lowest clock, as a share of the full one.")
          .from("estimate"),
      field("ramp_limit", &O::ramp_limit, positive(),
            "By how much the grid lets the site's power change within a minute.")
          .otherwise("there is no limit"),
      field("checkpoints_share_network", &O::checkpoints_share_network,
            "Whether checkpoints go over the scale-out network, beside training."),
  };
  return table;
}

void check_operation(const Scenario& scenario, const Table& document, Findings& findings) {
  if (!scenario.operation) return;
  const OperationInput& o = *scenario.operation;
  check_length(o.service, "operation.service", scenario, document, findings);
  check_length(o.prices_usd_per_mwh, "operation.prices_usd_per_mwh", scenario, document, findings);
  check_length(o.caps, "operation.caps", scenario, document, findings);
  check_length(o.weekend_service, "operation.weekend_service", scenario, document, findings);
  check_length(o.weekend_prices_usd_per_mwh, "operation.weekend_prices_usd_per_mwh", scenario, document,
               findings);
  check_length(o.weekend_caps, "operation.weekend_caps", scenario, document, findings);
  if (o.idle_power > o.compute_power || o.idle_power > o.service_power || o.idle_power > o.transfer_power)
    findings.add(locate(document, "operation.idle_power", scenario.source_name),
                 "an idle device draws more than one at work", "at most the other shares of power");
}

}  // namespace trainyard
