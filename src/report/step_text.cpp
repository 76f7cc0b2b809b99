#include "report/step_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/quantity_text.h"
#include "report/provenance_json.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string show(Seconds time) { return format_quantity(time.si(), Unit::seconds); }
std::string show(Bytes bytes) { return format_quantity(bytes.si(), Unit::bytes); }
std::string share(double s) { return format_quantity(s, Unit::fraction); }
std::string count(std::int64_t n) { return format_quantity(static_cast<double>(n), Unit::count); }

/// "1 stage", "4 stages", "2 classes"
std::string counted(std::int64_t n, const std::string& what) {
  if (n == 1) return "1 " + what;
  const bool hissing = what.ends_with("s") || what.ends_with("ch");
  return count(n) + " " + what + (hissing ? "es" : "s");
}

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

std::string times_section(const StepTimeline& t, const Interval& interval) {
  std::string out = row("step", show(t.step) + (t.steps > 1 ? fmt::format(", mean of {}", t.steps) : ""));
  if (interval.high > interval.low) {
    out += row("  80%", fmt::format("{} to {} ({})", show(t.step * interval.low),
                                    show(t.step * interval.high), interval.basis));
  }
  out += row("compute", fmt::format("{} = {}", show(t.compute), share(t.compute_share)));
  out += row("exposed", fmt::format("{} = {}{}", show(t.exposed.total()), share(t.exposed_share),
                                    named_kinds(t.exposed)));
  out += row("idle", fmt::format("{} = {}: fill, drain, slower stages", show(t.idle), share(t.bubble_share)));
  std::string busy;
  for (const auto& [name, s] : named_shares(t.busy))
    if (s > 0) busy += fmt::format("{}{} {}", busy.empty() ? "" : ", ", name, share(s));
  out += row("busy", busy);
  if (t.stopped.si() > 0)
    out +=
        row("stopped", fmt::format("{} = {}: devices were gone", show(t.stopped), share(t.stopped / t.step)));
  return out +
         row("utilization", fmt::format("MFU {}, {:.4g} tokens a second", share(t.mfu), t.tokens_per_second));
}

std::string steady_section(const StepTimeline& t) {
  if (!t.steady) {
    const bool never = t.schedule == choice_name(PipelineSchedule::gpipe);
    return row("steady state", never ? "none: gpipe has no full pipeline of both passes"
                                     : "none: too few microbatches for the stages");
  }
  const SteadyPace& s = *t.steady;
  return row("steady state", fmt::format("{} a microbatch, over {}", show(s.time), count(s.microbatches))) +
         row("  exposed", fmt::format("{} = {} of compute and exposed{}", show(s.exposed.total()),
                                      share(s.exposed_share), named_kinds(s.exposed)));
}

/// "+1.2 s", "-30 ms"
std::string difference(Seconds time) {
  return (time.si() < 0 ? "-" : "+") + show(Seconds(std::abs(time.si())));
}

/// What failures add to a step: it is compute, waiting by kind, idling and standing still.
std::string cost_by_kind(const StepTimeline& t, const StepFailureCost& cost) {
  std::vector<std::pair<std::string, Seconds>> added;
  const auto with = kinds(t.exposed);
  const auto without = kinds(cost.exposed);
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
  out += row("  without", fmt::format("{}; they cost {} = {} of it", show(cost.step),
                                      show(t.step - cost.step), share((t.step - cost.step) / cost.step)));
  return out + row("  cost", cost_by_kind(t, cost));
}

constexpr std::size_t kShownStages = 12;

/// Not all of hundreds of stages: the ends, so many in all, and the first ones that something fails in.
std::vector<std::size_t> shown_stages(const StepSimulation& step, std::size_t most = kShownStages) {
  constexpr std::size_t kShownFailed = 4;
  const std::size_t stages = step.timeline.stages.size();
  const std::size_t n = std::min(stages, most);
  std::set<std::size_t> out;
  for (std::size_t i = 0; i < n; ++i) out.insert(n == 1 ? 0 : i * (stages - 1) / (n - 1));
  std::size_t failed = 0;
  for (std::size_t i = 0; i < stages && failed < kShownFailed && !step.model.failures.none(); ++i) {
    if (step.timeline.stages[i].fails && out.insert(i).second) ++failed;
  }
  return {out.begin(), out.end()};
}

