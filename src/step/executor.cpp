#include "step/executor.h"

#include <fmt/core.h>

#include <algorithm>
#include <queue>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/finite.h"
#include "base/stopping.h"
#include "step/transfer_model.h"

namespace trainyard {
namespace {

/// Everything that is over at one moment is noted before anything starts, so that the order of events at that
/// moment does not matter.
class Executor {
 public:
  Executor(const StepGraph& graph, TransferModel& transfers, const StepFailures& failures)
      : graph_(graph), transfers_(transfers), failures_(failures) {
    const std::size_t n = graph.size();
    out_.start.assign(n, -1);
    out_.freed.assign(n, -1);
    out_.finish.assign(n, -1);
    out_.waited_for.assign(n, kNoOperation);
    waits_.resize(n);
    streams_.resize(graph.streams().size());
  }

  Execution run() {
    for (OperationId id = 0; id < graph_.size(); ++id) {
      waits_[id] = static_cast<std::uint32_t>(graph_.predecessors(id).size());
      if (waits_[id] == 0) became_ready(id);
    }
    for (std::uint32_t s = 0; s < streams_.size(); ++s) touched_.push_back(s);
    start_what_can();
    while (running_ > 0) {
      pause_point();
      advance();
      start_what_can();
    }
    TY_ASSERT(finished_ == graph_.size(), "a sealed graph has no cycles");
    return std::move(out_);
  }

 private:
  struct Stream {
    bool busy = false;
    std::uint32_t next = 0;  // in program order
    OperationId last = kNoOperation;
    std::set<std::pair<StepTime, OperationId>> ready;  // of order `ready`
  };
  using Event = std::pair<StepTime, OperationId>;

  void became_ready(OperationId id) {
    const std::uint32_t stream = graph_.operation(id).stream;
    if (graph_.streams()[stream].order == StreamOrder::ready) streams_[stream].ready.emplace(now_, id);
    touched_.push_back(stream);
  }

  /// The operation that a free stream starts now.
  OperationId startable(std::uint32_t s) {
    Stream& stream = streams_[s];
    if (stream.busy) return kNoOperation;
    if (graph_.streams()[s].order == StreamOrder::ready) {
      if (stream.ready.empty()) return kNoOperation;
      const OperationId id = stream.ready.begin()->second;
      stream.ready.erase(stream.ready.begin());
      return id;
    }
    const auto ops = graph_.on_stream(s);
    if (stream.next == ops.size() || waits_[ops[stream.next]] > 0) return kNoOperation;
    return ops[stream.next++];
  }

  void start_what_can() {
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const std::uint32_t s : touched_) {
      const OperationId id = startable(s);
      if (id != kNoOperation) start(s, id);
    }
    touched_.clear();
  }

  void start(std::uint32_t s, OperationId id) {
    const StepOperation& op = graph_.operation(id);
    Stream& stream = streams_[s];
    out_.start[id] = now_;
    out_.waited_for[id] = last_awaited(id, stream.last);
    stream.busy = true;
    stream.last = id;
    ++running_;
    if (is_transfer(op.work)) return transfers_.start(id, now_);
    computes_.emplace(failures_.end(graph_, id, now_, op.duration), id);
  }

  /// The stream's previous operation where it was the last to end, else the dependency that ended last.
  OperationId last_awaited(OperationId id, OperationId on_stream) const {
    if (now_ == 0) return kNoOperation;
    if (on_stream != kNoOperation && out_.freed[on_stream] == now_) return on_stream;
    for (const OperationId earlier : graph_.predecessors(id)) {
      if (out_.finish[earlier] == now_) return earlier;
    }
    return kNoOperation;
  }

  void free_stream(OperationId id) {
    if (out_.freed[id] >= 0) return;
    out_.freed[id] = now_;
    const std::uint32_t s = graph_.operation(id).stream;
    streams_[s].busy = false;
    touched_.push_back(s);
  }

  void finish(OperationId id) {
    free_stream(id);
    out_.finish[id] = now_;
    --running_;
    ++finished_;
    for (const OperationId later : graph_.successors(id)) {
      if (--waits_[later] == 0) became_ready(later);
    }
  }

  /// Nothing will happen any more: of what is under way, something waits for what has failed for good.
  [[noreturn]] void refuse_endless() const {
    for (OperationId id = 0; id < graph_.size(); ++id) {
      if (out_.start[id] < 0 || out_.finish[id] >= 0) continue;
      const StepOutage* outage = failures_.for_good(graph_, id);
      if (!outage) continue;
      fail_input(outage->where,
                 fmt::format("the step cannot end: {}, begun at {:.6g} s, waits for what has failed for good",
                             graph_.describe(id), seconds_of(out_.start[id]).si()),
                 "'step_failure.until' says when it is back; 'step_failure.lost' below 1 leaves a part");
    }
    fail_input(whole(kTheAnswer), "a transfer never ends");
  }

  void advance() {
    const StepTime compute = computes_.empty() ? kNeverInStep : computes_.top().first;
    now_ = std::min(compute, transfers_.next());
    if (now_ == kNeverInStep) refuse_endless();
    if (now_ > kLongestStep) {
      fail_input(whole(kTheAnswer),
                 fmt::format("the step takes longer than {:.4g} s", seconds_of(kLongestStep).si()));
    }
    while (!computes_.empty() && computes_.top().first == now_) {
      over_.push_back(computes_.top().second);
      computes_.pop();
    }
    for (const OperationId id : over_) finish(id);
    over_.clear();
    if (transfers_.next() == now_) transfers_.take(events_);
    for (const TransferEvent& event : events_) {
      if (event.delivered) {
        finish(event.operation);
      } else {
        free_stream(event.operation);
      }
    }
    events_.clear();
    out_.end = now_;
  }

  const StepGraph& graph_;
  TransferModel& transfers_;
  const StepFailures& failures_;
  Execution out_;
  StepTime now_ = 0;
  std::size_t running_ = 0;
  std::size_t finished_ = 0;
  std::vector<std::uint32_t> waits_;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> touched_;
  std::vector<OperationId> over_;
  std::vector<TransferEvent> events_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> computes_;
};

}  // namespace

Execution execute(const StepGraph& graph, TransferModel& transfers, const StepFailures& failures) {
  return Executor(graph, transfers, failures).run();
}

}  // namespace trainyard
