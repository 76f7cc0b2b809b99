// Lists of jobs of every format: refused with findings, or in order with finite numbers; what is written is
// read again.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/jobs.h"

namespace {

void check(const trainyard::JobList& list) {
  double last = 0;
  for (const trainyard::Job& job : list.jobs) {
    const bool in_order = job.submit_s >= last && std::isfinite(job.submit_s);
    const bool sound = job.devices >= 1 && job.run_s >= 0 && job.estimate_s >= 0 && std::isfinite(job.run_s);
    if (!in_order || !sound) std::abort();
    last = job.submit_s;
  }
  trainyard::job_figures(list);
  trainyard::published_job_figures(list);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bool skip : {false, true}) {
    JobReading reading;
    reading.skip_bad_rows = skip;
    try {
      const JobList list = read_jobs_text(text, "jobs.csv", reading);
      check(list);
      if (list.format != "trainyard" || skip) continue;
      const std::string written = jobs_csv(list);
      if (jobs_csv(read_jobs_text(written, "jobs.csv")) != written) std::abort();
    } catch (const InputError&) {
    }
  }
  return 0;
}
