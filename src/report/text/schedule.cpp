#include "trainyard/report/schedule.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "report/data/schedule_words.h"
#include "report/data/show.h"
#include "trainyard/jobs.h"
#include "trainyard/scenario.h"
#include "trainyard/schedule.h"

namespace trainyard {
namespace {

std::string two_digits(double share) { return fmt::format("{:.2f}%", 100 * share); }

std::string waits_part(const ScheduleTotals& t) {
  std::string out = fmt::format("   wait in the queue    {:>10}   mean; median {}\n", wait_text(t.mean_wait),
                                wait_text(t.median_wait));
  out += fmt::format("   90% wait up to       {:>10}   99% up to {}\n", wait_text(t.p90_wait),
                     wait_text(t.p99_wait));
  if (t.mean_wait_recorded)
    out += fmt::format("   the trace recorded   {:>10}   mean\n", wait_text(*t.mean_wait_recorded));
  return out;
}

std::string schedule_headline(const ScheduleTotals& t) {
  std::string out = waits_part(t);
  out += fmt::format("   submission to end    {:>10}   mean; median run of a job alone: {}\n",
                     wait_text(t.mean_completion), wait_text(t.median_run));
  out += fmt::format("   devices in use       {:>10}   useful: {} of all device-time\n",
                     two_digits(t.used_share), two_digits(t.useful_share));
  out +=
      fmt::format("   slower by contention {:>10}   mean by device-time\n", two_digits(t.mean_slowdown - 1));
  out += fmt::format("   fragmentation        {:>10}   of free devices are in HB domains of others\n",
                     two_digits(t.fragmented));
  if (t.preemptions + t.migrations + t.failures > 0)
    out += fmt::format("   jobs were preempted {}, moved {}, hit by failures {}\n",
                       counted(grouped(t.preemptions), "time"), grouped(t.migrations), grouped(t.failures));
  if (t.finished < t.jobs)
    out += fmt::format("   {} of {} never finished\n", grouped(t.jobs - t.finished),
                       counted(grouped(t.jobs), "job"));
  return out;
}

std::string use_part(const ScheduleUse& use) {
  std::string out;
  for (const auto& [what, share] : shares_of_use(use))
    if (share > 0) out += fmt::format("   {:<21}{:>10}\n", what, two_digits(share));
  return out.empty() ? out : "\nDevice-time\n" + out;
}

bool waits_recorded(const std::vector<ScheduleClass>& classes) {
  for (const ScheduleClass& row : classes)
    if (row.mean_wait_recorded) return true;
  return false;
}

std::string sizes_part(const std::vector<ScheduleClass>& classes) {
  const bool recorded = waits_recorded(classes);
  std::string out = fmt::format("\n{:<15}{:>7}{:>10}{:>10}{:>10}{:>10}{:>8}{}\n", "Jobs by devices", "jobs",
                                "run", "wait mean", "median", "90%", "slower", recorded ? "     trace" : "");
  for (const ScheduleClass& row : classes) {
    const std::string trace = row.mean_wait_recorded ? wait_text(*row.mean_wait_recorded) : "-";
    out += fmt::format("   {:<12}{:>7}{:>10}{:>10}{:>10}{:>10}{:>8}{}\n", size_range(row, "-"),
                       grouped(row.jobs), wait_text(row.median_run), wait_text(row.mean_wait),
                       wait_text(row.median_wait), wait_text(row.p90_wait), two_digits(row.mean_slowdown - 1),
                       recorded ? fmt::format("{:>10}", trace) : "");
  }
  return out;
}

std::string outages_part(const std::vector<ScheduleOutages>& outages) {
  if (outages.empty()) return {};
  std::string out = fmt::format("\n{:<19}{:>8}{:>10}{:>14}{:>17}{:>9}\n", "Failed parts", "parts", "failures",
                                "jobs stopped", "HB domains gone", "slower");
  for (const ScheduleOutages& o : outages)
    out +=
        fmt::format("   {:<16}{:>8}{:>10}{:>14}{:>17}{:>9}\n", o.part, grouped(o.parts), grouped(o.failures),
                    grouped(o.jobs_stopped), grouped(o.domains_gone), grouped(o.domains_slower));
  return out;
}

std::string checks_part(const std::vector<ScheduleCheck>& checks) {
  if (checks.empty()) return {};
  std::string out = fmt::format("\n{:<16}{:>8}{:>13}{:>12}{:>12}{:>14}\n", "By packets", "jobs",
                                "connections", "by flows", "by packets", "a job differs");
  for (const ScheduleCheck& c : checks) {
    out += fmt::format("   {:<13}{:>8}{:>13}{:>12}{:>12}{:>14}\n", wait_text(c.time), grouped(c.jobs),
                       grouped(c.connections), two_digits(c.rate_by_flows), two_digits(c.rate_by_packets),
                       two_digits(c.worst_difference));
  }
  return out + "   rates between HB domains as shares of those on an idle network\n";
}

std::string choices_part(const std::vector<ScheduleChoice>& choices) {
  std::string out;
  std::string question;
  for (const ScheduleChoice& c : choices) {
    if (c.question != question) {
      question = c.question;
      out += fmt::format("\nBy {:<26}{:>10}{:>10}{:>9}{:>9}{:>9}\n", question, "wait mean", "90%", "useful",
                         "slower", "fragm.");
    }
    if (!c.totals) {
      out += fmt::format("   {:<26}{}\n", shortened(c.name, 25), shortened(c.why, 50));
      continue;
    }
    const ScheduleTotals& t = *c.totals;
    out += fmt::format("   {:<26}{:>10}{:>10}{:>9}{:>9}{:>9}\n", shortened(c.name, 25),
                       wait_text(t.mean_wait), wait_text(t.p90_wait), two_digits(t.useful_share),
                       two_digits(t.mean_slowdown - 1), two_digits(t.fragmented));
  }
  return out;
}

std::string published_part(const JobList& list) {
  const std::vector<PublishedJobFigure> rows = published_job_figures(list);
  if (rows.empty()) return {};
  std::string out =
      fmt::format("\n{:<24}{:>12}{:>12}{:>9}\n", "Of " + list.trace, "this file", "published", "apart");
  for (const PublishedJobFigure& row : rows) {
    out += fmt::format(
        "   {:<21}{:>12}{:>12}{:>9}{}\n", row.quantity, row.ours ? figure_text(*row.ours, row.unit) : "-",
        figure_text(row.published, row.unit), apart_text(row), row.recalled ? "  recalled" : "");
  }
  return out + fmt::format("   {}\n", rows.front().source);
}

/// A note that is broken between words.
std::string note_lines(const std::string& note) {
  constexpr std::size_t kWidth = 77;
  std::string out;
  std::size_t at = 0;
  while (note.size() - at > kWidth) {
    std::size_t end = note.rfind(' ', at + kWidth);
    if (end == std::string::npos || end <= at) end = at + kWidth;
    out += "   " + note.substr(at, end - at) + "\n";
    at = std::min(note.size(), note.find_first_not_of(' ', end));
  }
  return out + "   " + note.substr(at) + "\n";
}

std::string notes_part(const ScheduleReport& report) {
  std::string out;
  for (const auto* notes : {&report.jobs.notes, &report.answer.notes})
    for (const std::string& note : *notes) out += note_lines(note);
  return out.empty() ? out : "\nNotes\n" + out;
}

}  // namespace

std::string schedule_text(const ScheduleReport& report) {
  const ScheduleAnswer& a = report.answer;
  std::string out =
      fmt::format("{}\n\n{} ({}) in {}\n   {}\n", report.scenario.title, jobs_text(a.totals.jobs),
                  shortened(report.jobs.source, 40), wait_text(a.totals.span), cluster_line(a));
  for (const std::string& line : level_lines(a)) out += "   " + line + "\n";
  out += "\n" + schedule_headline(a.totals) + use_part(a.use) + sizes_part(a.classes);
  out += outages_part(a.outages) + checks_part(a.checks) + choices_part(report.choices) +
         published_part(report.jobs) + notes_part(report);
  return out;
}

}  // namespace trainyard
