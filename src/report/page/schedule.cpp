#include "trainyard/schedule.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "report/data/schedule_words.h"
#include "report/data/show.h"
#include "report/drawing/schedule_charts.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/jobs.h"
#include "trainyard/report/schedule.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

PageFacts schedule_cards(const ScheduleTotals& t) {
  PageFacts out = {{"mean wait", wait_text(t.mean_wait)},
                   {"median wait", wait_text(t.median_wait)},
                   {"90% wait less than", wait_text(t.p90_wait)},
                   {"devices in use", show_share(t.used_share)},
                   {"useful device-time", show_share(t.useful_share)},
                   {"slower by contention", show_share(t.mean_slowdown - 1)},
                   {"fragmentation", show_share(t.fragmented)}};
  if (t.mean_wait_recorded) out.emplace_back("mean wait in the trace", wait_text(*t.mean_wait_recorded));
  if (t.failures > 0) out.emplace_back("failures that hit jobs", grouped(t.failures));
  if (t.preemptions > 0) out.emplace_back("preemptions", grouped(t.preemptions));
  if (t.migrations > 0) out.emplace_back("migrations", grouped(t.migrations));
  if (t.finished < t.jobs) out.emplace_back("jobs that never finished", grouped(t.jobs - t.finished));
  return out;
}

/// One bar of all device-time, and its key.
std::string use_bar(const ScheduleUse& use) {
  constexpr std::size_t kColours[] = {2, 1, 3, 5, 6, 4};
  std::string bar;
  std::string key;
  std::size_t part = 0;
  for (const auto& [what, share] : shares_of_use(use)) {
    const bool idle = what == "idle";  // the bar's ground
    const std::string_view colour =
        idle ? "var(--line)" : series_colour(kColours[std::min<std::size_t>(part, 5)]);
    ++part;
    if (share <= 0) continue;
    if (!idle) bar += fmt::format("<span style=\"width:{:.3f}%;background:{}\"></span>", 100 * share, colour);
    key += fmt::format("<span><i style=\"background:{}\"></i>{} {}</span>", colour, what, show_share(share));
  }
  return fmt::format("<div class=\"bar\"><div class=\"stack\">{}</div><div class=\"key\">{}</div></div>", bar,
                     key);
}

std::string sizes_table(const ScheduleAnswer& a) {
  const bool recorded = std::any_of(a.classes.begin(), a.classes.end(), [](const ScheduleClass& row) {
    return row.mean_wait_recorded.has_value();
  });
  std::vector<PageColumn> columns = {{"devices"},
                                     number_column("jobs"),
                                     number_column("run, median"),
                                     number_column("wait, mean"),
                                     number_column("median"),
                                     number_column("90%"),
                                     number_column("slower by")};
  if (recorded) columns.push_back(number_column("wait in the trace, mean"));
  PageTable table(columns);
  for (const ScheduleClass& row : a.classes) {
    std::vector<std::string> cells = {size_range(row),
                                      grouped(row.jobs),
                                      wait_text(row.median_run),
                                      wait_text(row.mean_wait),
                                      wait_text(row.median_wait),
                                      wait_text(row.p90_wait),
                                      show_share(row.mean_slowdown - 1)};
    if (recorded) cells.push_back(row.mean_wait_recorded ? wait_text(*row.mean_wait_recorded) : "");
    table.row(cells);
  }
  return table.html();
}

std::string comparison_heading(const std::string& question) {
  static const std::map<std::string, std::string> headings = {
      {"placement", "Which HB domains a job takes"},
      {"order", "Who is first in the queue"},
      {"network", "The same devices on other networks"},
      {"oversubscription", "Links up from the leaves"},
      {"spares", "HB domains kept free for failures"}};
  const auto found = headings.find(question);
  return found == headings.end() ? question : found->second;
}

std::string one_comparison(const std::vector<ScheduleChoice>& choices, const std::string& question) {
  PageTable table{{"choice"},
                  number_column("wait, mean"),
                  number_column("90%"),
                  number_column("in use"),
                  number_column("useful"),
                  number_column("slower by"),
                  number_column("fragmentation")};
  std::string refused;
  for (const ScheduleChoice& c : choices) {
    if (c.question != question) continue;
    if (c.totals) {
      const ScheduleTotals& t = *c.totals;
      table.row({c.name, wait_text(t.mean_wait), wait_text(t.p90_wait), show_share(t.used_share),
                 show_share(t.useful_share), show_share(t.mean_slowdown - 1), show_share(t.fragmented)});
    } else {
      table.row({c.name, "", "", "", "", "", ""});
      refused += fmt::format("<p class=\"soft\">{}: {}</p>\n", escape_markup(c.name), escape_markup(c.why));
    }
  }
  return fmt::format("<h3>{}</h3>", escape_markup(comparison_heading(question))) + table.html() + refused;
}

