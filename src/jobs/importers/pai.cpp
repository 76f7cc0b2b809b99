// Alibaba PAI 2020 (github.com/alibaba/clusterdata, cluster-trace-gpu-v2020). Its files have no header lines.
// Devices stand in pai_task_table.csv; when a job was submitted, and by whom, in pai_job_table.csv, which is
// read where it lies beside. All tasks of a job together are one job here.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "jobs/collector.h"
#include "trainyard/files.h"

namespace trainyard {
namespace {

enum Column : std::size_t { kName, kTask, kCount, kStatus, kStart, kEnd, kCpu, kMemory, kDevices, kType };
enum JobTableColumn : std::size_t { kJobName, kJobId, kJobUser, kJobStatus, kJobStart, kJobEnd };
constexpr double kWholeDevice = 100;  // plan_gpu is in percent
constexpr const char* kJobTable = "pai_job_table.csv";

std::vector<JobColumn> task_columns() {
  return {{"job_name"}, {"task_name"}, {"inst_num"}, {"status"},   {"start_time"},
          {"end_time"}, {"plan_cpu"},  {"plan_mem"}, {"plan_gpu"}, {"gpu_type"}};
}

JobTable open_table(const JobFile& file, std::vector<JobColumn> columns) {
  const bool has_header = !file.first.empty() && file.first.front() == "job_name";
  return has_header ? JobTable(file, std::move(columns), JobTable::Others::ignored)
                    : JobTable(file, std::move(columns));
}

/// Finds names in a map without a string of its own.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using PlaceByName = std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>>;

/// The tasks of a job so far.
struct Gang {
  const std::string* name = nullptr;  // in the map of places
  std::string user;
  RecordedTimes times;
  double devices = 0;
  std::int64_t row = 0;
  bool submitted = false;  // known from pai_job_table
};

class PaiJobs {
 public:
  explicit PaiJobs(const JobFile& file)
      : file_(file), table_(open_table(file, task_columns())), out_(file, "pai", "plan_gpu") {
    out_.set_trace("PAI");
  }

  JobList read() {
    out_.rows(table_, [this] { read_task(); });
    read_submissions();
    out_.reserve(gangs_.size());
    for (Gang& gang : gangs_) add(gang);
    if (rounded_ > 0)
      out_.note(grouped_count(rounded_, "job") + " on shares of devices, rounded up to whole ones");
    return std::move(out_).finish();
  }

 private:
  void read_task() {
    const double devices =
        table_.number(kDevices, 0).value_or(0) / kWholeDevice * table_.number(kCount, 0).value_or(1);
    if (devices == 0) {
      out_.leave_out(kWithoutDevices, "task");
      return;
    }
    const double start = table_.number(kStart, 0).value_or(0);
    if (start == 0 || table_.text(kEnd).empty()) {  // a task that waits begins at 0
      out_.leave_out(kUnfinished, "task");
      return;
    }
    const RecordedTimes times = *table_.recorded(kStart, kStart, kEnd, JobTable::Clock::seconds);
    Gang& gang = gang_of(table_.text(kName), times);
    gang.times.start = std::min(gang.times.start, times.start);
    gang.times.end = std::max(gang.times.end, times.end);
    gang.devices += devices;
    if (gang.devices > kMostDevicesOfJob)
      table_.fail(kDevices, fmt::format("plan_gpu: job {} has {} devices", *gang.name, gang.devices));
  }

  Gang& gang_of(std::string_view name, const RecordedTimes& times) {
    const auto found = place_.find(name);
    if (found != place_.end()) return gangs_[found->second];
    const auto added = place_.emplace(std::string(name), gangs_.size()).first;
    gangs_.push_back({&added->first, "", times, 0, table_.row(), false});
    return gangs_.back();
  }

  void read_submissions() {
    const std::string path = file_.beside(kJobTable);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      out_.note(
          fmt::format("{} is not beside it: jobs are submitted when their first task starts", kJobTable));
      return;
    }
    constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30U;
    JobFile file{
        std::make_shared<const SourceText>(SourceText{path, read_file(path, kMostBytes)}), {}, file_.reading};
    file.first = {file.text->text.substr(0, std::string_view("job_name").size())};
    JobTable jobs =
        open_table(file, {{"job_name"}, {"inst_id"}, {"user"}, {"status"}, {"start_time"}, {"end_time"}});
    out_.rows(jobs, [&] { read_submission(jobs); });
  }

  void read_submission(const JobTable& jobs) {
    const auto at = place_.find(jobs.text(kJobName));
    if (at == place_.end()) return;
    Gang& gang = gangs_[at->second];
    gang.user = jobs.text(kJobUser);
    const auto submit = jobs.number(kJobStart, 0);
    if (!submit || *submit == 0) return;
    if (*submit > gang.times.start) {
      jobs.fail(
          kJobStart,
          fmt::format("start_time: the job's first task starts {} s before it", *submit - gang.times.start),
          kSkipHelp);
    }
    gang.times.submit = *submit;
    gang.submitted = true;
  }

  void add(Gang& gang) {
    if (!gang.submitted) gang.times.submit = gang.times.start;
    const double whole = std::max(1.0, std::ceil(gang.devices - kShareOfDevice));
    if (whole != gang.devices) ++rounded_;
    Job job = recorded_job(*gang.name, gang.user, gang.times, static_cast<std::int64_t>(whole), gang.row);
    if (!gang.submitted) job.wait_recorded_s.reset();
    out_.add(std::move(job));
    gang = {};
  }

  static constexpr double kShareOfDevice = 1e-9;  // that sums of hundredths miss

  const JobFile& file_;
  JobTable table_;
  JobCollector out_;
  std::vector<Gang> gangs_;
  PlaceByName place_;  // in gangs_
  std::int64_t rounded_ = 0;
};

JobList read_pai(const JobFile& file) {
  const std::string name = file.base_name();
  if (name.starts_with("pai_") && !name.starts_with("pai_task_table")) {
    fail_input(whole(file.text->name), "is not the table of tasks, in which the devices stand",
               "pai_task_table.csv, with pai_job_table.csv beside it");
  }
  return PaiJobs(file).read();
}

}  // namespace

JobImporterParts pai_importer() {
  return {[](const JobFile& file) {
            return file.has({"job_name", "plan_gpu"}) || file.base_name().starts_with("pai_");
          },
          read_pai};
}

}  // namespace trainyard