/// "3", or "3 x127" where classes of replicas are told apart.
std::string stage_label(const StepSimulation& step, std::size_t row) {
  const StageTimeline& s = step.timeline.stages[row];
  return step.model.replicas.size() > 1 ? fmt::format("{} x{}", s.stage, s.replicas)
                                        : std::to_string(s.stage);
}

std::string stages_section(const StepSimulation& step) {
  const StepTimeline& t = step.timeline;
  const bool classes = step.model.replicas.size() > 1;
  const int width = classes ? 14 : 8;
  std::string out = fmt::format("   {:<{}}{:>9}{:>9}{:>9}{:>10}{:>10}{:>10}{:>9}{:>12}\n",
                                classes ? "stage, class" : "stage", width, "compute", "exposed", "idle",
                                "scale-up", "scale-out", "wide area", "host", "peak memory");
  const std::vector<std::size_t> shown = shown_stages(step);
  for (const std::size_t i : shown) {
    const StageTimeline& s = t.stages[i];
    out +=
        fmt::format("   {:<{}}{:>9}{:>9}{:>9}{:>10}{:>10}{:>10}{:>9}{:>12}{}\n", stage_label(step, i), width,
                    share(s.compute_share), share(s.exposed.total() / t.total), share(s.idle / t.total),
                    share(s.scale_up_share), share(s.scale_out_share), share(s.wide_area_share),
                    share(s.host_share), show(s.peak_memory), s.fails ? "  fails" : "");
  }
  if (t.stages.size() > shown.size())
    out += fmt::format("   ({} of {} rows; --csv has all)\n", shown.size(), t.stages.size());
  return out;
}

constexpr std::size_t kColumns = 96;

/// Tenths, a digit each: 9 for more than 0.9, a dot for nothing.
std::string digits(const std::vector<double>& shares) {
  std::string out;
  for (const double s : shares)
    out += s <= 0 ? '.' : static_cast<char>('0' + std::clamp(static_cast<int>(s * 10), 0, 9));
  return out;
}

/// Means of so many equal parts of the step.
std::vector<double> means(const std::vector<double>& spans) {
  std::vector<double> out(kColumns);
  const double width = static_cast<double>(spans.size()) / kColumns;
  for (std::size_t c = 0; c < kColumns; ++c) {
    const double from = static_cast<double>(c) * width;
    for (auto i = static_cast<std::size_t>(from); i < spans.size(); ++i) {
      const auto at = static_cast<double>(i);
      const double inside = std::min(at + 1, from + width) - std::max(at, from);
      if (inside <= 0) break;
      out[c] += spans[i] * inside / width;
    }
  }
  return out;
}

/// The most of each of so many equal parts of the step, as shares of `whole`.
std::vector<double> most_memory(const StageTimeline& s, Seconds total, Bytes whole) {
  std::vector<double> out(kColumns);
  std::size_t next = 0;
  Bytes now = s.states;
  for (std::size_t c = 0; c < kColumns; ++c) {
    const Seconds until = total * (static_cast<double>(c + 1) / kColumns);
    Bytes most = now;
    for (; next < s.memory.size() && s.memory[next].time < until; ++next) {
      now = s.memory[next].bytes;
      most = std::max(most, now);
    }
    out[c] = most / whole;
  }
  return out;
}

/// How much devices do in the course of the step, and what some of them hold.
std::string over_time_section(const StepSimulation& step) {
  const StepTimeline& t = step.timeline;
  std::string out = "   busy in the course of the step, in tenths\n";
  for (std::size_t kind = 0; kind < named_shares(t.busy).size(); ++kind) {
    if (named_shares(t.busy)[kind].second <= 0) continue;
    std::vector<double> spans;
    for (const BusyShares& s : t.busy_in_time) spans.push_back(named_shares(s)[kind].second);
    out += fmt::format("   {:<10}{}\n", named_shares(t.busy)[kind].first, digits(means(spans)));
  }
  constexpr std::size_t kStages = 4;
  out += fmt::format("   memory of a device, in tenths of {}\n", show(t.peak_memory));
  for (const std::size_t i : shown_stages(step, kStages)) {
    const StageTimeline& s = t.stages[i];
    out += fmt::format("   {:<10}{}\n", "stage " + stage_label(step, i),
                       digits(most_memory(s, t.total, t.peak_memory)));
  }
  return out;
}

