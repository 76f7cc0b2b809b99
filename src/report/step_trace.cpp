#include <fmt/core.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "report/step_text.h"

namespace trainyard {
namespace {

/// A text as JSON, with quotes.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Microseconds, as the format counts.
double microseconds(StepTime time) { return seconds_of(time).si() * 1e6; }

/// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: complete events (X),
/// flows (s, f), metadata (M).
class Trace {
 public:
  explicit Trace(const StepSimulation& step) : step_(step), graph_(step.model.graph), run_(step.execution) {}

  std::string text() {
    out_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
    for (std::uint32_t s = 0; s < graph_.streams().size(); ++s) name(s);
    for (OperationId id = 0; id < graph_.size(); ++id) event(id);
    add_arrows();
    out_ += "\n]}\n";
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    if (!first_) out_ += ",\n";
    first_ = false;
    out_ += text;
  }

  /// Streams that all replicas share stand with the first class.
  std::int64_t process(const StepStream& stream) const {
    const std::int64_t replica = stream.replica == kSharedReplica ? 0 : stream.replica;
    return replica * step_.model.shape.stages + stream.stage;
  }

  void name(std::uint32_t id) {
    const StepStream& stream = graph_.streams()[id];
    const std::int64_t pid = process(stream);
    if (stream.resource == StepResource::compute) {
      const std::string replica =
          step_.model.replicas.size() > 1 ? fmt::format(", replicas {}", stream.replica) : std::string();
      line(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"stage {}{}"}}}})", pid,
                       stream.stage, replica));
      line(fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", pid,
                       pid));
    }
    line(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", pid, id,
                     quoted(stream.name)));
  }

  /// While it occupies its stream: a delay after that overlaps with the stream's next operation, which a
  /// track cannot show.
  void event(OperationId id) {
    const StepOperation& op = graph_.operation(id);
    fmt::format_to(
        std::back_inserter(out_),
        R"({}{{"ph":"X","name":{},"cat":"{}","pid":{},"tid":{},"ts":{:.6f},"dur":{:.6f},"args":{{)",
        first_ ? "" : ",\n", quoted(step_operation_name(graph_, id)), step_work_name(op.work),
        process(graph_.stream_of(id)), op.stream, microseconds(run_.start[id]),
        microseconds(run_.freed[id] - run_.start[id]));
    first_ = false;
    if (is_transfer(op.work)) {
      fmt::format_to(std::back_inserter(out_), R"("bytes":{},"network":"{}","delivered_us":{:.6f})", op.bytes,
                     step_resource_name(graph_.class_of(id).network), microseconds(run_.finish[id]));
    } else {
      fmt::format_to(std::back_inserter(out_), R"("depth":{},"layer":{})", op.depth, op.layer);
    }
    out_ += "}}";
  }

  /// From every pipeline transfer to what waits for it on another stage.
  void add_arrows() {
    for (OperationId id = 0; id < graph_.size(); ++id) {
      if (graph_.operation(id).work != StepWork::pipeline) continue;
      for (const OperationId later : graph_.successors(id)) {
        if (graph_.stream_of(later).stage == graph_.stream_of(id).stage) continue;
        arrow(id, "s", run_.start[id], "");
        arrow(later, "f", run_.start[later], R"(,"bp":"e")");
        ++arrows_;
        break;
      }
    }
  }

  void arrow(OperationId id, const char* phase, StepTime time, const char* more) {
    line(fmt::format(
        R"({{"ph":"{}","name":"pipeline","cat":"pipeline","id":{},"pid":{},"tid":{},"ts":{:.6f}{}}})", phase,
        arrows_, process(graph_.stream_of(id)), graph_.operation(id).stream, microseconds(time), more));
  }

  const StepSimulation& step_;
  const StepGraph& graph_;
  const Execution& run_;
  std::string out_;
  std::int64_t arrows_ = 0;
  bool first_ = true;
};

}  // namespace

std::string step_trace(const StepSimulation& step) { return Trace(step).text(); }

}  // namespace trainyard
