#include "trainyard/report/goodput.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/counted.h"
#include "report/data/goodput_words.h"
#include "report/data/show.h"
#include "report/drawing/goodput_charts.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

std::string days_text(double seconds) {
  return std::isfinite(seconds) ? fixed(seconds / 86400, 2) + " days" : "never";
}

std::string hours_text(double hours) { return fixed(hours, 2); }

PageFacts goodput_headline(const GoodputAnswer& a) {
  const bool all_end = a.target.all_end();
  PageFacts out = {{"useful time (ETTR)", show_share(a.months.ettr.mean)},
                   {"95% of the runs",
                    fmt::format("{} to {}", show_share(a.months.ettr.low), show_share(a.months.ettr.high))},
                   {"interruptions", fmt::format("{:.1f}", a.months.interruptions.mean)}};
  if (!all_end) out.push_back({"runs that end", show_share(a.target.ended)});
  out.push_back({all_end ? "training takes" : "half of the runs take", days_text(a.target.middle_s())});
  if (a.target.simulated()) {
    out.push_back({"95% of the runs take",
                   fmt::format("{} to {}", days_text(a.target.time_s.low), days_text(a.target.time_s.high))});
  }
  out.push_back({"without failures", days_text(a.ideal.si())});
  out.push_back({all_end ? "costs" : "half of the runs cost at most",
                 std::isfinite(a.cost.si()) ? show(a.cost) : "no end"});
  out.push_back(
      {"spares that cost least", a.best_spares ? grouped(*a.best_spares) : "none lets all runs end"});
  return out;
}

struct LostPart {
  std::string name;
  double hours = 0;
};

std::vector<LostPart> lost_parts(const MonthsResult& months) {
  std::vector<LostPart> out;
  for (std::size_t i = 0; i < kFailureCauses; ++i)
    out.push_back({std::string(failure_cause_name(static_cast<FailureCause>(i))), months.lost[i].total_h()});
  out.push_back({"checkpoints", months.checkpoint_h});
  out.push_back({"waiting for servers", months.waiting_h});
  out.push_back({"fewer replicas", months.shrunk_h});
  std::erase_if(out, [](const LostPart& part) { return part.hours <= 0; });
  std::stable_sort(out.begin(), out.end(),
                   [](const LostPart& a, const LostPart& b) { return a.hours > b.hours; });
  return out;
}

/// Those of which nothing would be seen, together.
std::vector<LostPart> with_small_ones_together(std::vector<LostPart> parts, double lost_h) {
  constexpr double kSeen = 0.01;
  const auto small = std::find_if(parts.begin(), parts.end(),
                                  [&](const LostPart& part) { return part.hours < kSeen * lost_h; });
  const auto count = parts.end() - small;
  if (count < 2) return parts;
  const double hours = std::accumulate(small, parts.end(), 0.0,
                                       [](double sum, const LostPart& part) { return sum + part.hours; });
  parts.erase(small, parts.end());
  parts.push_back({fmt::format("{} other causes, less than 1% each", count), hours});
  return parts;
}

/// Of all lost hours; the longest bar is the whole.
std::string lost_bars(const MonthsResult& months) {
  const double lost = months.period_h - months.useful_h;
  std::string out;
  for (const LostPart& part : with_small_ones_together(lost_parts(months), lost)) {
    out += fmt::format(
        "<div class=\"bar\"><p>{}: {:.2f} h, {} of the lost time</p><div class=\"stack\"><span "
        "style=\"width:{:.2f}%;background:{}\"></span></div></div>\n",
        escape_markup(part.name), part.hours, show_share(part.hours / lost), 100 * part.hours / lost,
        series_colour(0));
  }
  return out;
}

std::string causes_table(const MonthsResult& months) {
  PageTable table{{"cause"},
                  number_column("failures"),
                  number_column("down, h"),
                  number_column("rework, h"),
                  number_column("slow, h")};
  for (std::size_t i = 0; i < kFailureCauses; ++i) {
    const LostTime& lost = months.lost[i];
    if (lost.failures == 0 && lost.total_h() == 0) continue;
    table.row({std::string(failure_cause_name(static_cast<FailureCause>(i))), hours_text(lost.failures),
               hours_text(lost.down_h), hours_text(lost.rework_h), hours_text(lost.slow_h)});
  }
  return table.html();
}

std::string worth_table(const GoodputAnswer& a) {
  PageTable table{{"choice"}, number_column("useful"), number_column("to the target"), number_column("cost")};
  for (const auto* rows : {&a.spares, &a.detection})
    for (const WorthRow& row : *rows)
      table.row({row.what, show_share(row.ettr),
                 days_text(row.time.si()) + (row.endless ? ", some may never end" : ""), show(row.cost)});
  PageFacts notes;
  if (const std::string words = target_words(a); !words.empty()) notes.push_back({"days", words});
  if (const std::string words = better_without_words(a); !words.empty())
    notes.push_back({"spares do not pay", words});
  return table.html() + (notes.empty() ? std::string() : page_facts(notes));
}

PageFacts checkpoint_facts(const GoodputAnswer& a) {
  return {{"bytes", show(a.question.checkpoint_bytes)},
          {"training stops for", show(a.question.stall)},
          {"safe after", show(a.question.write)},
          {a.question.interval ? "interval" : "interval, the best", show(a.form.interval)},
          {"Young 1974", time_words(a.training.form, a.training.form.young)},
          {"Daly 2006", time_words(a.training.form, a.training.form.daly)},
          {"mean time to an interruption", time_words(a.form, a.form.mean_time_to_interruption)},
          {"mean time until training goes on", show(a.form.downtime)},
          {"useful time in closed form", show_share(a.form.ettr)},
          {"in the long run", show_share(a.form.long_run_ettr)},
          {a.training.endless ? "days in closed form, in the mean work" : "days in closed form",
           days_text(a.training.time->si())}};
}

std::string modes_table(const GoodputCase& c) {
  PageTable table{{"cause"},
                  {"part"},
                  number_column("parts"),
                  number_column("failures a day"),
                  {"stops the job"},
                  number_column("servers"),
                  number_column("slower by")};
  for (const FailureMode& mode : c.modes) {
    table.row({std::string(failure_cause_name(mode.cause)), mode.what, grouped(mode.parts),
               fmt::format("{:.4g}", mode.rate_per_s * 86400), mode.stops ? "yes" : "no", grouped(mode.hosts),
               show_share(mode.slowdown)});
  }
  return table.html();
}

}  // namespace

std::string goodput_page(const Scenario& scenario, const GoodputAnswer& a) {
  return page(
      "goodput",
      {.kind = "months",
       .title = page_title(scenario),
       .subject = fmt::format("{}, {}, {} and {}", period_words(a), counted(grouped(a.months.runs), "run"),
                              counted(grouped(a.question.hosts), "server"),
                              counted(grouped(a.question.spares), "spare one")),
       .cards = goodput_headline(a),
       .footer = page_footer(scenario)},
      {{"timeline", months_timeline(a.months)},
       {"bars", lost_bars(a.months)},
       {"causes", causes_table(a.months)},
       {"worth", worth_table(a)},
       {"checkpoints", page_facts(checkpoint_facts(a))},
       {"modes", modes_table(a.question)},
       {"settings", page_facts(page_settings(scenario, {"resilience."}, LeftOut::shown))}},
      goodput_charts(a));
}

}  // namespace trainyard