/// What a stage does most of the time in each column of a line.
class Lines {
 public:
  explicit Lines(const StepSimulation& step) : step_(step), graph_(step.model.graph) {}

  std::string text() const {
    std::string out;
    const std::size_t width = step_.model.replicas.size() > 1 ? 12 : 6;
    for (const std::size_t i : shown_stages(step_)) {
      const auto replica = static_cast<std::int32_t>(i) / step_.model.shape.stages;
      const auto stage = static_cast<std::int32_t>(i) % step_.model.shape.stages;
      out += fmt::format("   {:<{}}{}\n", stage_label(step_, i), width,
                         line(step_.model.compute_stream(replica, stage)));
    }
    return out + "   F forward  B backward  W weight gradients  H head  O optimizer  . waiting\n";
  }

 private:
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
          {"class", s.replica_class},
          {"replicas", s.replicas},
          {"fails", s.fails},
          {"compute_s", s.compute.si()},
          {"exposed", json_of(s.exposed)},
          {"idle_s", s.idle.si()},
          {"stopped_s", s.stopped.si()},
          {"compute_share", s.compute_share},
          {"scale_up_share", s.scale_up_share},
          {"scale_out_share", s.scale_out_share},
          {"wide_area_share", s.wide_area_share},
          {"host_share", s.host_share},
          {"states_bytes", s.states.si()},
          {"peak_memory_bytes", s.peak_memory.si()},
          {"memory_s_bytes", std::move(memory)}};
}

Json json_of(const BusyShares& shares) {
  Json out;
  for (auto [name, share] : named_shares(shares)) {
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
    out[name] = share;
  }
  return out;
}

Json json_of(const std::vector<BusyShares>& spans, Seconds total) {
  Json out = {{"span_s", total.si() / static_cast<double>(spans.size())}};
  for (const BusyShares& span : spans) {
    const Json shares = json_of(span);
    for (const auto& [name, share] : shares.items()) out[name].push_back(share);
  }
  return out;
}

Json json_of(const SteadyPace& s) {
  return {{"microbatches", s.microbatches}, {"microbatch_s", s.time.si()},
          {"compute_s", s.compute.si()},    {"exposed", json_of(s.exposed)},
          {"idle_s", s.idle.si()},          {"exposed_share", s.exposed_share}};
}

Json json_of(const StepFailureFacts& f) {
  return {{"what", f.what},
          {"lost", f.lost},
          {"stage", f.stage},
          {"stages", f.stages},
          {"replicas", f.replicas},
          {"from_s", f.from.si()},
          {"until_s", f.until ? Json(f.until->si()) : Json(nullptr)}};
}

/// null where nothing fails.
Json failure_cost_json(const StepTimeline& t) {
  if (!t.failure_cost) return nullptr;
  const StepFailureCost& cost = *t.failure_cost;
  Json failures = Json::array();
  for (const StepFailureFacts& f : cost.failures) failures.push_back(json_of(f));
  Json exposed;
  const auto without = kinds(cost.exposed);
  for (std::size_t i = 0; const auto& [name, time] : kinds(t.exposed))
    exposed[name + "_s"] = (time - without[i++].second).si();
  exposed["total_s"] = (t.exposed.total() - cost.exposed.total()).si();
  return {{"failures", std::move(failures)},
          {"without",
           {{"step_s", cost.step.si()},
            {"compute_s", cost.compute.si()},
            {"exposed", json_of(cost.exposed)},
            {"idle_s", cost.idle.si()}}},
          {"step_s", (t.step - cost.step).si()},
          {"exposed", std::move(exposed)},
          {"idle_s", (t.idle - cost.idle).si()},
          {"stopped_s", t.stopped.si()}};
}

}  // namespace

std::vector<std::pair<std::string, double>> named_shares(const BusyShares& shares) {
  return {{"compute", shares.compute},
          {"scale-up", shares.scale_up},
          {"scale-out", shares.scale_out},
          {"wide area", shares.wide_area},
          {"host", shares.host}};
}