std::string comparisons(const std::vector<ScheduleChoice>& choices) {
  if (choices.empty())
    return "<p class=\"soft\">Not asked for; --compare replays the list under other rules.</p>";
  std::string out;
  std::vector<std::string> done;
  for (const ScheduleChoice& c : choices) {
    if (std::find(done.begin(), done.end(), c.question) != done.end()) continue;
    done.push_back(c.question);
    out += one_comparison(choices, c.question);
  }
  return out;
}

std::string packets_table(const ScheduleAnswer& a) {
  if (a.checks.empty())
    return "<p class=\"soft\">None; schedule.checked is the share of the hours that packets check.</p>";
  PageTable table{{"at"},
                  number_column("jobs"),
                  number_column("connections"),
                  number_column("rate by flows"),
                  number_column("by packets"),
                  number_column("a job differs by up to")};
  for (const ScheduleCheck& c : a.checks) {
    table.row({wait_text(c.time), grouped(c.jobs), grouped(c.connections), show_share(c.rate_by_flows),
               show_share(c.rate_by_packets), show_share(c.worst_difference)});
  }
  return table.html();
}

std::string published_table(const JobList& list) {
  const std::vector<PublishedJobFigure> rows = published_job_figures(list);
  if (rows.empty()) return {};
  PageTable table{{"quantity"},
                  number_column("this file"),
                  number_column("published"),
                  number_column("apart"),
                  {"source"},
                  {"note"}};
  for (const PublishedJobFigure& row : rows) {
    table.row({row.quantity, row.ours ? figure_text(*row.ours, row.unit) : "",
               figure_text(row.published, row.unit), apart_text(row), row.source,
               row.recalled ? "recalled. " + row.note : row.note});
  }
  return "<h3>Beside published figures</h3>" + table.html();
}

PageFacts list_facts(const JobList& list) {
  const JobFigures f = job_figures(list);
  PageFacts out = {{"list", list.source},
                   {"format", list.format},
                   {"jobs", grouped(f.jobs)},
                   {"submissions span", wait_text(Seconds(f.span_s))},
                   {"devices of a job, mean", fmt::format("{:.4g}", f.mean_devices)},
                   {"largest job", grouped(f.largest_devices)},
                   {"run, mean", wait_text(Seconds(f.mean_run_s))},
                   {"run, median", wait_text(Seconds(f.median_run_s))}};
  if (f.mean_wait_s) out.emplace_back("recorded wait, mean", wait_text(Seconds(*f.mean_wait_s)));
  if (f.median_wait_s) out.emplace_back("recorded wait, median", wait_text(Seconds(*f.median_wait_s)));
  return out;
}

std::string note_list(const ScheduleReport& report) {
  std::string out;
  for (const auto* notes : {&report.jobs.notes, &report.answer.notes})
    for (const std::string& note : *notes)
      out += fmt::format("<p class=\"soft\">{}</p>\n", escape_markup(note));
  return out;
}

std::string cluster_words(const ScheduleAnswer& a) {
  std::string out = cluster_line(a);
  for (const std::string& line : level_lines(a)) out += "; " + line;
  return out;
}

}  // namespace

std::string schedule_page(const ScheduleReport& report) {
  const ScheduleAnswer& a = report.answer;
  return page("schedule",
              {.kind = "schedule",
               .title = page_title(report.scenario),
               .subject = fmt::format("{} in {}. {}", jobs_text(a.totals.jobs), wait_text(a.totals.span),
                                      cluster_words(a)),
               .cards = schedule_cards(a.totals),
               .footer = page_footer(report.scenario)},
              {{"in_time", schedule_in_time(a)},
               {"use", use_bar(a.use)},
               {"sizes", sizes_table(a)},
               {"comparison", comparisons(report.choices)},
               {"checks", packets_table(a)},
               {"list", page_facts(list_facts(report.jobs))},
               {"published", published_table(report.jobs)},
               {"notes", note_list(report)},
               {"settings", page_facts(schedule_settings(report.scenario))}},
              schedule_charts(a));
}

}  // namespace trainyard
