// Small files in the columns that the traces' documents name.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "trainyard/errors.h"
#include "trainyard/jobs.h"

namespace trainyard {

inline const std::string kHeliosHeader =
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n";
inline const std::string kKalosHeader =
    "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,start_"
    "time,end_time,"
    "fail_time,stop_time,duration,queue,gpu_time\n";
inline const std::string kSerenHeader =
    "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_"
    "time\n";
inline const std::string kOpenbHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,"
    "scheduled_time\n";

inline JobReading as_format(JobFormat format) { return {format, false, kMostJobs}; }

/// What a reader says of a text, or "" when it takes it.
inline std::string said(const std::string& text, const std::string& path = "list.csv",
                        JobReading reading = {}) {
  try {
    read_jobs_text(text, path, reading);
  } catch (const InputError& error) {
    return describe(error.findings());
  }
  return {};
}

}  // namespace trainyard
