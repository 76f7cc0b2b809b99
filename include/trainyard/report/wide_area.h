// Several sites, in closed form and packet by packet, as text, JSON, CSV and charts.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Chart;
struct LongHaulResult;
struct Scenario;
struct WideAreaAnswer;

std::string wide_area_text(const Scenario& scenario, const WideAreaAnswer& answer);
std::string long_haul_text(const Scenario& scenario, const std::vector<LongHaulResult>& results);

std::string wide_area_json(const Scenario& scenario, const WideAreaAnswer& answer);

/// The curves: a row for each number of sites and rate.
std::string wide_area_csv(const WideAreaAnswer& answer);

std::string long_haul_json(const Scenario& scenario, const std::vector<LongHaulResult>& results);
std::string long_haul_csv(const std::vector<LongHaulResult>& results);

/// Exposed share against capacity, a line for each number of sites (Fig. 3c of HotNets '24).
Chart wide_area_chart(const WideAreaAnswer& answer);

/// Exposed share against capacity; against the round trip between sites what the exchange of a layer takes,
/// what it adds to a step, and the capacity that would hide it. A line for each number of sites.
std::vector<Chart> wide_area_charts(const WideAreaAnswer& answer);

/// The longest completion time against the bit-error rate, a line for each transport.
Chart long_haul_chart(const std::vector<LongHaulResult>& results);

/// The answers as pages in one file each.
std::string wide_area_page(const Scenario& scenario, const WideAreaAnswer& answer);
std::string long_haul_page(const Scenario& scenario, const std::vector<LongHaulResult>& results);

}  // namespace trainyard
