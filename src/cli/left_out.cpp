#include "cli/left_out.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "cli/screen.h"
#include "trainyard/facility.h"
#include "trainyard/plan/facility.h"
#include "trainyard/scenario.h"

namespace trainyard {

void warn_of_domains_left_out(const Scenario& scenario) {
  constexpr std::int64_t kFewest = 100;  // one of so many
  const std::int64_t datacenters = scenario.facility.datacenters;
  const bool of_facility = std::any_of(scenario.designs.begin(), scenario.designs.end(),
                                       [](const DesignInput& design) { return !design.hosts; });
  if (datacenters == 1 || !of_facility) return;
  const std::int64_t domains = plan_facility(scenario).domains;
  const std::int64_t left = domains % datacenters;
  if (left * kFewest < domains || left == domains) return;
  remark(fmt::format(
      "trainyard: warning: {} HB domains do not divide over {} datacenters: networks are those of "
      "{} each, and {} in none; facility.devices says how many there are, 'hosts' of a "
      "[[design]] how many devices a datacenter's network has\n",
      domains, datacenters, domains / datacenters, left == 1 ? "1 stands" : fmt::format("{} stand", left)));
}

}  // namespace trainyard
