// Alibaba 2023 (github.com/alibaba/clusterdata, cluster-trace-gpu-v2023): pods of a cluster whose devices are
// shared. A pod on a share of a device has all of it here.
#include "jobs/collector.h"

namespace trainyard {
namespace {

enum Column : std::size_t { kName, kDevices, kShare, kSubmit, kEnd, kStart };
constexpr double kWholeDevice = 1000;

JobList read_openb(const JobFile& file) {
  JobTable table(
      file,
      {{"name"}, {"num_gpu"}, {"gpu_milli", false}, {"creation_time"}, {"deletion_time"}, {"scheduled_time"}},
      JobTable::Others::ignored);
  JobCollector out(file, "openb", "num_gpu");
  out.set_trace("openb");
  std::int64_t shares = 0;
  out.rows(table, [&] {
    const std::int64_t devices = table.whole(kDevices, 0, kMostDevicesOfJob).value_or(0);
    if (devices == 0) {
      out.leave_out(kWithoutDevices);
      return;
    }
    const auto times = table.recorded(kSubmit, kStart, kEnd, JobTable::Clock::seconds);
    if (!times) {
      out.leave_out(kUnfinished);
      return;
    }
    if (table.number(kShare, 0).value_or(kWholeDevice) < kWholeDevice) ++shares;
    out.add(recorded_job(table.text(kName), "", *times, devices, table.row()));
  });
  if (shares > 0) out.note(grouped_count(shares, "job") + " on a share of a device, rounded up to all of it");
  return std::move(out).finish();
}

}  // namespace

JobImporterParts openb_importer() {
  return {[](const JobFile& file) {
            return file.has({"num_gpu", "creation_time", "scheduled_time"});
          },
          read_openb};
}

}  // namespace trainyard
