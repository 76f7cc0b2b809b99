// The rail-only analysis and traffic matrices: named quantities, tables, JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "report/output.h"
#include "report/quantities.h"
#include "step/plan_traffic.h"
#include "step/rail_analysis.h"
#include "trainyard/scenario.h"

namespace trainyard {

/// Every quantity of the analysis and of its traffic matrix.
std::vector<PlanQuantity> rail_quantities(const Scenario& scenario);

std::string rail_text(const Scenario& scenario);
std::string rail_json(const Scenario& scenario);
std::string rail_csv(const Scenario& scenario);

std::string traffic_text(const TrafficSummary& summary);
std::string traffic_json(const TrafficSummary& summary, const Provenance& provenance);
std::string traffic_csv(const TrafficSummary& summary);

}  // namespace trainyard
