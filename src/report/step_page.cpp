#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/page.h"
#include "report/step_text.h"
#include "report/svg.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// What a browser draws without waiting; more stages of a step are left out.
constexpr std::size_t kMostDrawn = 120000;
constexpr std::size_t kMostStages = 16;

std::string show(Seconds time) { return format_quantity(time.si(), Unit::seconds); }
std::string show(Bytes bytes) { return format_quantity(bytes.si(), Unit::bytes); }
std::string share(double s) { return format_quantity(s, Unit::fraction); }
std::string count(std::int64_t n) { return format_quantity(static_cast<double>(n), Unit::count); }

/// Evenly chosen: at most so many of them, the first and the last among them.
std::vector<std::size_t> some_of(std::size_t all, std::size_t most) {
  std::vector<std::size_t> out;
  const std::size_t n = std::min(all, std::max<std::size_t>(most, 1));
  for (std::size_t i = 0; i < n; ++i) out.push_back(n == 1 ? 0 : i * (all - 1) / (n - 1));
  return out;
}

std::string stage_name(const StepSimulation& step, const StageTimeline& s) {
  const bool classes = step.model.replicas.size() > 1;
  return fmt::format("stage {}", s.stage) + (classes ? fmt::format(" x{}", s.replicas) : "");
}

/// The operations of some stages as rows of numbers; step.js draws them.
class DrawnTimeline {
 public:
  explicit DrawnTimeline(const StepSimulation& step) : step_(step), graph_(step.model.graph) {
    const auto& stages = step.timeline.stages;
    const std::size_t each = std::max<std::size_t>(1, graph_.size() / stages.size());
    shown_ = some_of(stages.size(), std::clamp<std::size_t>(kMostDrawn / each, 2, kMostStages));
    add_busy();
    for (const std::size_t i : shown_) add_stage(static_cast<std::int32_t>(i));
  }

  std::string json() const {
    nlohmann::json out;
    out["end"] = microseconds(step_.execution.end);
    out["kinds"] = nlohmann::json::array();
    for (std::size_t i = 0; i < kStepWorks; ++i) {
      std::string name(step_work_name(static_cast<StepWork>(i)));
      std::replace(name.begin(), name.end(), '_', ' ');
      out["kinds"].push_back(name);
    }
    out["rows"] = rows_;
    out["operations"] = operations_;
    return out.dump();  // of our own names: nothing in it closes a script element
  }

  std::string sentence() const {
    const std::size_t all = step_.timeline.stages.size();
    std::string out =
        shown_.size() == all ? "All stages." : fmt::format("{} of {} stages.", shown_.size(), all);
    if (left_out_ > 0)
      out += fmt::format(" The last {} operations of long rows are left out.",
                         count(static_cast<std::int64_t>(left_out_)));
    return out;
  }

 private:
  static double microseconds(StepTime time) { return static_cast<double>(time) / 1e6; }

  void add_stage(std::int32_t i) {
    const std::int32_t replica = i / step_.model.shape.stages;
    const std::int32_t stage = i % step_.model.shape.stages;
    const std::string name = stage_name(step_, step_.timeline.stages[static_cast<std::size_t>(i)]);
    for (std::uint32_t s = 0; s < graph_.streams().size(); ++s) {
      const StepStream& stream = graph_.streams()[s];
      const bool own = stream.replica == replica || stream.replica == kSharedReplica;
      if (stream.stage != stage || !own || graph_.on_stream(s).empty()) continue;
      add_row(s, name);
    }
    add_memory(step_.timeline.stages[static_cast<std::size_t>(i)], name);
  }

  /// What devices do on the average, of what they could.
  void add_busy() {
    const StepTimeline& t = step_.timeline;
    const double span = static_cast<double>(step_.execution.end) / static_cast<double>(t.busy_in_time.size());
    for (std::size_t kind = 0; kind < named_shares(t.busy).size(); ++kind) {
      const auto [name, mean] = named_shares(t.busy)[kind];
      if (mean <= 0) continue;
      nlohmann::json points = nlohmann::json::array();
      for (std::size_t i = 0; i < t.busy_in_time.size(); ++i) {
        points.push_back(microseconds(static_cast<StepTime>(static_cast<double>(i) * span)));
        points.push_back(named_shares(t.busy_in_time[i])[kind].second);
      }
      rows_.push_back(
          {{"stage", "all devices"}, {"name", name}, {"points", points}, {"most", 1}, {"unit", "share"}});
    }
  }

