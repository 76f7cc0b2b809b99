#include "report/step_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/provenance_json.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string show(Seconds time) { return format_quantity(time.si(), Unit::seconds); }
std::string show(Bytes bytes) { return format_quantity(bytes.si(), Unit::bytes); }
std::string share(double s) { return format_quantity(s, Unit::fraction); }
std::string count(std::int64_t n) { return format_quantity(static_cast<double>(n), Unit::count); }

/// Each kind of exposed time with its name.
std::vector<std::pair<std::string, Seconds>> kinds(const ExposedTimes& e) {
  return {{"tensor", e.tensor},   {"context", e.context},   {"pipeline", e.pipeline}, {"expert", e.expert},
          {"weights", e.weights}, {"gradient", e.gradient}, {"offload", e.offload}};
}

std::string named_kinds(const ExposedTimes& e) {
  std::string text;
  for (const auto& [name, time] : kinds(e)) {
    if (time.si() > 0) text += fmt::format(", {} {}", name, show(time));
  }
  return text;
}

std::string row(const std::string& label, const std::string& text) {
  return fmt::format("   {:<14}{}\n", label, text);
}

std::string times_section(const StepTimeline& t) {
  std::string out = row("step", show(t.step) + (t.steps > 1 ? fmt::format(", mean of {}", t.steps) : ""));
  out += row("compute", fmt::format("{} = {}", show(t.compute), share(t.compute_share)));
  out += row("exposed", fmt::format("{} = {}{}", show(t.exposed.total()), share(t.exposed_share),
                                    named_kinds(t.exposed)));
  out += row("idle", fmt::format("{} = {}: fill, drain, slower stages", show(t.idle), share(t.bubble_share)));
  return out +
         row("utilization", fmt::format("MFU {}, {:.4g} tokens a second", share(t.mfu), t.tokens_per_second));
}

std::string steady_section(const StepTimeline& t) {
  if (!t.steady) {
    return row("steady state", "none: too few microbatches for the stages");
  }
  const SteadyPace& s = *t.steady;
  return row("steady state", fmt::format("{} a microbatch, over {}", show(s.time), count(s.microbatches))) +
         row("  exposed", fmt::format("{} = {} of compute and exposed{}", show(s.exposed.total()),
                                      share(s.exposed_share), named_kinds(s.exposed)));
}

/// Not all of hundreds of stages: the ends and some between.
std::vector<std::size_t> shown_stages(std::size_t stages, std::size_t most) {
  std::vector<std::size_t> out;
  const std::size_t n = std::min(stages, most);
  for (std::size_t i = 0; i < n; ++i) out.push_back(n == 1 ? 0 : i * (stages - 1) / (n - 1));
  return out;
}

constexpr std::size_t kShownStages = 12;

std::string stages_section(const StepTimeline& t) {
  std::string out =
      fmt::format("   {:<8}{:>9}{:>9}{:>9}{:>10}{:>10}{:>10}{:>9}{:>12}\n", "stage", "compute", "exposed",
                  "idle", "scale-up", "scale-out", "wide area", "host", "peak memory");
  for (const std::size_t i : shown_stages(t.stages.size(), kShownStages)) {
    const StageTimeline& s = t.stages[i];
    out += fmt::format("   {:<8}{:>9}{:>9}{:>9}{:>10}{:>10}{:>10}{:>9}{:>12}\n", s.stage,
                       share(s.compute_share), share(s.exposed.total() / t.total), share(s.idle / t.total),
                       share(s.scale_up_share), share(s.scale_out_share), share(s.wide_area_share),
                       share(s.host_share), show(s.peak_memory));
  }
  if (t.stages.size() > kShownStages)
    out += fmt::format("   ({} of {} rows; --csv has all)\n", kShownStages, t.stages.size());
  return out;
}

/// What a stage does most of the time in each column of a line.
class Lines {
 public:
  explicit Lines(const StepSimulation& step) : step_(step), graph_(step.model.graph) {}

  std::string text() const {
    std::string out;
    const auto& stages = step_.timeline.stages;
    for (const std::size_t i : shown_stages(stages.size(), kShownStages)) {
      const auto replica = static_cast<std::int32_t>(i) / step_.model.shape.stages;
      const auto stage = static_cast<std::int32_t>(i) % step_.model.shape.stages;
      out += fmt::format("   {:<6}{}\n", stage, line(step_.model.compute_stream(replica, stage)));
    }
    return out + "   F forward  B backward  W weight gradients  H head  O optimizer  . waiting\n";
  }

 private:
  static constexpr std::size_t kColumns = 96;

  static char letter(StepWork work) {
    switch (work) {
      case StepWork::forward:
        return 'F';
      case StepWork::backward:
      case StepWork::recompute:
        return 'B';
      case StepWork::backward_weight:
        return 'W';
      case StepWork::head:
        return 'H';
      default:
        return 'O';
    }
  }

  std::string line(std::uint32_t stream) const {
    constexpr std::string_view kLetters = "FBWHO.";
    std::vector<std::array<double, kLetters.size()>> busy(kColumns);
    const double column = static_cast<double>(step_.execution.end) / kColumns;
    for (const OperationId id : graph_.on_stream(stream)) {
      const double start = static_cast<double>(step_.execution.start[id]) / column;
      const double end = static_cast<double>(step_.execution.finish[id]) / column;
      const std::size_t which = kLetters.find(letter(graph_.operation(id).work));
      for (auto c = static_cast<std::size_t>(start); c < kColumns && static_cast<double>(c) < end; ++c) {
        const auto at = static_cast<double>(c);
        busy[c][which] += std::min(end, at + 1) - std::max(start, at);
      }
    }
    std::string out;
    for (auto& shares : busy) {
      double rest = 1;
      for (const double s : shares) rest -= s;
      shares.back() = rest;
      out +=
          kLetters[static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin())];
    }
    return out;
  }

  const StepSimulation& step_;
  const StepGraph& graph_;
};

