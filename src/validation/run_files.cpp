#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/csv.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/measured_runs.h"
#include "trainyard/nearest.h"
#include "trainyard/operator_table.h"  // unpacked
#include "validation/run_scenario.h"
#include "validation/scenario_run.h"

namespace trainyard {
namespace {

/// Files may name a run alike.
void check_ids(const std::vector<MeasuredRun>& runs) {
  std::set<std::string> ids;
  for (const MeasuredRun& run : runs) {
    if (!ids.insert(run.id).second)
      fail_input(whole("--runs"), "two runs have the id '" + run.id + "'", "give one of them another");
  }
}

}  // namespace

RunFile read_runs(const std::vector<std::string>& paths, const Catalog& catalog) {
  if (paths.empty()) return {shipped_runs(catalog), {}};
  RunFile out;
  for (const std::string& path : paths) {
    const std::string text = unpacked(read_file(path), path);
    refuse_utf16(text, path);
    RunFile file = read_run_file(text, path, catalog);
    std::move(file.runs.begin(), file.runs.end(), std::back_inserter(out.runs));
    std::move(file.skipped.begin(), file.skipped.end(), std::back_inserter(out.skipped));
  }
  check_ids(out.runs);
  return out;
}

const MeasuredRun& run_of_id(const std::vector<MeasuredRun>& runs, const std::string& id,
                             const std::string& asked_by) {
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const MeasuredRun& run) { return run.id == id; });
  if (found != runs.end()) return *found;
  std::vector<std::string> ids;
  for (const MeasuredRun& run : runs) ids.push_back(run.id);
  fail_input(whole(asked_by), "no run has the id '" + id + "'", suggestion(id, ids));
}

std::string scenario_text_of(const MeasuredRun& run, const Catalog& catalog) {
  return run_toml(run, catalog) + (run.scenario_text.empty() ? measurement_section(run, catalog) : "");
}

}  // namespace trainyard
