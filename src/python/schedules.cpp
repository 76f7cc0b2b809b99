// Many jobs on one cluster.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/answer.h"
#include "python/functions.h"
#include "python/question.h"
#include "trainyard/jobs.h"
#include "trainyard/report/schedule.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/schedule.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

/// How schedule() is asked for; the fields are those of __init__.py.
struct ScheduleWords {
  std::string file;  // empty: a synthetic list
  std::string format;
  bool skip_bad_rows = false;
  std::optional<std::int64_t> count;  // of a synthetic list
  std::optional<double> days;
  std::optional<double> load;
  std::optional<double> weekend;
  bool compare = false;
  std::int64_t threads = 1;
};

JobList synthetic_list(const ScheduleWords& words, const Scenario& scenario) {
  constexpr double kDay_s = 86400;
  constexpr double kMostDays = 1e5;
  if (!words.format.empty() || words.skip_bad_rows)
    fail_input(whole(words.format.empty() ? "skip_bad_rows" : "format"), "a synthetic list has no file",
               "name a file of jobs");
  SyntheticJobs s;
  s.jobs = words.count.value_or(s.jobs);
  if (s.jobs < 1 || s.jobs > kMostJobs)
    fail_input(whole("count"), std::to_string(s.jobs) + " is no number of jobs", "allowed: 1 to 20000000");
  const double days = words.days.value_or(s.span_s / kDay_s);
  const bool valid = days > 0 && days <= kMostDays;
  if (!valid) fail_input(whole("days"), "is not a number of days", "allowed: more than 0, up to 100000");
  s.span_s = days * kDay_s;
  s.load = words.load.value_or(s.load);
  s.weekend_share = words.weekend.value_or(s.weekend_share);
  s.devices = schedule_cluster(scenario).devices;
  s.seed = scenario.schedule.value_or(ScheduleInput{}).seed;
  return synthetic_jobs(s);
}

JobList jobs_of(const ScheduleWords& words, const Scenario& scenario) {
  if (words.file.empty()) return synthetic_list(words, scenario);
  const std::pair<const char*, bool> synthetic[] = {{"count", words.count.has_value()},
                                                    {"days", words.days.has_value()},
                                                    {"load", words.load.has_value()},
                                                    {"weekend", words.weekend.has_value()}};
  for (const auto& [name, given] : synthetic)
    if (given)
      fail_input(whole(name), "is of synthetic lists, but the jobs are those of a file", "without it");
  JobReading reading;
  reading.skip_bad_rows = words.skip_bad_rows;
  if (!words.format.empty()) reading.format = job_format(words.format, "format");
  return read_jobs(words.file, reading);
}

/// Texts that differ from row to row.
template <class Read>
Column texts_of(std::string name, const std::vector<Job>& jobs, const Read& read) {
  Names out;
  out.rows.resize(jobs.size());
  std::iota(out.rows.begin(), out.rows.end(), 0U);
  for (const Job& job : jobs) out.names.push_back(read(job));
  return {std::move(name), std::move(out)};
}

double recorded_wait(const Job& job) {
  return job.wait_recorded_s.value_or(std::numeric_limits<double>::quiet_NaN());
}

Table table_of(const std::vector<Job>& jobs, const std::vector<ScheduledJob>& ran) {
  using Ran = ScheduledJob;
  return {"jobs",
          {texts_of("name", jobs, [](const Job& j) { return j.name; }),
           texts_of("user", jobs, [](const Job& j) { return j.user; }),
           column_of("devices", jobs, [](const Job& j) { return j.devices; }),
           column_of("submit_s", jobs, [](const Job& j) { return j.submit_s; }),
           column_of("run_s", jobs, [](const Job& j) { return j.run_s; }),
           column_of("wait_s", ran, [](const Ran& r) { return r.wait.si(); }),
           column_of("wait_recorded_s", jobs, recorded_wait),
           column_of("start_s", ran, [](const Ran& r) { return r.start.si(); }),
           column_of("end_s", ran, [](const Ran& r) { return r.end.si(); }),
           column_of("queued_again_s", ran, [](const Ran& r) { return r.queued_again.si(); }),
           column_of("slowdown", ran, [](const Ran& r) { return r.slowdown; }),
           column_of("domains", ran, [](const Ran& r) { return r.domains; }),
           column_of("leaves", ran, [](const Ran& r) { return r.leaves; }),
           column_of("preemptions", ran, [](const Ran& r) { return std::int64_t{r.preemptions}; }),
           column_of("migrations", ran, [](const Ran& r) { return std::int64_t{r.migrations}; }),
           column_of("failures", ran, [](const Ran& r) { return std::int64_t{r.failures}; }),
           column_of("finished", ran, [](const Ran& r) { return std::int64_t{r.finished}; })}};
}

py::tuple schedule(const Question& question, const ScheduleWords& words) {
  return answered(question, [&] {
    const unsigned threads = threads_of(words.threads);
    const Scenario scenario = question.read().resolve();
    const JobList jobs = jobs_of(words, scenario);
    const ScheduleAnswer answer = study_schedule(scenario, jobs);
    const std::vector<ScheduleChoice> choices =
        words.compare ? compare_schedules(scenario, jobs, threads) : std::vector<ScheduleChoice>{};
    return Answer{schedule_json({scenario, jobs, answer, choices}), {table_of(jobs.jobs, answer.jobs)}};
  });
}

}  // namespace

void add_schedules(py::module_& module) {
  py::class_<ScheduleWords>(module, "ScheduleWords")
      .def(py::init<>())
      .def_readwrite("file", &ScheduleWords::file)
      .def_readwrite("format", &ScheduleWords::format)
      .def_readwrite("skip_bad_rows", &ScheduleWords::skip_bad_rows)
      .def_readwrite("count", &ScheduleWords::count)
      .def_readwrite("days", &ScheduleWords::days)
      .def_readwrite("load", &ScheduleWords::load)
      .def_readwrite("weekend", &ScheduleWords::weekend)
      .def_readwrite("compare", &ScheduleWords::compare)
      .def_readwrite("threads", &ScheduleWords::threads);
  module.def("schedule", &schedule);
}

}  // namespace trainyard::python
