// A measured run as the question that plan and step answer.
#pragma once

#include <memory>
#include <string>

namespace trainyard {

struct Catalog;
struct MeasuredRun;
struct Scenario;

/// The run as a scenario file, every setting that its row states written out. Nothing of its id, source, note
/// or model's name matters to the answer; they stand in comments and titles.
std::string run_toml(const MeasuredRun& run, const Catalog& catalog);

/// That file, read. Throws InputError when the scenario cannot hold the run.
Scenario run_scenario(const MeasuredRun& run, const Catalog& catalog);

}  // namespace trainyard
