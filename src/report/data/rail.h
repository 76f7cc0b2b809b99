// The rail-only analysis and traffic matrices for programs.
#pragma once

#include <string>

#include "report/data/provenance.h"
#include "step/plan_traffic.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string rail_json(const Scenario& scenario);
std::string rail_csv(const Scenario& scenario);

std::string traffic_json(const TrafficSummary& summary, const Provenance& provenance);
std::string traffic_csv(const TrafficSummary& summary);

}  // namespace trainyard
