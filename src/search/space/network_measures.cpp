#include "search/space/network_measures.h"

#include <fmt/core.h>

#include <limits>

#include "base/errors.h"
#include "search/space/measure_kinds.h"
#include "trainyard/errors.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

double all_datacenters(const NetworkDesign& design, double of_one) {
  return of_one * static_cast<double>(design.datacenters);
}

double network_price(const Plan& plan) {
  const NetworkDesign design = measured_network(plan);
  return all_datacenters(design, price(design, plan.scenario).price.si());
}

/// Not a number where the catalog knows no power of a part.
double network_power(const Plan& plan) {
  const NetworkDesign design = measured_network(plan);
  const auto power = price(design, plan.scenario).power();
  return power ? all_datacenters(design, power->si()) : std::numeric_limits<double>::quiet_NaN();
}

Plan on_its_network(const Plan& plan) {
  const NetworkDesign design = measured_network(plan);
  return with_shares(plan, shares_on(design, traffic_of(plan)), forwarded_on(design));
}

SearchMeasure of_network(const char* name, const char* label, Unit unit, double (*read)(const Plan&)) {
  return {.name = name, .label = label, .unit = unit, .read = read, .of_network = true};
}

SearchMeasure of_design(const char* name, const char* label, Unit unit, double (*read)(const Plan&)) {
  SearchMeasure out = of_network(name, label, unit, read);
  out.of_numbers = true;
  return out;
}

}  // namespace

NetworkDesign measured_network(const Plan& plan) {
  const Scenario& s = plan.scenario;
  if (s.designs.size() != 1) {
    fail_input(whole(s.source_name),
               fmt::format("{} designs, and measures of a network are about one", s.designs.size()),
               "one [[design]], whose settings may be free");
  }
  NetworkDesign design = designs_of(s).front();
  if (const std::string other = mismatch(design, plan); !other.empty())
    fail_input(whole(s.source_name), fmt::format("design '{}' is {}", design.input.name, other),
               "leave out its hosts, domain and rate: they are then the cluster's");
  if (design.hosts > kMostFollowedHosts)
    fail_input(whole(s.source_name),
               fmt::format("design '{}' has {} hosts, and traffic is followed for up to {}",
                           design.input.name, design.hosts, kMostFollowedHosts));
  return design;
}

std::vector<SearchMeasure> network_measures() {
  return {
      of_design("network_price", "price of the network", Unit::usd, network_price),
      of_design("network_power", "power of the network", Unit::watts, network_power),
      largest(of_design("bisection", "bisection of a datacenter's network", Unit::bits_per_second,
                        [](const Plan& p) { return count(measured_network(p)).bisection.si(); })),
      largest(of_design("bisection_share", "bisection over half of the hosts' rate", Unit::fraction,
                        [](const Plan& p) { return count(measured_network(p)).bisection_share; })),
      timed(of_network("network_step_time", "step time on the network", Unit::seconds,
                       [](const Plan& p) { return on_its_network(p).step.step.si(); })),
      timed(of_network("network_training_time", "time to train on the network", Unit::seconds,
                       [](const Plan& p) { return on_its_network(p).step.days_to_train.si(); })),
      of_network("network_exposed", "exposed share of a step on the network", Unit::fraction,
                 [](const Plan& p) { return on_its_network(p).step.exposed_share_step; }),
  };
}

}  // namespace trainyard
