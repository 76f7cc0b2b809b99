#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/counted.h"
#include "base/errors.h"
#include "report/data/step_words.h"
#include "step/executor.h"
#include "step/timeline.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/step.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

/// A text as JSON, with quotes.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Times in microseconds, as the format counts, in eighths: these are exact in binary, and so are their
/// nanoseconds, in which Perfetto counts. However a reader rounds, start and duration of an operation add up
/// to the start of the one that follows it at once; Perfetto drops what overlaps by a nanosecond
/// (slice_drop_overlapping_complete_event).
class TraceTime {
 public:
  explicit TraceTime(StepTime time) : eighths_((time + kEighth / 2) / kEighth) {}
  std::string text() const { return fmt::format("{}", static_cast<double>(eighths_) / 8); }
  TraceTime since(TraceTime start) const {
    TraceTime out(*this);
    out.eighths_ -= start.eighths_;
    return out;
  }

 private:
  static constexpr StepTime kEighth = 125000;
  std::int64_t eighths_;
};

/// The moments between which operations are shown.
struct Span {
  StepTime from = 0;
  StepTime until = 0;
};

/// Of all operations that run after `from`, so many of those that start first.
StepTime start_of_next(const Execution& run, StepTime from, std::size_t shown) {
  std::vector<StepTime> starts;
  for (std::size_t id = 0; id < run.start.size(); ++id) {
    if (run.finish[id] > from) starts.push_back(run.start[id]);
  }
  if (starts.size() <= shown) return run.end;
  const auto next = starts.begin() + static_cast<std::ptrdiff_t>(shown);
  std::nth_element(starts.begin(), next, starts.end());
  return std::max(*next - 1, from);
}

Span span_of(const Execution& run, const TraceWindow& window) {
  const Seconds end = seconds_of(run.end);
  if (window.from.si() < 0 || window.from >= end) {
    fail_input(whole("--trace-from"),
               fmt::format("the trace would begin at {}", format_quantity(window.from.si(), Unit::seconds)),
               fmt::format("the step runs from 0 to {}", format_quantity(end.si(), Unit::seconds)));
  }
  Span out{step_time(window.from), run.end};
  if (!window.length) {
    out.until = start_of_next(run, out.from, kUsualTraceOperations);
  } else if (window.from + *window.length < end) {
    out.until = std::max(out.from + 1, step_time(window.from + *window.length));
  }
  return out;
}

/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: complete events (X),
/// flows (s, f), counters (C), metadata (M). Process and thread ids are from 1 on and differ from each other:
/// Perfetto takes 0 for an operating system's idle process, and knows a thread by its id alone.
/// Lines are formatted, and not made of JSON values: 150,000 events would take four times as long.
class Trace {
 public:
  Trace(const StepSimulation& step, Span span)
      : step_(step), graph_(step.detail->model.graph), run_(step.detail->execution), span_(span) {}

