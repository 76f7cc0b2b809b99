// A measured run that is given as a scenario with a [measurement] section.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

struct Catalog;
struct MeasuredRun;
struct Scenario;

/// Whether a file of runs is a scenario, by its name.
bool is_scenario_file(const std::string& name);

/// The run of a scenario. Throws InputError with what is wrong in it; a run states its mapping.
MeasuredRun scenario_run(std::string_view text, const std::string& name, const Catalog& catalog);

/// The scenario of such a run, by a catalog that may differ from the one it was read with.
Scenario scenario_of_run(const MeasuredRun& run, const Catalog& catalog);

/// What a run measured, as a section of its scenario.
std::string measurement_section(const MeasuredRun& run, const Catalog& catalog);

}  // namespace trainyard
