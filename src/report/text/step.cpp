#include "trainyard/report/step.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/counted.h"
#include "parallel/schedules.h"
#include "report/data/exposed_words.h"
#include "report/data/show.h"
#include "report/data/step_words.h"
#include "report/text/step_in_time.h"
#include "step/timeline.h"
#include "trainyard/plan.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

std::string named_kinds(const ExposedTimes& e) {
  std::string text;
  for (const auto& [name, time] : named_times(e)) {
    if (time.si() > 0) text += fmt::format(", {} {}", name, show(time));
  }
  return text;
}

std::string row(const std::string& label, const std::string& text) {
  return fmt::format("   {:<14}{}\n", label, text);
}

std::string times_section(const StepTimeline& t, const Interval& interval) {
  std::string out = row("step", show(t.step) + (t.steps > 1 ? fmt::format(", mean of {}", t.steps) : ""));
  if (interval.high > interval.low) {
    out += row("  80%", fmt::format("{} to {} ({})", show(t.step * interval.low),
                                    show(t.step * interval.high), interval.basis));
  }
  out += row("compute", fmt::format("{} = {}", show(t.compute), show_share(t.compute_share)));
  out += row("exposed", fmt::format("{} = {}{}", show(t.exposed.total()), show_share(t.exposed_share),
                                    named_kinds(t.exposed)));
  if (t.exposed_share > 0 && interval.high > 1)
    out += row("  80%", exposed_range_text(t.step, interval, t.exposed_share));
  out +=
      row("idle", fmt::format("{} = {}: fill, drain, slower stages", show(t.idle), show_share(t.idle_share)));
  std::string busy;
  for (const auto& [name, s] : named_shares(t.busy))
    if (s > 0) busy += fmt::format("{}{} {}", busy.empty() ? "" : ", ", name, show_share(s));
  out += row("busy", busy);
  if (t.stopped.si() > 0)
    out += row("stopped",
               fmt::format("{} = {}: devices were gone", show(t.stopped), show_share(t.stopped / t.step)));
  return out + row("utilization",
                   fmt::format("MFU {}, {:.4g} tokens a second", show_share(t.mfu), t.tokens_per_second));
}

std::string steady_section(const StepTimeline& t) {
  if (!t.steady) {
    const auto& kinds = pipeline_schedules();
    const bool never = std::any_of(kinds.begin(), kinds.end(), [&](const ScheduleKind& kind) {
      return kind.name == t.schedule && kind.rules.keeps_all;
    });
    return row("steady state", never ? "none: " + t.schedule + " has no full pipeline of both passes"
                                     : "none: too few microbatches for the stages");
  }
  const SteadyPace& s = *t.steady;
  return row("steady state",
             fmt::format("{} a microbatch, over {}", show(s.time), show_count(s.microbatches))) +
         row("  exposed", fmt::format("{} = {} of compute and exposed{}", show(s.exposed.total()),
                                      show_share(s.exposed_share), named_kinds(s.exposed)));
}

/// "+1.2 s", "-30 ms"
std::string difference(Seconds time) {
  return (time.si() < 0 ? "-" : "+") + show(Seconds(std::abs(time.si())));
}

/// What failures add to a step: it is compute, waiting by kind, idling and standing still.
std::string cost_by_kind(const StepTimeline& t, const StepFailureCost& cost) {
  std::vector<std::pair<std::string, Seconds>> added;
  const auto with = named_times(t.exposed);
  const auto without = named_times(cost.exposed);
  for (std::size_t i = 0; i < with.size(); ++i)
    added.emplace_back("exposed " + with[i].first, with[i].second - without[i].second);
  added.emplace_back("idle", t.idle - cost.idle);
  added.emplace_back("stopped", t.stopped);
  std::string out;
  for (const auto& [name, time] : added) {
    constexpr double kShown = 1e-6;  // of the step
    if (std::abs(time / t.step) < kShown) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, difference(time));
  }
  return out.empty() ? "nothing" : out;
}

std::string failures_section(const StepTimeline& t) {
  if (!t.failure_cost) return {};
  const StepFailureCost& cost = *t.failure_cost;
  std::string out;
  for (const StepFailureFacts& f : cost.failures) {
    const bool too_late = f.from >= t.total;
    out += row(out.empty() ? "failures" : "",
               step_failure_sentence(f) + (too_late ? ": the step is over before" : ""));
  }
  out +=
      row("  without", fmt::format("{}; they cost {} = {} of it", show(cost.step), show(t.step - cost.step),
                                   show_share((t.step - cost.step) / cost.step)));
  return out + row("  cost", cost_by_kind(t, cost));
}

constexpr std::size_t kShownStages = 12;

std::string stages_section(const StepSimulation& step) {
  const StepTimeline& t = step.timeline;
  const bool classes = step.detail->model.replicas.size() > 1;
  const int width = classes ? 14 : 8;
  std::string out = fmt::format("   {:<{}}{:>9}{:>9}{:>9}{:>10}{:>10}{:>10}{:>9}{:>12}\n",
                                classes ? "stage, class" : "stage", width, "compute", "exposed", "idle",
                                "scale-up", "scale-out", "wide area", "host", "peak memory");
  const std::vector<std::size_t> shown = shown_stages(step, kShownStages);
  for (const std::size_t i : shown) {
    const StageTimeline& s = t.stages[i];
    out += fmt::format("   {:<{}}{:>9}{:>9}{:>9}{:>10}{:>10}{:>10}{:>9}{:>12}{}\n", stage_label(step, s),
                       width, show_share(s.compute_share), show_share(s.exposed.total() / t.total),
                       show_share(s.idle / t.total), show_share(s.scale_up_share),
                       show_share(s.scale_out_share), show_share(s.wide_area_share), show_share(s.host_share),
                       show(s.peak_memory), s.fails ? "  fails" : "");
  }
  if (t.stages.size() > shown.size())
    out += fmt::format("   ({} of {}; --csv has all)\n", shown.size(), counted(t.stages.size(), "row"));
  return out;
}

}  // namespace

std::string step_text(const StepSimulation& step, const Plan& plan, Seconds processor) {
  const StepTimeline& t = step.timeline;
  std::string out = (plan.scenario.title.empty() ? plan.scenario.source_name : plan.scenario.title) + "\n";
  out += fmt::format("schedule {}, {}, {}, {} network\n", t.schedule,
                     counted(step.detail->model.shape.stages, "stage"),
                     counted(show_count(step.detail->model.shape.microbatches), "microbatch"), t.network);
  if (!t.note.empty()) out += t.note + "\n";
  out += "\n";
  out += times_section(t, plan.step.step_interval) + steady_section(t) + failures_section(t) + "\n" +
         stages_section(step) + "\n" + stage_lines(step, shown_stages(step, kShownStages)) + "\n" +
         over_time_section(step) + "\n";
  out += fmt::format("{} of {} stand for {}", counted(show_count(t.operations), "operation"),
                     counted(show_count(t.classes), "class"), counted(show_count(t.devices), "device"));
  if (t.layers_per_operation > 1)
    out += fmt::format("; {} an operation", counted(t.layers_per_operation, "layer"));
  if (processor.si() > 0) out += fmt::format("; {} of processor time", show(processor));
  out += "\n";
  for (const std::string& warning : t.warnings) out += "\nwarning: " + warning + "\n";
  return out;
}

}  // namespace trainyard
