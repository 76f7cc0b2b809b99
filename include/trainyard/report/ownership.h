// Years of a site as text, JSON, CSV and a page.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Chart;
struct OwnershipAnswer;
struct Scenario;

std::string ownership_text(const Scenario& scenario, const OwnershipAnswer& answer);
std::string ownership_json(const Scenario& scenario, const OwnershipAnswer& answer);

/// A row for each month.
std::string ownership_csv(const OwnershipAnswer& answer);

/// Devices and money over the years; bytes against time to detect.
std::vector<Chart> ownership_charts(const OwnershipAnswer& answer);

/// A self-contained HTML page.
std::string ownership_page(const Scenario& scenario, const OwnershipAnswer& answer);

}  // namespace trainyard
