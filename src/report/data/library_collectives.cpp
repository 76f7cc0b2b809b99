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

constexpr double kMicrosecond = 1e-6;

std::string microseconds(double us) { return fmt::format("{:.3f}", us); }
std::string as_seconds(double us) { return fmt::format("{:.9g}", us * kMicrosecond); }

/// A line for each way, its times as `time` writes them and named by `unit`.
TextTable runs_table(const std::vector<WeighedLibraryRun>& runs, const std::string& unit,
                     std::string (*time)(double us)) {
  TextTable table{{"algorithm", "protocol", "chosen", "channels", "threads", "steps", "piece_bytes"}, {}};
  for (const char* name : {"start", "step", "tail", "time", "simulated", "tuner"})
    table.header.push_back(name + ("_" + unit));
  for (const WeighedLibraryRun& shown : runs) {
    const LibraryRun& r = shown.run;
    table.rows.push_back({to_string(r.algorithm), to_string(r.protocol), shown.chosen ? "yes" : "no",
                          fmt::format("{:g}", r.channels), fmt::format("{:g}", r.threads),
                          fmt::format("{:.4g}", r.steps), fmt::format("{:.0f}", r.piece_bytes),
                          time(r.start_us), time(r.step_us), time(r.tail_us), time(r.time_us()),
                          time(shown.simulated.si() / kMicrosecond),
                          r.estimate_is_time ? time(r.estimate_us) : ""});
  }
  return table;
}

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
                   {"start_s", r.start_us * kMicrosecond},
                   {"step_s", r.step_us * kMicrosecond},
                   {"tail_s", r.tail_us * kMicrosecond},
                   {"time_s", r.time_us() * kMicrosecond},
                   {"simulated_s", shown.simulated.si()},
                   {"tuner_s", r.estimate_is_time ? Json(r.estimate_us * kMicrosecond) : Json(nullptr)}});
  }
  return dumped(out);
}

TextTable library_runs_table(const std::vector<WeighedLibraryRun>& runs) {
  return runs_table(runs, "us", microseconds);
}

TextTable library_runs_data(const std::vector<WeighedLibraryRun>& runs) {
  return runs_table(runs, "s", as_seconds);
}

}  // namespace trainyard
