// Several sites: tables, JSON, CSV and charts, in closed form and packet by packet.
#pragma once

#include <string>
#include <vector>

#include "network/long_haul.h"
#include "report/chart.h"
#include "search/wide_area_plan.h"
#include "trainyard/scenario.h"

namespace trainyard {

std::string wide_area_text(const Scenario& scenario, const WideAreaAnswer& answer);
std::string wide_area_json(const Scenario& scenario, const WideAreaAnswer& answer);
/// The curves: a row for each number of sites and rate.
std::string wide_area_csv(const WideAreaAnswer& answer);
/// Exposed share against capacity, a line for each number of sites (Fig. 3c of HotNets '24).
Chart wide_area_chart(const WideAreaAnswer& answer);

/// The runs that [long_haul] asks for: each transport at each bit-error rate; with flows inside sites, each
/// without and with priority for the wide area.
std::vector<LongHaulCase> long_haul_cases(const Scenario& scenario);

std::string long_haul_text(const Scenario& scenario, const std::vector<LongHaulResult>& results);
std::string long_haul_json(const Scenario& scenario, const std::vector<LongHaulResult>& results);
std::string long_haul_csv(const std::vector<LongHaulResult>& results);
/// The longest completion time against the bit-error rate, a line for each transport.
Chart long_haul_chart(const std::vector<LongHaulResult>& results);

}  // namespace trainyard