  /// Memory after each change; the most of several changes where there are too many to draw.
  void add_memory(const StageTimeline& s, const std::string& stage) {
    constexpr std::size_t kMostPoints = 4000;
    const std::size_t together = s.memory.size() / kMostPoints + 1;
    nlohmann::json points = nlohmann::json::array();
    for (std::size_t i = 0; i < s.memory.size(); i += together) {
      Bytes most{0};
      for (std::size_t j = i; j < std::min(i + together, s.memory.size()); ++j)
        most = std::max(most, s.memory[j].bytes);
      points.push_back(s.memory[i].time.si() * 1e6);
      points.push_back(most.si());
    }
    rows_.push_back({{"stage", stage},
                     {"name", "memory"},
                     {"points", points},
                     {"most", step_.timeline.peak_memory.si()},
                     {"unit", "bytes"}});
  }

  void add_row(std::uint32_t stream, const std::string& stage) {
    const auto row = static_cast<double>(rows_.size());
    rows_.push_back({{"stage", stage}, {"name", graph_.streams()[stream].name}});
    std::size_t added = 0;
    const std::size_t most = kMostDrawn / std::max<std::size_t>(1, shown_.size());
    for (const OperationId id : graph_.on_stream(stream)) {
      if (++added > most) {
        ++left_out_;
        continue;
      }
      const StepOperation& op = graph_.operation(id);
      const StepTime start = step_.execution.start[id];
      for (const double v : {row, static_cast<double>(op.work), static_cast<double>(op.microbatch),
                             microseconds(start), microseconds(step_.execution.freed[id] - start)})
        operations_.push_back(v);
    }
  }

  const StepSimulation& step_;
  const StepGraph& graph_;
  std::vector<std::size_t> shown_;
  std::size_t left_out_ = 0;
  nlohmann::json rows_ = nlohmann::json::array();
  std::vector<double> operations_;
};

constexpr std::size_t kBars = 12;

std::string stage_bar(const StepSimulation& step, const StageTimeline& s) {
  const Seconds total = step.timeline.total;
  const double exposed = s.exposed.total() / total;
  return fmt::format(
      "<div class=\"bar\"><p>{}: compute {}, exposed {}, idle {}; at most {}</p><div class=\"stack\">"
      "<span style=\"width:{:.2f}%;background:{}\"></span><span style=\"width:{:.2f}%;background:{}\"></span>"
      "</div></div>\n",
      stage_name(step, s), share(s.compute_share), share(exposed), share(s.idle / total), show(s.peak_memory),
      100 * s.compute_share, series_colour(0), 100 * exposed, series_colour(1));
}

std::string stage_bars(const StepSimulation& step) {
  std::string out;
  for (const std::size_t i : some_of(step.timeline.stages.size(), kBars))
    out += stage_bar(step, step.timeline.stages[i]);
  return out + fmt::format(
                   "<div class=\"key\"><span><i style=\"background:{}\"></i>compute</span>"
                   "<span><i style=\"background:{}\"></i>exposed communication</span>"
                   "<span><i style=\"background:var(--line)\"></i>idle</span></div>\n",
                   series_colour(0), series_colour(1));
}

/// The most memory of each of some hundred spans of time.
ChartLine memory_line(const StepSimulation& step, const StageTimeline& s) {
  constexpr std::size_t kSpans = 300;
  ChartLine line{stage_name(step, s), {}};
  const double span = step.timeline.total.si() / kSpans;
  double now = s.states.si();
  std::size_t next = 0;
  for (std::size_t i = 0; i < kSpans; ++i) {
    double most = now;
    for (; next < s.memory.size() && s.memory[next].time.si() < static_cast<double>(i + 1) * span; ++next) {
      now = s.memory[next].bytes.si();
      most = std::max(most, now);
    }
    line.points.push_back({static_cast<double>(i) * span, most});
  }
  return line;
}

Chart memory_chart(const StepSimulation& step) {
  constexpr std::size_t kLines = 5;
  Chart chart{"memory",
              "Memory of a device over the step",
              {"time", Unit::seconds, false},
              {"memory", Unit::bytes, false},
              {}};
  for (const std::size_t i : some_of(step.timeline.stages.size(), kLines))
    chart.lines.push_back(memory_line(step, step.timeline.stages[i]));
  return chart;
}

