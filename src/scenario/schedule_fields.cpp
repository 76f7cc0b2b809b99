#include <fmt/core.h>

#include "scenario/checks.h"
#include "scenario/choices/schedule.h"
#include "scenario/sections.h"
#include "trainyard/catalog.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kLongestWait_s = 1e8;
constexpr double kMostFailuresOfDomain = 1e7;
constexpr double kMostSpares = 4e6;

}  // namespace

const FieldTable<ScheduleInput>& schedule_fields() {
  using S = ScheduleInput;
  static const FieldTable<S> table = {
      field("design", &S::design, "Name of the [[design]] that jobs share; empty: the first that is a tree."),
      field("order", &S::order, "Who is first in the queue."),
      field("backfill", &S::backfill, "Who may pass the first of the queue."),
      field("placement", &S::placement, "Which free HB domains a job takes."),
      field("preempt", &S::preempt,
            "Whether jobs of higher priority stop those of lower; needs order = \"priority\"."),
      field(
          "migrate", &S::migrate,
          "Whether jobs inside HB domains are moved together when the first of the queue lacks whole ones."),
      field("suspend_time", &S::suspend_time, between(0, kLongestWait_s),
            "Time from the wish to stop a job until its devices are free: its checkpoint."),
      field("resume_time", &S::resume_time, between(0, kLongestWait_s),
            "Time from devices until a job that was stopped works again."),
      field("contention", &S::contention, "Whether jobs that share links slow each other down."),
      field("traffic", &S::traffic,
            "What a job sends between its HB domains, unless the list of jobs says it."),
      field("communication", &S::communication, between(0, 1),
            "Share of a job's time that waits for traffic between HB domains on an idle network."),
      field("overlap", &S::overlap, "When jobs that share links communicate at the same moments."),
      field("failures_per_1000_days", &S::failures_per_1000_days, between(0, kMostFailuresOfDomain),
            "Failures of an HB domain in 1,000 days. Meta's RSC-1 saw 6.5 of a server of 8 (Kokolis et al. "
            "2025)."),
      field("repair_time", &S::repair_time, between(0, kLongestWait_s),
            "Time until an HB domain that failed is back."),
      field("checkpoint_interval", &S::checkpoint_interval, between(0, kLongestWait_s),
            "Work between two checkpoints of a job; a failure loses what came after the last."),
      field("part_failures", &S::part_failures,
            "Catalog key of failure rates of what HB domains share: links, switches, planes, power, cooling, "
            "the site; empty: they do not fail."),
      field("spares", &S::spares, between(0, kMostSpares),
            "HB domains that are kept free for jobs that lose one."),
      field("checked", &S::checked, between(0, 1),
            "Share of the hours at which the rates of jobs that share links are checked by packets."),
      field("seed", &S::seed, between(0, 9e15), "Of failures, and of placement anywhere."),
  };
  return table;
}

void check_schedule(const Scenario& scenario, const Table& document, Findings& findings) {
  if (!scenario.schedule) return;
  const ScheduleInput& s = *scenario.schedule;
  if (s.preempt && s.order != QueueOrder::priority)
    findings.add(locate(document, "schedule.preempt", scenario.source_name),
                 "jobs are stopped for those of higher priority, but the queue does not go by it",
                 "schedule.order = \"priority\"");
  if (!s.part_failures.empty() && !scenario.catalog->failures.contains(s.part_failures))
    findings.add(locate(document, "schedule.part_failures", scenario.source_name),
                 fmt::format("the catalog has no failure set '{}'", s.part_failures),
                 suggestion(s.part_failures, scenario.catalog->failures.keys()));
}

}  // namespace trainyard
