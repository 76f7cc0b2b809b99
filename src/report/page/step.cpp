#include "trainyard/report/step.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "report/data/exposed_words.h"
#include "report/data/show.h"
#include "report/data/step_words.h"
#include "report/drawing/step_charts.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "report/page/step_timeline.h"
#include "step/timeline.h"
#include "trainyard/plan.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

constexpr std::size_t kBars = 12;

std::string stage_bar(const StepSimulation& step, const StageTimeline& s) {
  const Seconds total = step.timeline.total;
  const double exposed = s.exposed.total() / total;
  return fmt::format(
      "<div class=\"bar\"><p>stage {}: compute {}, exposed {}, idle {}; at most {}</p><div class=\"stack\">"
      "<span style=\"width:{:.2f}%;background:{}\"></span><span style=\"width:{:.2f}%;background:{}\"></span>"
      "</div></div>\n",
      stage_label(step, s), show_share(s.compute_share), show_share(exposed), show_share(s.idle / total),
      show(s.peak_memory), 100 * s.compute_share, series_colour(0), 100 * exposed, series_colour(1));
}

std::string stage_bars(const StepSimulation& step) {
  std::string out;
  for (const std::size_t i : evenly_chosen(step.timeline.stages.size(), kBars))
    out += stage_bar(step, step.timeline.stages[i]);
  return out + fmt::format(
                   "<div class=\"key\"><span><i style=\"background:{}\"></i>compute</span>"
                   "<span><i style=\"background:{}\"></i>exposed communication</span>"
                   "<span><i style=\"background:var(--line)\"></i>idle</span></div>\n",
                   series_colour(0), series_colour(1));
}

PageFacts headline(const StepTimeline& t, const Interval& interval) {
  PageFacts out = {{"step", show(t.step)},
                   {"compute", show_share(t.compute_share)},
                   {"exposed communication", exposed_with_interval(interval, t.exposed_share)},
                   {"idle", show_share(t.idle_share)},
                   {"MFU", show_share(t.mfu)}};
  if (t.steady) out.emplace_back("exposed in steady state", show_share(t.steady->exposed_share));
  out.emplace_back("fullest device", show(t.peak_memory));
  if (t.failure_cost) out.emplace_back("step without failures", show(t.failure_cost->step));
  return out;
}

PageFacts numbers(const StepTimeline& t) {
  PageFacts out = {{"tokens a second", show(t.tokens_per_second, Unit::number)},
                   {"exposed tensor-parallel transfers", show(t.exposed.tensor)},
                   {"exposed context-parallel transfers", show(t.exposed.context)},
                   {"exposed pipeline transfers", show(t.exposed.pipeline)},
                   {"exposed expert all-to-alls", show(t.exposed.expert)},
                   {"exposed gathers of weights", show(t.exposed.weights)},
                   {"exposed gradient exchange", show(t.exposed.gradient)},
                   {"exposed offloading", show(t.exposed.offload)}};
  for (const auto& [name, share_of] : named_shares(t.busy))
    if (share_of > 0) out.emplace_back("in use, " + name, show_share(share_of));
  if (t.failure_cost) {
    for (const StepFailureFacts& f : t.failure_cost->failures)
      out.emplace_back("failure", step_failure_sentence(f));
    out.emplace_back("stages stood still", show(t.stopped));
  }
  if (t.steady) {
    out.emplace_back("a microbatch in steady state", show(t.steady->time));
    out.emplace_back("  measured over microbatches", show_count(t.steady->microbatches));
  }
  const PageFacts counts = {{"operations", show_count(t.operations)},
                            {"dependencies", show_count(t.dependencies)},
                            {"layers an operation", show_count(t.layers_per_operation)},
                            {"classes of equal devices", show_count(t.classes)},
                            {"devices that they stand for", show_count(t.devices)}};
  out.insert(out.end(), counts.begin(), counts.end());
  return out;
}

/// What a reader should know before the numbers.
std::string remarks(const StepTimeline& t) {
  std::string out;
  if (!t.note.empty()) out += fmt::format("<p>{}</p>\n", escape_markup(t.note));
  for (const std::string& warning : t.warnings)
    out += fmt::format("<p class=\"warning\">{}</p>\n", escape_markup(warning));
  return out;
}

}  // namespace

std::string step_page(const StepSimulation& step, const Plan& plan) {
  const Scenario& scenario = plan.scenario;
  const StepTimeline& t = step.timeline;
  const DrawnTimeline drawn = drawn_timeline(step);
  return page(
      "step",
      {.kind = "step simulation",
       .title = page_title(scenario),
       .subject = fmt::format(
           "Schedule {}, {}, {}, {} network", t.schedule, counted(step.detail->model.shape.stages, "stage"),
           counted(show_count(step.detail->model.shape.microbatches), "microbatch"), t.network),
       .cards = headline(t, plan.step.step_interval),
       .remarks = remarks(t),
       .footer = page_footer(scenario)},
      {{"shown", drawn.sentence},
       {"timeline", drawn.json},
       {"stages", stage_bars(step)},
       {"numbers", page_facts(numbers(t))},
       {"settings",
        page_facts(page_settings(scenario, {"step.", "straggler.", "step_failure.", "mapping."}))}},
      {memory_chart(step), busy_chart(t)});
}

}  // namespace trainyard
