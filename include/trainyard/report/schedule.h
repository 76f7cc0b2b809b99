// Many jobs on one cluster as text, JSON, CSV and a page.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct JobList;
struct ScheduleAnswer;
struct ScheduleChoice;
struct Scenario;

/// An answer with what it was asked of. `choices` is empty where no comparison was asked for.
struct ScheduleReport {
  const Scenario& scenario;
  const JobList& jobs;
  const ScheduleAnswer& answer;
  const std::vector<ScheduleChoice>& choices;
};

std::string schedule_text(const ScheduleReport& report);

/// All but the single jobs.
std::string schedule_json(const ScheduleReport& report);

/// A row for each job.
std::string schedule_csv(const ScheduleReport& report);

/// A self-contained HTML page: the cluster in time, queue, waits by size, uses of device-time, the
/// comparison, checks by packets.
std::string schedule_page(const ScheduleReport& report);

}  // namespace trainyard
