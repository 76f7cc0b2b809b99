// Job lists as this project's CSV.
#include <fmt/core.h>
#include <fmt/format.h>

#include <iterator>

#include "base/csv.h"
#include "trainyard/jobs.h"

namespace trainyard {

std::string jobs_csv(const JobList& list) {
  std::string out = "name,user,submit_s,devices,run_s,estimate_s,priority,wait_s,traffic\n";
  for (const Job& job : list.jobs) {
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},", csv_field(job.name), csv_field(job.user),
                   job.submit_s, job.devices, job.run_s, job.estimate_s, job.priority);
    if (job.wait_recorded_s) fmt::format_to(std::back_inserter(out), "{}", *job.wait_recorded_s);
    fmt::format_to(std::back_inserter(out), ",{}\n", csv_field(job.pattern));
  }
  return out;
}

}  // namespace trainyard
