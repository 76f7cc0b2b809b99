#include "trainyard/report/schedule.h"

#include <fmt/core.h>

#include "report/data/csv.h"
#include "report/data/field_values.h"
#include "report/data/json.h"
#include "report/data/schedule_words.h"
#include "report/data/show.h"
#include "trainyard/jobs.h"
#include "trainyard/provenance.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/schedule.h"

namespace trainyard {
namespace {

Json known_seconds(const std::optional<Seconds>& time) { return time ? Json(time->si()) : Json(nullptr); }

Json known_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json list_json(const JobList& list) {
  const JobFigures f = job_figures(list);
  Json published = Json::array();
  for (const PublishedJobFigure& row : published_job_figures(list)) {
    published.push_back({{"quantity", row.quantity},
                         {"unit", row.unit},
                         {"published", row.published},
                         {"ours", known_number(row.ours)},
                         {"source", row.source},
                         {"recalled", row.recalled},
                         {"note", row.note}});
  }
  return {{"source", list.source},
          {"format", list.format},
          {"trace", list.trace},
          {"jobs", f.jobs},
          {"submissions_span_s", f.span_s},
          {"device_s", f.device_s},
          {"mean_devices", f.mean_devices},
          {"median_devices", f.median_devices},
          {"largest_devices", f.largest_devices},
          {"mean_run_s", f.mean_run_s},
          {"median_run_s", f.median_run_s},
          {"mean_wait_recorded_s", known_number(f.mean_wait_s)},
          {"median_wait_recorded_s", known_number(f.median_wait_s)},
          {"published", std::move(published)},
          {"notes", list.notes}};
}

Json cluster_json(const ScheduleCluster& c) {
  Json levels = Json::array();
  for (const ScheduleLevel& level : c.levels) {
    levels.push_back({{"name", level.name},
                      {"groups", level.groups},
                      {"domains", level.domains},
                      {"oversubscription", level.oversubscription}});
  }
  return {{"design", c.design},
          {"devices", c.devices},
          {"domain_devices", c.domain_devices},
          {"domains", c.domains},
          {"spares", c.spares},
          {"rails", c.rails},
          {"planes", c.planes},
          {"device_rate_bps", c.device_rate.si()},
          {"levels", std::move(levels)}};
}

Json totals_json(const ScheduleTotals& t) {
  return {{"jobs", t.jobs},
          {"finished", t.finished},
          {"preemptions", t.preemptions},
          {"migrations", t.migrations},
          {"failures", t.failures},
          {"span_s", t.span.si()},
          {"mean_wait_s", t.mean_wait.si()},
          {"median_wait_s", t.median_wait.si()},
          {"p90_wait_s", t.p90_wait.si()},
          {"p99_wait_s", t.p99_wait.si()},
          {"mean_wait_recorded_s", known_seconds(t.mean_wait_recorded)},
          {"median_run_s", t.median_run.si()},
          {"mean_completion_s", t.mean_completion.si()},
          {"used_share", t.used_share},
          {"useful_share", t.useful_share},
          {"mean_slowdown", t.mean_slowdown},
          {"fragmented_share", t.fragmented}};
}

Json use_json(const ScheduleUse& use) {
  Json out;
  for (const auto& [what, share] : shares_of_use(use)) out[what] = share;
  return out;
}

Json classes_json(const std::vector<ScheduleClass>& classes) {
  Json out = Json::array();
  for (const ScheduleClass& row : classes) {
    out.push_back({{"least_devices", row.least_devices},
                   {"most_devices", row.most_devices},
                   {"jobs", row.jobs},
                   {"median_run_s", row.median_run.si()},
                   {"mean_wait_s", row.mean_wait.si()},
                   {"median_wait_s", row.median_wait.si()},
                   {"p90_wait_s", row.p90_wait.si()},
                   {"mean_wait_recorded_s", known_seconds(row.mean_wait_recorded)},
                   {"mean_slowdown", row.mean_slowdown}});
  }
  return out;
}

Json moments_json(const std::vector<ScheduleMoment>& moments) {
  Json out = Json::array();
  for (const ScheduleMoment& m : moments) {
    out.push_back({{"time_s", m.time.si()},
                   {"used_devices", m.used},
                   {"down_devices", m.down},
                   {"queued_jobs", m.queued_jobs},
                   {"queued_devices", m.queued_devices},
                   {"fragmented_share", m.fragmented},
                   {"contended_share", m.contended}});
  }
  return out;
}

Json outages_json(const std::vector<ScheduleOutages>& outages) {
  Json out = Json::array();
  for (const ScheduleOutages& o : outages)
    out.push_back({{"part", o.part},
                   {"parts", o.parts},
                   {"failures", o.failures},
                   {"jobs_stopped", o.jobs_stopped},
                   {"domains_gone", o.domains_gone},
                   {"domains_slower", o.domains_slower}});
  return out;
}

Json packet_checks_json(const std::vector<ScheduleCheck>& checks) {
  Json out = Json::array();
  for (const ScheduleCheck& c : checks) {
    out.push_back({{"time_s", c.time.si()},
                   {"jobs", c.jobs},
                   {"connections", c.connections},
                   {"rate_by_flows", c.rate_by_flows},
                   {"rate_by_packets", c.rate_by_packets},
                   {"worst_difference", c.worst_difference}});
  }
  return out;
}

Json schedule_choices_json(const std::vector<ScheduleChoice>& choices) {
  Json out = Json::array();
  for (const ScheduleChoice& c : choices) {
    Json row = {{"question", c.question}, {"name", c.name}, {"why_not", c.why}};
    row["totals"] = c.totals ? totals_json(*c.totals) : Json(nullptr);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string schedule_json(const ScheduleReport& report) {
  const ScheduleAnswer& a = report.answer;
  Json json;
  json["provenance"] = provenance_json(provenance_of(report.scenario));
  json["settings"] = settings_in_base_units(schedule_settings(report.scenario));
  json["list"] = list_json(report.jobs);
  json["cluster"] = cluster_json(a.cluster);
  json["totals"] = totals_json(a.totals);
  json["device_time_shares"] = use_json(a.use);
  json["sizes"] = classes_json(a.classes);
  json["moments"] = moments_json(a.moments);
  json["checks"] = packet_checks_json(a.checks);
  json["outages"] = outages_json(a.outages);
  json["choices"] = schedule_choices_json(report.choices);
  json["notes"] = a.notes;
  return dumped(json);
}

std::string schedule_csv(const ScheduleReport& report) {
  CsvTable table(
      "name,user,devices,submit_s,run_s,wait_s,wait_recorded_s,start_s,end_s,queued_again_s,slowdown,domains,"
      "leaves,"
      "preemptions,migrations,failures,finished");
  for (std::size_t i = 0; i < report.answer.jobs.size(); ++i) {
    const Job& job = report.jobs.jobs[i];
    const ScheduledJob& it = report.answer.jobs[i];
    table.row(job.name, job.user, job.devices, job.submit_s, job.run_s, it.wait, job.wait_recorded_s,
              it.start, it.end, it.queued_again, it.slowdown, it.domains, it.leaves, it.preemptions,
              it.migrations, it.failures, it.finished);
  }
  return std::move(table).text();
}

}  // namespace trainyard