Json json_of(const ExposedTimes& e) {
  Json out;
  for (const auto& [name, time] : kinds(e)) out[name + "_s"] = time.si();
  out["total_s"] = e.total().si();
  return out;
}

Json json_of(const StageTimeline& s) {
  Json memory = Json::array();
  for (const MemoryPoint& p : s.memory) memory.push_back({p.time.si(), p.bytes.si()});
  return {{"stage", s.stage},
          {"replicas", s.replicas},
          {"compute_s", s.compute.si()},
          {"exposed", json_of(s.exposed)},
          {"idle_s", s.idle.si()},
          {"compute_share", s.compute_share},
          {"scale_up_share", s.scale_up_share},
          {"scale_out_share", s.scale_out_share},
          {"wide_area_share", s.wide_area_share},
          {"host_share", s.host_share},
          {"states_bytes", s.states.si()},
          {"peak_memory_bytes", s.peak_memory.si()},
          {"memory_s_bytes", std::move(memory)}};
}

Json json_of(const SteadyPace& s) {
  return {{"microbatches", s.microbatches}, {"microbatch_s", s.time.si()},
          {"compute_s", s.compute.si()},    {"exposed", json_of(s.exposed)},
          {"idle_s", s.idle.si()},          {"exposed_share", s.exposed_share}};
}

}  // namespace

std::string step_operation_name(const StepGraph& graph, OperationId id) {
  const StepOperation& op = graph.operation(id);
  std::string name(is_transfer(op.work) ? graph.class_of(id).name : std::string(step_work_name(op.work)));
  std::replace(name.begin(), name.end(), '_', ' ');
  return op.microbatch < 0 ? name : fmt::format("{} {}", name, op.microbatch);
}

std::string step_text(const StepSimulation& step, const Plan& plan, Seconds processor) {
  const StepTimeline& t = step.timeline;
  std::string out = (plan.scenario.title.empty() ? plan.scenario.source_name : plan.scenario.title) + "\n";
  out += fmt::format("schedule {}, {} stages, {} microbatches, {} network\n", t.schedule,
                     step.model.shape.stages, count(step.model.shape.microbatches), t.network);
  if (!t.note.empty()) out += t.note + "\n";
  out += "\n";
  out += times_section(t) + steady_section(t) + "\n" + stages_section(t) + "\n" + Lines(step).text() + "\n";
  out += fmt::format("{} operations of {} classes stand for {} devices", count(t.operations),
                     count(t.classes), count(t.devices));
  if (t.layers_per_operation > 1) out += fmt::format("; {} layers an operation", t.layers_per_operation);
  if (processor.si() > 0) out += fmt::format("; {} of processor time", show(processor));
  return out + "\n";
}

std::string step_json(const StepSimulation& step, const Plan& plan) {
  const StepTimeline& t = step.timeline;
  Json stages = Json::array();
  for (const StageTimeline& s : t.stages) stages.push_back(json_of(s));
  const Json json = {{"network", t.network},
                     {"note", t.note},
                     {"schedule", t.schedule},
                     {"steps", t.steps},
                     {"step_s", t.step.si()},
                     {"compute_s", t.compute.si()},
                     {"exposed", json_of(t.exposed)},
                     {"idle_s", t.idle.si()},
                     {"compute_share", t.compute_share},
                     {"exposed_share", t.exposed_share},
                     {"bubble_share", t.bubble_share},
                     {"mfu", t.mfu},
                     {"tokens_per_second", t.tokens_per_second},
                     {"peak_memory_bytes", t.peak_memory.si()},
                     {"steady", t.steady ? json_of(*t.steady) : Json(nullptr)},
                     {"stages", std::move(stages)},
                     {"operations", t.operations},
                     {"dependencies", t.dependencies},
                     {"streams", t.streams},
                     {"layers_per_operation", t.layers_per_operation},
                     {"gradient_pieces", t.gradient_pieces},
                     {"classes", t.classes},
                     {"devices", t.devices},
                     {"provenance", provenance_json(provenance_of(plan.scenario))}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string step_csv(const StepSimulation& step) {
  std::string out = "stage,replicas,compute_s";
  for (const auto& [name, time] : kinds({})) out += ",exposed_" + name + "_s";
  out +=
      ",idle_s,compute_share,scale_up_share,scale_out_share,wide_area_share,host_share,states_bytes,"
      "peak_memory_bytes\n";
  for (const StageTimeline& s : step.timeline.stages) {
    out += fmt::format("{},{},{}", s.stage, s.replicas, number_text(s.compute.si()));
    for (const auto& [name, time] : kinds(s.exposed)) out += "," + number_text(time.si());
    for (const double v : {s.idle.si(), s.compute_share, s.scale_up_share, s.scale_out_share,
                           s.wide_area_share, s.host_share, s.states.si(), s.peak_memory.si()})
      out += "," + number_text(v);
    out += "\n";
  }
  return out;
}

}  // namespace trainyard