std::string step_failure_sentence(const StepFailureFacts& f) {
  const std::string stages = f.stages == 1 ? fmt::format("stage {}", f.stage)
                                           : fmt::format("stages {} to {}", f.stage, f.stage + f.stages - 1);
  std::string out = fmt::format("{} of {} replica{}", stages, f.replicas, f.replicas == 1 ? "" : "s");
  const bool network = f.what != "device" && f.what != "domain";
  out += network ? fmt::format(" without {} of {}", f.lost < 1 ? share(f.lost) : "all", f.what)
                 : fmt::format(", {} gone", f.what);
  return out + " from " + show(f.from) + (f.until ? " to " + show(*f.until) : " on");
}

std::string step_operation_name(const StepGraph& graph, OperationId id) {
  const StepOperation& op = graph.operation(id);
  std::string name(is_transfer(op.work) ? graph.class_of(id).name : std::string(step_work_name(op.work)));
  std::replace(name.begin(), name.end(), '_', ' ');
  return op.microbatch < 0 ? name : fmt::format("{} {}", name, op.microbatch);
}

std::string step_text(const StepSimulation& step, const Plan& plan, Seconds processor) {
  const StepTimeline& t = step.timeline;
  std::string out = (plan.scenario.title.empty() ? plan.scenario.source_name : plan.scenario.title) + "\n";
  out +=
      fmt::format("schedule {}, {}, {}, {} network\n", t.schedule, counted(step.model.shape.stages, "stage"),
                  counted(step.model.shape.microbatches, "microbatch"), t.network);
  if (!t.note.empty()) out += t.note + "\n";
  out += "\n";
  out += times_section(t, plan.step.step_interval) + steady_section(t) + failures_section(t) + "\n" +
         stages_section(step) + "\n" + Lines(step).text() + "\n" + over_time_section(step) + "\n";
  out += fmt::format("{} operations of {} stand for {} devices", count(t.operations),
                     counted(t.classes, "class"), count(t.devices));
  if (t.layers_per_operation > 1) out += fmt::format("; {} layers an operation", t.layers_per_operation);
  if (processor.si() > 0) out += fmt::format("; {} of processor time", show(processor));
  out += "\n";
  for (const std::string& warning : t.warnings) out += "\nwarning: " + warning + "\n";
  return out;
}

std::string step_json(const StepSimulation& step, const Plan& plan) {
  const StepTimeline& t = step.timeline;
  Json stages = Json::array();
  for (const StageTimeline& s : t.stages) stages.push_back(json_of(s));
  const Json json = {{"network", t.network},
                     {"note", t.note},
                     {"warnings", t.warnings},
                     {"schedule", t.schedule},
                     {"steps", t.steps},
                     {"step_s", t.step.si()},
                     {"step_low_s", (t.step * plan.step.step_interval.low).si()},
                     {"step_high_s", (t.step * plan.step.step_interval.high).si()},
                     {"interval_basis", plan.step.step_interval.basis},
                     {"compute_s", t.compute.si()},
                     {"exposed", json_of(t.exposed)},
                     {"idle_s", t.idle.si()},
                     {"stopped_s", t.stopped.si()},
                     {"compute_share", t.compute_share},
                     {"exposed_share", t.exposed_share},
                     {"bubble_share", t.bubble_share},
                     {"busy", json_of(t.busy)},
                     {"busy_in_time", json_of(t.busy_in_time, t.total)},
                     {"mfu", t.mfu},
                     {"tokens_per_second", t.tokens_per_second},
                     {"peak_memory_bytes", t.peak_memory.si()},
                     {"steady", t.steady ? json_of(*t.steady) : Json(nullptr)},
                     {"failure_cost", failure_cost_json(t)},
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
      "peak_memory_bytes,stopped_s,class,fails\n";
  for (const StageTimeline& s : step.timeline.stages) {
    out += fmt::format("{},{},{}", s.stage, s.replicas, number_text(s.compute.si()));
    for (const auto& [name, time] : kinds(s.exposed)) out += "," + number_text(time.si());
    for (const double v :
         {s.idle.si(), s.compute_share, s.scale_up_share, s.scale_out_share, s.wide_area_share, s.host_share,
          s.states.si(), s.peak_memory.si(), s.stopped.si()})
      out += "," + number_text(v);
    out += fmt::format(",{},{}\n", s.replica_class, s.fails ? 1 : 0);
  }
  return out;
}

}  // namespace trainyard
