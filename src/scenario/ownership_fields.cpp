#include <set>

#include "base/distinct.h"
#include "scenario/checks.h"
#include "scenario/sections.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kLongestHorizon_s = 100 * 365 * 86400.0;
constexpr double kMostWatchedPorts = 1e9;

}  // namespace

const FieldTable<PhaseInput>& phase_fields() {
  using P = PhaseInput;
  static const FieldTable<P> table = {
      field("name", &P::name, "Name of the phase.").required(),
      field("hb_domain", &P::hb_domain,
            "Catalog key of the HB domains; empty: that of the facility. Another one is mapped anew."),
      field("devices", &P::devices, between(1, 1e9), "Accelerators.").required(),
      field("order", &P::order, between(0, kLongestHorizon_s),
            "Time from the beginning until it is ordered."),
      field("lead", &P::lead, between(0, kLongestHorizon_s), "Time from the order until it is delivered."),
      field("install", &P::install, between(0, kLongestHorizon_s), "Time from delivery until it trains."),
      field("price", &P::price, at_least(0), "Price of everything.")
          .otherwise("that of the HB domains over facility.compute_share"),
  };
  return table;
}

const FieldTable<OwnershipInput>& ownership_fields() {
  using O = OwnershipInput;
  static const FieldTable<O> table = {
      field("horizon", &O::horizon, between(86400, kLongestHorizon_s), "Time that is looked at."),
      field("life", &O::life, between(86400, kLongestHorizon_s), "Time that devices serve."),
      field("write_off", &O::write_off, between(86400, kLongestHorizon_s),
            "Time in which a price is written off, in equal parts from the first day of service."),
      field("discount_rate", &O::discount_rate, between(0, 1), "By which a year makes money worth less."),
      field("paid_at_order", &O::paid_at_order, between(0, 1),
            "Share of the price that is paid with the order; the rest on delivery."),
      field("maintenance", &O::maintenance, between(0, 1),
            "Share of the price that a year in service costs."),
      field("staff", &O::staff, at_least(0), "Cost of a year, from the first delivery on."),
      field("ports", &O::ports, between(1, kMostWatchedPorts), "Ports that are watched.")
          .otherwise("those of the first design in use, and of the devices"),
      field("counters", &O::counters, between(1, 1e6), "Counters of a port that a sample holds."),
      field("counter_bytes", &O::counter_bytes, between(1, 1024), "Bytes of a counter on the way and kept."),
      field("samples", &O::samples, between(1, 1000), "Samples in a row that have to miss a part."),
      field("processing", &O::processing, between(0, 86400), "Time from a sample until it is judged."),
      field("retention", &O::retention, between(0, kLongestHorizon_s), "Time that samples are kept."),
      distinct_field("intervals_s", &O::intervals_s, between(1e-6, 86400),
                     "Times between samples to compare."),
  };
  return table;
}

void check_ownership(const Scenario& scenario, Findings& findings) {
  if (scenario.ownership && scenario.ownership->intervals_s.empty())
    findings.add(whole("ownership.intervals_s"), "no interval to compare", "one at least");
  std::set<std::string> names;
  for (const PhaseInput& phase : scenario.phases)
    if (!names.insert(phase.name).second)
      findings.add(place_of(phase.places, "name"), "a second phase of this name", "another name");
}

}  // namespace trainyard
