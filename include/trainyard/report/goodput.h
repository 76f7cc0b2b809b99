// A run of months as text, JSON, CSV and a page.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/tables.h"
#include "trainyard/units.h"

namespace trainyard {

struct GoodputAnswer;
struct ResilienceRow;
struct Scenario;

/// `processor_time`: of the simulation.
std::string goodput_text(const Scenario& scenario, const GoodputAnswer& answer, Seconds processor_time);
std::string goodput_json(const Scenario& scenario, const GoodputAnswer& answer, Seconds processor_time);

/// A row for each cause: failures of a run, hours lost.
std::string goodput_csv(const GoodputAnswer& answer);

/// A self-contained HTML page: the first run as a timeline, lost hours, what spares and detection are worth.
std::string goodput_page(const Scenario& scenario, const GoodputAnswer& answer);

/// Published figures and predictions.
TextTable resilience_table(const std::vector<ResilienceRow>& rows);
/// The same with numbers in place of words, for JSON and CSV.
TextTable resilience_records(const std::vector<ResilienceRow>& rows);

}  // namespace trainyard
