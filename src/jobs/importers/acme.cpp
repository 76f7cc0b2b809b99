// Acme, Shanghai AI Laboratory 2023 (github.com/InternLM/AcmeTrace). Only Kalos has memory of pods. The run
// is from start to end: Kalos's own column `duration` begins at the submission.
#include "jobs/importers/slurm.h"

namespace trainyard {

JobImporterParts acme_importer() {
  return {[](const JobFile& file) {
            return file.has({"job_id", "type", "gpu_num", "submit_time"});
          },
          [](const JobFile& file) {
            return read_accounts(file, "acme", file.has({"mem_per_pod_GB"}) ? "Kalos" : "Seren");
          }};
}

}  // namespace trainyard
