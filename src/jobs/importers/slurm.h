// Tables of a scheduler's accounts: when jobs were submitted, began and ended, by the calendar.
#pragma once

#include "jobs/collector.h"

namespace trainyard {

/// The rest of a trace of which `trace` is the name among published figures. Throws InputError.
inline JobList read_accounts(const JobFile& file, const char* format, const std::string& trace) {
  enum Column : std::size_t { kName, kUser, kDevices, kSubmit, kStart, kEnd };
  JobTable table(file,
                 {{"job_id"}, {"user", false}, {"gpu_num"}, {"submit_time"}, {"start_time"}, {"end_time"}},
                 JobTable::Others::ignored);
  JobCollector out(file, format, "gpu_num");
  out.set_trace(trace);
  out.rows(table, [&] {
    const std::int64_t devices = table.whole(kDevices, 0, kMostDevicesOfJob).value_or(0);
    if (devices == 0) {
      out.leave_out(kWithoutDevices);
      return;
    }
    const auto times = table.recorded(kSubmit, kStart, kEnd, JobTable::Clock::calendar);
    if (!times) {
      out.leave_out(kUnfinished);
      return;
    }
    out.add(recorded_job(table.text(kName), table.text(kUser), *times, devices, table.row()));
  });
  return std::move(out).finish();
}

}  // namespace trainyard