  StepTrace trace() {
    for (OperationId id = 0; id < graph_.size(); ++id) {
      if (shown(id)) operations_.push_back(id);
    }
    std::stable_sort(operations_.begin(), operations_.end(),
                     [this](OperationId a, OperationId b) { return run_.start[a] < run_.start[b]; });
    out_ = fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"shown\":{}}},\"traceEvents\":[\n",
                       quoted(sentence()));
    for (std::uint32_t s = 0; s < graph_.streams().size(); ++s) name(s);
    name_whole();
    for (const OperationId id : operations_) event(id);
    for (const OperationId id : operations_) arrow_from(id);
    for (std::int64_t p = 0; p < std::ssize(step_.timeline.stages); ++p) add_memory(p);
    add_busy();
    add_failures();
    out_ += "\n]}\n";
    return {std::move(out_), sentence(), operations_.size() == graph_.size()};
  }

 private:
  bool shown(OperationId id) const { return run_.finish[id] >= span_.from && run_.start[id] <= span_.until; }

  std::string sentence() const {
    const auto count = [](std::size_t n) { return format_quantity(static_cast<double>(n), Unit::count); };
    const auto time = [](StepTime t) { return format_quantity(seconds_of(t).si(), Unit::seconds); };
    if (operations_.size() == graph_.size())
      return fmt::format("all {}", counted(count(graph_.size()), "operation"));
    return fmt::format("{} of {}: those that run between {} and {} of {}", count(operations_.size()),
                       counted(count(graph_.size()), "operation"), time(span_.from), time(span_.until),
                       time(run_.end));
  }

  void line(const std::string& text) {
    if (!first_) out_ += ",\n";
    first_ = false;
    out_ += text;
  }

  /// Streams that all replicas share stand with the first class.
  std::int64_t process(const StepStream& stream) const {
    const std::int64_t replica = stream.replica == kSharedReplica ? 0 : stream.replica;
    return 1 + replica * step_.detail->model.shape.stages + stream.stage;
  }

  /// After the ids of all processes: one a stage, and one for the step.
  std::int64_t thread(std::uint32_t stream) const { return whole_step() + 1 + stream; }
  std::int64_t whole_step() const { return 1 + std::ssize(step_.timeline.stages); }

  void metadata(const char* name, std::int64_t pid, std::int64_t tid, const std::string& args) {
    line(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{{}}}}})", name, pid, tid, args));
  }

  void name(std::uint32_t id) {
    const StepStream& stream = graph_.streams()[id];
    const std::int64_t pid = process(stream);
    if (stream.resource == StepResource::compute) {
      const std::string replica = step_.detail->model.replicas.size() > 1
                                      ? fmt::format(", replicas {}", stream.replica)
                                      : std::string();
      metadata("process_name", pid, thread(id), fmt::format(R"("name":"stage {}{}")", stream.stage, replica));
      metadata("process_sort_index", pid, thread(id), fmt::format(R"("sort_index":{})", pid));
    }
    metadata("thread_name", pid, thread(id), R"("name":)" + quoted(stream.name));
    metadata("thread_sort_index", pid, thread(id), fmt::format(R"("sort_index":{})", id));
  }

  /// The process that holds what concerns all devices stands above the others.
  void name_whole() {
    const std::int64_t tid = thread(static_cast<std::uint32_t>(graph_.streams().size()));
    metadata("process_name", whole_step(), tid, R"("name":"all devices")");
    metadata("process_sort_index", whole_step(), tid, R"("sort_index":0)");
  }

  /// While it occupies its stream: a delay after that overlaps with the stream's next operation, which a
  /// track cannot show.
  void event(OperationId id) {
    const StepOperation& op = graph_.operation(id);
    const TraceTime start(run_.start[id]);
    out_ += fmt::format(R"({}{{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{)",
                        first_ ? "" : ",\n", quoted(step_operation_name(graph_, id)), step_work_name(op.work),
                        process(graph_.stream_of(id)), thread(op.stream), start.text(),
                        TraceTime(run_.freed[id]).since(start).text());
    first_ = false;
    if (is_transfer(op.work)) {
      out_ += fmt::format(R"("bytes":{},"network":"{}","delivered_us":{})", op.bytes,
                          step_resource_name(graph_.class_of(id).network), TraceTime(run_.finish[id]).text());
    } else {
      out_ += fmt::format(R"("depth":{},"layer":{})", op.depth, op.layer);
    }
    out_ += "}}";
  }

  /// From a pipeline transfer to what waits for it on another stage. Both ends are written after the events
  /// that they bind to: the end to the one that encloses it, not to the next ("bp").
  void arrow_from(OperationId id) {
    if (graph_.operation(id).work != StepWork::pipeline) return;
    for (const OperationId later : graph_.successors(id)) {
      if (graph_.stream_of(later).stage == graph_.stream_of(id).stage || !shown(later)) continue;
      ++arrows_;
      arrow(id, "s", "");
      arrow(later, "f", R"(,"bp":"e")");
      return;
    }
  }

  void arrow(OperationId id, const char* phase, const char* more) {
    line(
        fmt::format(R"({{"ph":"{}","name":"pipeline","cat":"pipeline","id":{},"pid":{},"tid":{},"ts":{}{}}})",
                    phase, arrows_, process(graph_.stream_of(id)), thread(graph_.operation(id).stream),
                    TraceTime(run_.start[id]).text(), more));
  }

  void counter(const char* name, std::int64_t pid, std::int64_t tid, StepTime time, const std::string& args) {
    line(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"tid":{},"ts":{},"args":{{{}}}}})", name, pid, tid,
                     TraceTime(time).text(), args));
  }

  void add_memory(std::int64_t place) {
    const StageTimeline& stage = step_.timeline.stages[static_cast<std::size_t>(place)];
    const std::int64_t stages = step_.detail->model.shape.stages;
    const std::uint32_t stream = step_.detail->model.compute_stream(
        static_cast<std::int32_t>(place / stages), static_cast<std::int32_t>(place % stages));
    const auto first = std::partition_point(
        stage.memory.begin(), stage.memory.end(),
        [this](const MemoryPoint& point) { return step_time(point.time) <= span_.from; });
    for (auto point = first - 1; point != stage.memory.end(); ++point) {  // the first point is at 0
      const StepTime time = std::max(span_.from, step_time(point->time));
      if (time > span_.until) break;
      counter("memory", 1 + place, thread(stream), time, fmt::format(R"("bytes":{})", point->bytes.si()));
    }
  }

  void add_busy() {
    const std::int64_t tid = thread(static_cast<std::uint32_t>(graph_.streams().size()));
    const auto& spans = step_.timeline.busy_in_time;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const double begin = static_cast<double>(run_.end) * static_cast<double>(i);
      const auto time = static_cast<StepTime>(begin / static_cast<double>(spans.size()));
      if (time < span_.from || time > span_.until) continue;
      std::string args;
      for (const auto& [name, share] : named_shares(spans[i]))
        args += fmt::format(R"({}"{}":{:.6g})", args.empty() ? "" : ",", name, share);
      counter("busy", whole_step(), tid, time, args);
    }
  }

  /// A track for each failure of a stage of a class, beside its streams; its slice says what all of them
  /// cost.
  void add_failures() {
    if (!step_.timeline.failure_cost) return;
    const StepFailureCost& cost = *step_.timeline.failure_cost;
    const std::int64_t first_track = thread(static_cast<std::uint32_t>(graph_.streams().size())) + 1;
    std::set<std::pair<std::int64_t, std::size_t>> tracks;
    for (const StepOutage& o : step_.detail->model.failures.outages()) {
      const StepTime from = std::max(o.from, span_.from);
      const StepTime until = std::min({o.until, span_.until, run_.end});
      const std::int64_t pid = 1 + std::int64_t{o.replica} * step_.detail->model.shape.stages + o.stage;
      if (from >= until || !tracks.emplace(pid, o.record).second) continue;
      const std::int64_t tid = first_track + std::ssize(tracks) - 1;
      metadata("thread_name", pid, tid, fmt::format(R"("name":"failure {}")", o.record + 1));
      const TraceTime start(from);
      line(fmt::format(R"({{"ph":"X","name":{},"cat":"failure","pid":{},"tid":{},"ts":{},"dur":{},"args":{{)"
                       R"("step_s":{},"step_without_failures_s":{}}}}})",
                       quoted(step_failure_sentence(cost.failures[o.record])), pid, tid, start.text(),
                       TraceTime(until).since(start).text(), step_.timeline.step.si(), cost.step.si()));
    }
  }

  const StepSimulation& step_;
  const StepGraph& graph_;
  const Execution& run_;
  Span span_;
  std::vector<OperationId> operations_;  // shown, by start
  std::string out_;
  std::int64_t arrows_ = 0;
  bool first_ = true;
};

}  // namespace

StepTrace step_trace(const StepSimulation& step, const TraceWindow& window) {
  return Trace(step, span_of(step.detail->execution, window)).trace();
}

}  // namespace trainyard
