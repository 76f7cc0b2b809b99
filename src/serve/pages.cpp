// Answers of the verbs as one HTML file each: shown in a frame of the page, or saved.
#include <array>
#include <string>
#include <vector>

#include "serve/ask.h"
#include "serve/questions.h"
#include "serve/timed.h"
#include "trainyard/circuits.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/goodput.h"
#include "trainyard/grid.h"
#include "trainyard/jobs.h"
#include "trainyard/long_haul.h"
#include "trainyard/network_search.h"
#include "trainyard/networks_compared.h"
#include "trainyard/operation.h"
#include "trainyard/ownership.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/circuits.h"
#include "trainyard/report/goodput.h"
#include "trainyard/report/networks.h"
#include "trainyard/report/operation.h"
#include "trainyard/report/ownership.h"
#include "trainyard/report/plan.h"
#include "trainyard/report/schedule.h"
#include "trainyard/report/search.h"
#include "trainyard/report/simulation.h"
#include "trainyard/report/siting.h"
#include "trainyard/report/step.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/report/wide_area.h"
#include "trainyard/schedule.h"
#include "trainyard/site.h"
#include "trainyard/step_at_rate.h"
#include "trainyard/wide_area.h"

namespace trainyard::serving {
namespace {

void tell(Teller& teller, const std::string& what, std::size_t done, std::size_t all) {
  teller.progress(static_cast<double>(done), static_cast<double>(all), what);
}

std::string plan_report(const Ask& ask, Teller& teller) {
  const Plan plan = ask.plan_as_stated();
  std::vector<SweepResult> sweeps;
  for (const SweepInput& input : plan.scenario.sweeps) {
    sweeps.push_back(
        run_sweep(ask.text(), input, reader_of(input, plan),
                  [&](std::size_t done, std::size_t all) { tell(teller, input.title, done, all); }));
  }
  return plan_page(plan, sweeps);
}

std::string step_report(const Ask& ask, Teller&) {
  const Plan plan = ask.plan_as_stated();
  return step_page(stepped(ask, plan), plan);
}

std::string network_report(const Ask& ask, Teller&) {
  const Scenario scenario = ask.scenario();
  return network_page(scenario, trainyard::answer_networks(scenario));
}

std::string optimize_report(const Ask& ask, Teller& teller) {
  const Scenario scenario = ask.scenario();
  return network_search_page(scenario, search_networks(scenario, [&](std::size_t done, std::size_t all) {
                               tell(teller, "networks", done, all);
                             }));
}

std::string goodput_report(const Ask& ask, Teller& teller) {
  const Plan plan = ask.plan();
  const GoodputCase c = goodput_case(plan, step_at_rate(plan));
  const auto progress = [&](std::size_t done, std::size_t all) { tell(teller, "runs", done, all); };
  return goodput_page(plan.scenario, study_goodput(plan, c, 1, progress));
}

std::string operation_report(const Ask& ask, Teller&) {
  const Plan plan = ask.plan();
  return operation_page(plan.scenario, study_operation(plan));
}

std::string ownership_report(const Ask& ask, Teller&) {
  const Scenario scenario = ask.scenario();
  return ownership_page(scenario, study_ownership(scenario));
}

std::string circuits_report(const Ask& ask, Teller&) {
  const Plan plan = ask.plan();
  return circuits_page(plan.scenario, study_circuits(plan));
}

std::string wide_area_report(const Ask& ask, Teller&) {
  const Scenario scenario = ask.scenario();
  return wide_area_page(scenario, plan_wide_area(scenario));
}

std::string long_haul_report(const Ask& ask, Teller& teller) {
  const Scenario scenario = ask.scenario();
  const std::vector<LongHaulCase> cases = long_haul_cases(scenario);
  std::vector<LongHaulResult> results;
  for (const LongHaulCase& one : cases) {
    results.push_back(simulate_long_haul(scenario, one));
    tell(teller, "simulations", results.size(), cases.size());
  }
  return long_haul_page(scenario, results);
}

/// Synthetic jobs: files of jobs are not the page's to read.
std::string schedule_report(const Ask& ask, Teller& teller) {
  constexpr std::int64_t kMostOfPage = 1'000'000;
  constexpr std::int64_t kMostDays = 3650;
  constexpr double kDay_s = 86400;
  const Scenario scenario = ask.scenario();
  SyntheticJobs wanted;
  wanted.jobs = ask.count("jobs", 1, kMostOfPage, wanted.jobs);
  wanted.span_s = kDay_s * static_cast<double>(ask.count("days", 1, kMostDays, 7));
  wanted.load = static_cast<double>(ask.count("load_percent", 1, 1000, 80)) / 100;
  wanted.devices = schedule_cluster(scenario).devices;
  wanted.seed = scenario.schedule.value_or(ScheduleInput{}).seed;
  const JobList jobs = synthetic_jobs(wanted);
  const ScheduleAnswer answer = study_schedule(
      scenario, jobs,
      [&](const char* what, std::size_t done, std::size_t all) { tell(teller, what, done, all); });
  const std::vector<ScheduleChoice> no_choices;
  return schedule_page({scenario, jobs, answer, no_choices});
}

std::string site_report(const Ask& ask, Teller&) {
  const Scenario scenario = ask.scenario();
  const Grid grid = grid_of(scenario.site);
  return siting_page(plan_sites(scenario, plan_facility(scenario), grid), grid, scenario);
}

std::string search_report(const Ask& ask, Teller& teller) {
  return search_page(searched(ask, teller), ask.text(), {ask.text().name()});
}

std::string simulation_report(const Ask& ask, Teller& teller) {
  const Simulated run = simulated(ask, teller);
  return simulation_page(run.result, run.cost, run.scenario);
}

struct Report {
  ReportKind kind;
  std::string (*page)(const Ask& ask, Teller& teller);
  const char* example = "";  // a setting of the section
};

constexpr std::array kReports = {
    Report{{"plan", "the plan, with sweeps and networks", ""}, plan_report},
    Report{{"step", "a training step, operation by operation", ""}, step_report},
    Report{{"network", "designs of networks side by side", ""}, network_report},
    Report{{"optimize", "the cheapest network of all combinations", ""}, optimize_report},
    Report{{"goodput", "months with failures, spares and checkpoints", ""}, goodput_report},
    Report{{"operate", "training beside other work, hour by hour", ""}, operation_report},
    Report{{"years", "a site bought in phases, until its end", ""}, ownership_report},
    Report{{"schedule", "many jobs on the cluster", ""}, schedule_report},
    Report{{"circuits", "rails of optical circuits within a step", ""}, circuits_report},
    Report{{"wide-area", "one cluster over several sites", ""}, wide_area_report},
    Report{{"long-haul", "packets between sites", "long_haul"}, long_haul_report, "sites = 2"},
    Report{{"site", "places on a power grid", "site"}, site_report, "radius = \"25 km\""},
    Report{{"search", "the search of what is left free", ""}, search_report},
    Report{{"simulate", "flows over a network, packet by packet", "simulation"},
           simulation_report,
           "traffic = \"permutation\""},
};

const Report& report_named(const std::string& name) {
  for (const Report& report : kReports) {
    if (name == report.kind.name) return report;
  }
  return kReports.front();
}

}  // namespace

std::vector<ReportKind> report_kinds() {
  std::vector<ReportKind> out;
  for (const Report& report : kReports) out.push_back(report.kind);
  return out;
}

void answer_report(const Ask& ask, Teller& teller) {
  std::vector<const char*> names;
  for (const ReportKind& kind : report_kinds()) names.push_back(kind.name);
  const Report& report = report_named(ask.choice("of", names));
  if (*report.kind.section != '\0' && !ask.text().has(report.kind.section)) {
    const std::string section = report.kind.section;
    fail_input(whole(ask.text().name()),
               std::string("the report '") + report.kind.name + "' needs a section '" + section + "'",
               "for example [" + section + "] with " + report.example);
  }
  teller.result("{\"html\":" + quoted(report.page(ask, teller)) + "}");
}

}  // namespace trainyard::serving
