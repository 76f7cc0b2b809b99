// Clusters and lists of jobs to try schedules on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/jobs.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/schedule.h"

namespace trainyard {

/// Domains of 8 devices, 4 of them below a leaf; 2:1 from there up.
inline Scenario shared_cluster(
    int domains, const std::vector<std::string>& changes = {},
    const std::string& design = "topology = \"fat_tree\"\noversubscription = [2]") {
  const std::string text =
      "[facility]\ndevices = " + std::to_string(8 * domains) +
      "\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-70b\"\n[[design]]\nname = \"net\"\n" +
      (design.find("radix") == std::string::npos ? "radix = 48\n" : "") + design +
      "\n[schedule]\nbackfill = \"none\"\n";
  ScenarioText scenario = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"shared", text}));
  for (const std::string& change : changes) scenario.set("schedule." + change);
  return scenario.resolve();
}

/// Jobs by submission, devices and run time, which is their estimate too.
inline JobList jobs_of(const std::vector<Job>& jobs) {
  JobList list;
  list.source = "jobs";
  list.jobs = jobs;
  for (std::size_t i = 0; i < list.jobs.size(); ++i) {
    Job& job = list.jobs[i];
    job.name = std::to_string(i);
    job.row = static_cast<std::int64_t>(i + 2);
    if (job.estimate_s == 0) job.estimate_s = job.run_s;
  }
  return list;
}

inline Job job(double submit_s, std::int64_t devices, double run_s, int priority = 0) {
  Job out;
  out.submit_s = submit_s;
  out.devices = devices;
  out.run_s = run_s;
  out.priority = priority;
  return out;
}

inline double sum_of(const ScheduleUse& use) {
  return use.useful + use.contention + use.suspending + use.failures + use.down + use.spare + use.idle;
}

}  // namespace trainyard
