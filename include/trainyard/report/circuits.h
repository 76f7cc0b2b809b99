// A step over circuits as text, JSON, CSV and a page.
#pragma once

#include <string>

namespace trainyard {

struct CircuitsAnswer;
struct Scenario;

std::string circuits_text(const Scenario& scenario, const CircuitsAnswer& answer);
std::string circuits_json(const Scenario& scenario, const CircuitsAnswer& answer);

/// A row for each network and each other choice: step, price, power.
std::string circuits_csv(const CircuitsAnswer& answer);

/// A self-contained HTML page: the ports of every stage in time, the step by the time of a change, networks,
/// failures.
std::string circuits_page(const Scenario& scenario, const CircuitsAnswer& answer);

}  // namespace trainyard
