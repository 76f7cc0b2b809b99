// This project's own lists. Whoever writes one is told of everything that is wrong with it.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/foreign_text.h"
#include "jobs/collector.h"
#include "scenario/choices/schedule.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

enum Column : std::size_t { kName, kUser, kSubmit, kDevices, kRun, kEstimate, kPriority, kWait, kTraffic };
constexpr double kMostPriority = 1e6;

class OwnJobs {
 public:
  explicit OwnJobs(const JobFile& file)
      : table_(file,
               {{"name", false},
                {"user", false},
                {"submit_s"},
                {"devices"},
                {"run_s"},
                {"estimate_s", false},
                {"priority", false},
                {"wait_s", false},
                {"traffic", false}},
               JobTable::Others::refused),
        out_(file, "trainyard", "devices") {}

  JobList read() {
    out_.rows(table_, [this] { read_row(); });
    return std::move(out_).finish();
  }

 private:
  void read_row() {
    Job job;
    job.row = table_.row();
    job.submit_s = table_.needed(kSubmit, 0);
    if (job.submit_s < last_submit_) {
      table_.fail(kSubmit,
                  fmt::format("submit_s: {} is before the row above, {}", job.submit_s, last_submit_),
                  "rows stand in the order of their submission");
    }
    job.devices = whole(kDevices, 1, kMostDevicesOfJob);
    job.run_s = table_.needed(kRun, 0);
    job.estimate_s = is_empty(kEstimate) ? job.run_s : table_.needed(kEstimate, 0);
    if (!is_empty(kPriority))
      job.priority = static_cast<int>(whole(kPriority, -kMostPriority, kMostPriority));
    if (!is_empty(kWait)) job.wait_recorded_s = table_.needed(kWait, 0);
    job.user = table_.word(kUser);
    job.pattern = traffic();
    job.name = name(job.row);
    last_submit_ = job.submit_s;
    out_.add(std::move(job));
  }

  /// Other than in lists of others, no word stands for what is missing.
  bool is_empty(std::size_t column) const { return table_.word(column).empty(); }

  std::int64_t whole(std::size_t column, double least, double most) const {
    table_.needed(column, least, most);
    return *table_.whole(column, least, most);
  }

  std::string traffic() const {
    std::string name(table_.word(kTraffic));
    static const std::vector<std::string> names = choice_names<JobTraffic>();
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      table_.fail(kTraffic, fmt::format("traffic: no pattern {}", quoted(name)), suggestion(name, names));
    return name;
  }

  std::string name(std::int64_t row) {
    std::string given(table_.word(kName));
    if (given.empty()) return fmt::format("line {}", row);
    const auto [before, added] = rows_.try_emplace(given, row);
    if (!added) {
      table_.fail(kName, fmt::format("name: {} again, as on line {}", quoted(given), before->second),
                  "a job stands on one line; leave names empty where there are none");
    }
    return given;
  }

  JobTable table_;
  JobCollector out_;
  double last_submit_ = 0;
  std::unordered_map<std::string, std::int64_t> rows_;
};

}  // namespace

JobImporterParts trainyard_importer() {
  return {[](const JobFile& file) {
            return file.has({"submit_s"}) || file.has({"run_s"}) || file.has({"devices"});
          },
          [](const JobFile& file) { return OwnJobs(file).read(); }};
}

}  // namespace trainyard