Chart busy_chart(const StepTimeline& t) {
  Chart chart{"busy",
              "Utilization over the step, of all devices",
              {"time", Unit::seconds, false},
              {"in use", Unit::fraction, false},
              {}};
  const double span = t.total.si() / static_cast<double>(t.busy_in_time.size());
  for (std::size_t kind = 0; kind < named_shares(t.busy).size(); ++kind) {
    const auto [name, mean] = named_shares(t.busy)[kind];
    if (mean <= 0) continue;
    ChartLine line{name, {}};
    for (std::size_t i = 0; i < t.busy_in_time.size(); ++i)
      line.points.push_back({static_cast<double>(i) * span, named_shares(t.busy_in_time[i])[kind].second});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

Facts headline(const StepTimeline& t) {
  Facts out = {{"step", show(t.step)},
               {"compute", share(t.compute_share)},
               {"exposed communication", share(t.exposed_share)},
               {"idle", share(t.bubble_share)},
               {"MFU", share(t.mfu)}};
  if (t.steady) out.emplace_back("exposed in steady state", share(t.steady->exposed_share));
  out.emplace_back("fullest device", show(t.peak_memory));
  if (t.failure_cost) out.emplace_back("step without failures", show(t.failure_cost->step));
  return out;
}

Facts numbers(const StepTimeline& t) {
  Facts out = {{"tokens a second", format_quantity(t.tokens_per_second, Unit::number)},
               {"exposed tensor-parallel transfers", show(t.exposed.tensor)},
               {"exposed context-parallel transfers", show(t.exposed.context)},
               {"exposed pipeline transfers", show(t.exposed.pipeline)},
               {"exposed expert all-to-alls", show(t.exposed.expert)},
               {"exposed gathers of weights", show(t.exposed.weights)},
               {"exposed gradient exchange", show(t.exposed.gradient)},
               {"exposed offloading", show(t.exposed.offload)}};
  for (const auto& [name, share_of] : named_shares(t.busy))
    if (share_of > 0) out.emplace_back("in use, " + name, share(share_of));
  if (t.failure_cost) {
    for (const StepFailureFacts& f : t.failure_cost->failures)
      out.emplace_back("failure", step_failure_sentence(f));
    out.emplace_back("stages stood still", show(t.stopped));
  }
  if (t.steady) {
    out.emplace_back("a microbatch in steady state", show(t.steady->time));
    out.emplace_back("  measured over microbatches", count(t.steady->microbatches));
  }
  const Facts counts = {{"operations", count(t.operations)},
                        {"dependencies", count(t.dependencies)},
                        {"layers an operation", count(t.layers_per_operation)},
                        {"classes of equal devices", count(t.classes)},
                        {"devices that they stand for", count(t.devices)}};
  out.insert(out.end(), counts.begin(), counts.end());
  return out;
}

Facts settings(const Scenario& scenario) {
  Facts out;
  for (const auto& [key, text] : scenario_settings(scenario)) {
    if (text.empty() || !(key.starts_with("step.") || key.starts_with("straggler.") ||
                          key.starts_with("step_failure.") || key.starts_with("mapping.")))
      continue;
    out.emplace_back(key, text);
  }
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

std::string rows(const Facts& facts) {
  std::string out;
  for (const auto& [label, value] : facts)
    out += fmt::format("<div class=\"fact\"><span>{}</span><span class=\"value\">{}</span></div>\n",
                       escape_markup(label), escape_markup(value));
  return out;
}

}  // namespace

std::string step_page(const StepSimulation& step, const Plan& plan) {
  const Scenario& scenario = plan.scenario;
  const StepTimeline& t = step.timeline;
  const DrawnTimeline drawn(step);
  const std::string title = scenario.title.empty() ? scenario.source_name : scenario.title;
  return page(
      "step.html",
      {{"title", escape_markup(title)},
       {"subject", fmt::format("Schedule {}, {} stages, {} microbatches, {} network", t.schedule,
                               step.model.shape.stages, count(step.model.shape.microbatches), t.network)},
       {"headline", page_cards(headline(t))},
       {"remarks", remarks(t)},
       {"shown", drawn.sentence()},
       {"timeline", drawn.json()},
       {"timeline_script", page_file("step.js")},
       {"stages", stage_bars(step)},
       {"numbers", rows(numbers(t))},
       {"settings", rows(settings(scenario))},
       {"footer", page_footer(scenario)}},
      {memory_chart(step), busy_chart(t)});
}

}  // namespace trainyard
