// Training beside other work as text, JSON, CSV and a page.
#pragma once

#include <string>

namespace trainyard {

struct OperationAnswer;
struct Scenario;

std::string operation_text(const Scenario& scenario, const OperationAnswer& answer);
std::string operation_json(const Scenario& scenario, const OperationAnswer& answer);

/// A row for each part of the day.
std::string operation_csv(const OperationAnswer& answer);

/// A self-contained HTML page: devices and power through the day, rules beside each other, pauses by price,
/// power within a step, swings.
std::string operation_page(const Scenario& scenario, const OperationAnswer& answer);

}  // namespace trainyard
