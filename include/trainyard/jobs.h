// Lists of jobs that share a cluster: this project's CSV, public traces, synthetic ones.
//
//   const JobList list = read_jobs("jobs.csv");
//   list.jobs.front().submit_s;
//
// Jobs are in the order of their submission; times are seconds since the first submission.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

enum class JobFormat;  // trainyard/job_format.h

/// A job that wants all of its devices at once.
struct Job {
  std::string name;
  std::string user;
  double submit_s = 0;
  std::int64_t devices = 1;
  double run_s = 0;       // on devices of its own, without contention
  double estimate_s = 0;  // what its user said; run_s where nothing was said
  int priority = 0;       // larger goes first
  std::optional<double> wait_recorded_s;
  std::string pattern;   // of its traffic, a name of [schedule] traffic; empty: that of the scenario
  std::int64_t row = 0;  // of the file, from 1
};

/// What a file holds, and what was left out of it.
struct JobList {
  std::string source;          // file, or "synthetic"
  std::string format;          // "trainyard", "helios", ...
  std::string devices_column;  // of the file, for messages; empty: a job's devices do not stand in one
  std::vector<Job> jobs;
  std::vector<std::string> notes;  // "212 jobs without devices are left out"
  std::string trace;               // under which papers publish figures of it, "Kalos"; empty: none do
};

constexpr std::int64_t kMostJobs = 20'000'000;

struct JobReading {
  JobFormat format{};          // the first: detect
  bool skip_bad_rows = false;  // rows that contradict themselves are left out and counted
  std::int64_t most_jobs = kMostJobs;
};

/// A file of at most 2 GiB. Throws InputError for whatever is wrong, with its line and column.
JobList read_jobs(const std::string& path, const JobReading& reading = {});

/// The same of a text; `path` names it, and files that belong to it lie beside it.
JobList read_jobs_text(std::string text, const std::string& path, const JobReading& reading = {});

/// The list as this project's CSV, which read_jobs reads.
std::string jobs_csv(const JobList& list);

/// Names of formats, "detect" first.
std::vector<std::string> job_format_names();
/// Throws InputError for a name that is none; `where` is the flag.
JobFormat job_format(const std::string& name, const std::string& where);

/// A list as clusters see them, from a Monday on: arrivals at random with a rate that changes over the day,
/// run times of a lognormal distribution, sizes of powers of two.
struct SyntheticJobs {
  std::int64_t jobs = 2000;
  double span_s = 7 * 86400.0;       // of the arrivals
  double load = 0.8;                 // device-seconds of work over those of the cluster in the span
  std::int64_t devices = 2048;       // of the cluster
  std::int64_t largest_devices = 0;  // of a job; 0: half of the cluster
  double day_swing = 0.5;            // the rate is 1 + this at its highest, 14:00, and 1 - this at night
  double weekend_share = 1;          // rate on Saturdays and Sundays over that on other days
  double size_ratio = 0.7;           // jobs of 2^(k+1) devices over jobs of 2^k
  double run_spread = 1.5;           // standard deviation of the logarithm of run times
  double longest_run_s = 0;          // 0: a quarter of the span, more where few jobs make the load
  std::int64_t seed = 1;
};

/// The same list for the same settings. Throws InputError for settings without a list.
JobList synthetic_jobs(const SyntheticJobs& settings);

/// Figures of a list as papers give them; times in seconds.
struct JobFigures {
  std::int64_t jobs = 0;
  double span_s = 0;  // of the submissions
  double device_s = 0;
  double mean_devices = 0;
  double median_devices = 0;
  double largest_devices = 0;
  double mean_run_s = 0;
  double median_run_s = 0;
  std::optional<double> mean_wait_s;  // that the trace recorded
  std::optional<double> median_wait_s;
  std::optional<double> median_completion_s;  // recorded wait and run
};

JobFigures job_figures(const JobList& list);

/// A published figure of a trace beside that of a list.
struct PublishedJobFigure {
  std::string trace;
  std::string quantity;  // "median run"
  std::string unit;      // "s", "jobs", "devices"
  double published = 0;
  std::string source;
  std::string note;            // what is counted in another way
  bool recalled = false;       // nobody of the project has read it in its source
  std::optional<double> ours;  // of the list; nothing: it does not hold it
};

/// Rows of data/jobs.csv for the list's trace.
std::vector<PublishedJobFigure> published_job_figures(const JobList& list);

}  // namespace trainyard
