// schedule: many jobs on one cluster.
#include "trainyard/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/loading.h"
#include "cli/offers.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/jobs.h"
#include "trainyard/nearest.h"
#include "trainyard/report/schedule.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr const char* kSynthetic = "synthetic";
constexpr const char* kSharedCluster = "shared-cluster";
constexpr double kDay_s = 86400;

struct ScheduleOptions : ScenarioOptions {
  std::string list;
  std::string format_of_list;  // --jobs-format
  bool skip_bad_rows = false;
  std::optional<double> jobs;  // of a synthetic list
  std::optional<double> days;
  std::optional<double> load;
  std::optional<double> weekend;
  std::string write_jobs;  // --write-jobs FILE
  bool compare = false;
  std::string report;  // --report FILE
  unsigned threads = 1;
};

void declare_schedule(Flags& flags, ScheduleOptions& options) {
  flags
      .option("list", options.list,
              "file of jobs: our CSV or a public trace; or the word synthetic (docs/guide.md)")
      .reads()
      .required()
      .offers([] { return std::vector<std::string>{"synthetic"}; });
  flags.scenario(options).required(false);
  flags
      .option("--jobs-format", options.format_of_list,
              "trainyard, acme, helios, openb, pai, philly (by the file's first line)")
      .offers(job_format_names);
  flags.flag("--skip-bad-rows", options.skip_bad_rows,
             "leave out rows that contradict themselves, and count them");
  flags.option("--jobs", options.jobs, "jobs of a synthetic list (2000)");
  flags.option("--days", options.days, "days in which they are submitted (7)");
  flags.option("--load", options.load, "their device-time over the cluster's (0.8)");
  flags.option("--weekend", options.weekend, "their rate on Saturdays and Sundays over other days' (1)");
  flags.option("--write-jobs", options.write_jobs, "write the list as our CSV").writes();
  const Flag compare = flags.flag("--compare", options.compare,
                                  "replay it under other rules, on other networks, with other spares");
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
  flags.threads(options.threads, "threads that compare (1); the result is the same").needs(compare);
}

SyntheticJobs synthetic_settings(const ScheduleOptions& options, const Scenario& scenario) {
  SyntheticJobs s;
  if (options.jobs) {
    const bool whole_number = *options.jobs == std::floor(*options.jobs);
    if (!whole_number || !(*options.jobs >= 1 && *options.jobs <= static_cast<double>(kMostJobs)))
      fail_input(whole("--jobs"), fmt::format("{:g} is no number of jobs", *options.jobs),
                 "allowed: a whole number, 1 to 20000000");
    s.jobs = static_cast<std::int64_t>(*options.jobs);
  }
  if (options.days) {
    if (!(*options.days > 0 && *options.days <= 1e5))
      fail_input(whole("--days"), fmt::format("{:g} is no number of days", *options.days),
                 "allowed: more than 0, up to 100000");
    s.span_s = *options.days * kDay_s;
  }
  if (options.load) {
    if (!(*options.load > 0 && *options.load <= 100))
      fail_input(whole("--load"), fmt::format("{:g} is no share of the cluster", *options.load),
                 "allowed: more than 0, up to 100");
    s.load = *options.load;
  }
  if (options.weekend) {
    if (!(*options.weekend >= 0 && *options.weekend <= 10))
      fail_input(whole("--weekend"), fmt::format("{:g} is no share of other days' rate", *options.weekend),
                 "allowed: 0 to 10");
    s.weekend_share = *options.weekend;
  }
  s.devices = schedule_cluster(scenario).devices;
  s.seed = scenario.schedule.value_or(ScheduleInput{}).seed;
  return s;
}

/// What stands in the place of the jobs may be the scenario, or nothing.
void check_list(const std::string& list) {
  constexpr const char* kExpected =
      "a CSV file of jobs or a public trace, or the word synthetic; then the scenario: `trainyard schedule "
      "synthetic shared-cluster`";
  const std::vector<std::string> shipped = scenario_names();
  std::error_code code;
  const bool exists = std::filesystem::exists(list, code);
  const bool names_scenario = list.ends_with(".toml") ||
                              (!exists && std::find(shipped.begin(), shipped.end(), list) != shipped.end());
  if (names_scenario)
    fail_input(whole("list"), "'" + list + "' is a scenario: jobs are expected first", kExpected);
  if (!exists)
    fail_input(whole("list"), "no file of jobs '" + list + "'",
               nearest(list, {kSynthetic}).empty() ? kExpected : suggestion(list, {kSynthetic}));
}

JobList jobs_of(const ScheduleOptions& options, const Scenario& scenario) {
  if (options.list == kSynthetic) {
    for (const auto& [flag, is_given] : {std::pair("--jobs-format", !options.format_of_list.empty()),
                                         {"--skip-bad-rows", options.skip_bad_rows}}) {
      if (is_given) fail_input(whole(flag), "a synthetic list has no file", "name a file of jobs");
    }
    return synthetic_jobs(synthetic_settings(options, scenario));
  }
  for (const auto& [flag, value] : {std::pair("--jobs", options.jobs),
                                    {"--days", options.days},
                                    {"--load", options.load},
                                    {"--weekend", options.weekend}}) {
    if (value) fail_input(whole(flag), "is of synthetic lists, but the jobs are those of a file", kSynthetic);
  }
  check_list(options.list);
  JobReading reading;
  reading.skip_bad_rows = options.skip_bad_rows;
  if (!options.format_of_list.empty()) reading.format = job_format(options.format_of_list, "--jobs-format");
  return read_jobs(options.list, reading);
}

std::string run_schedule(const ScheduleOptions& options) {
  if (options.compare && options.format == Format::csv)
    fail_input(whole("--compare"), "CSV lists jobs, not comparisons", "--json");
  for (const std::string& file : {options.report, options.write_jobs})
    if (!file.empty()) check_writable(file);
  ScheduleOptions named = options;
  if (named.scenario.empty()) named.scenario = kSharedCluster;
  const Scenario scenario = load(named).resolve();
  const JobList jobs = jobs_of(options, scenario);
  if (!options.write_jobs.empty()) write_announced("jobs", options.write_jobs, jobs_csv(jobs));
  ProgressLine line;
  const ScheduleProgress progress = [&line](const char* what, std::size_t done, std::size_t total) {
    line.show([&](Seconds wall) { return share_text(what, done, total, wall); });
  };
  const ScheduleAnswer answer = study_schedule(scenario, jobs, progress);
  const std::vector<ScheduleChoice> choices =
      options.compare ? compare_schedules(scenario, jobs, options.threads, progress)
                      : std::vector<ScheduleChoice>{};
  const ScheduleReport report{scenario, jobs, answer, choices};
  if (!options.report.empty()) write_announced("report", options.report, schedule_page(report));
  switch (options.format) {
    case Format::json:
      return schedule_json(report);
    case Format::csv:
      return schedule_csv(report);
    case Format::text:
      return schedule_text(report);
  }
  return {};
}

}  // namespace

Verb schedule_verb() {
  return make_verb("schedule",
                   "many jobs on one cluster: waits, use, fragmentation, contention, an operator's chart",
                   declare_schedule, run_schedule);
}

}  // namespace trainyard
