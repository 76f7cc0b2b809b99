#include "trainyard/report/library_collectives.h"

#include <fmt/core.h>

#include "report/data/json.h"
#include "trainyard/library_validation.h"

namespace trainyard {
namespace {

void add_errors(std::vector<std::string>& row, const LibraryErrors& errors) {
  row.push_back(errors.count > 0 ? fmt::format("{:.2f}", errors.median_pct) : "");
  row.push_back(errors.count > 0 ? fmt::format("{:.2f}", errors.median_absolute_pct) : "");
}

std::vector<std::string> row_of(const LibraryJudgement& j) {
  std::vector<std::string> row = {j.operation, j.name.empty() ? "all" : j.name,
                                  j.bytes > 0 ? fmt::format("{:.0f}", j.bytes) : "all",
                                  fmt::format("{}", j.fitted.count), fmt::format("{}", j.held_out.count)};
  add_errors(row, j.fitted);
  add_errors(row, j.held_out);
  add_errors(row, j.all);
  add_errors(row, j.simulated);
  return row;
}

double simulated_us(const WeighedLibraryRun& run) { return run.simulated.si() * 1e6; }

}  // namespace

TextTable library_validation_table(const LibraryValidation& validation) {
  TextTable table{{"operation", "system", "bytes", "fitted_rows", "held_out_rows", "fitted_median_pct",
                   "fitted_absolute_pct", "held_out_median_pct", "held_out_absolute_pct", "median_pct",
                   "absolute_pct", "simulated_median_pct", "simulated_absolute_pct"},
                  {}};
  for (const LibraryJudgement& j : validation.sizes) table.rows.push_back(row_of(j));
  for (const LibraryJudgement& j : validation.systems) table.rows.push_back(row_of(j));
  return table;
}

std::string library_runs_json(const std::vector<WeighedLibraryRun>& runs) {
  Json out = Json::array();
  for (const WeighedLibraryRun& shown : runs) {
    const LibraryRun& r = shown.run;
    out.push_back({{"algorithm", to_string(r.algorithm)},
                   {"protocol", to_string(r.protocol)},
                   {"chosen", shown.chosen},
                   {"channels", r.channels},
                   {"threads", r.threads},
                   {"steps", r.steps},
                   {"piece_bytes", r.piece_bytes},
                   {"start_us", r.start_us},
                   {"step_us", r.step_us},
                   {"tail_us", r.tail_us},
                   {"time_us", r.time_us()},
                   {"simulated_us", simulated_us(shown)},
                   {"tuner_us", r.estimate_us}});
  }
  return dumped(out);
}

TextTable library_runs_table(const std::vector<WeighedLibraryRun>& runs) {
  TextTable table{{"algorithm", "protocol", "chosen", "channels", "threads", "steps", "piece_bytes",
                   "start_us", "step_us", "tail_us", "time_us", "simulated_us", "tuner_us"},
                  {}};
  for (const WeighedLibraryRun& shown : runs) {
    const LibraryRun& r = shown.run;
    table.rows.push_back({to_string(r.algorithm), to_string(r.protocol), shown.chosen ? "yes" : "no",
                          fmt::format("{:g}", r.channels), fmt::format("{:g}", r.threads),
                          fmt::format("{:.4g}", r.steps), fmt::format("{:.0f}", r.piece_bytes),
                          fmt::format("{:.3f}", r.start_us), fmt::format("{:.3f}", r.step_us),
                          fmt::format("{:.3f}", r.tail_us), fmt::format("{:.3f}", r.time_us()),
                          fmt::format("{:.3f}", simulated_us(shown)), fmt::format("{:.3f}", r.estimate_us)});
  }
  return table;
}

}  // namespace trainyard
