// What transfers do when, by time.
#pragma once

#include <queue>
#include <vector>

#include "step/graph.h"
#include "step/transfer_model.h"

namespace trainyard {

class TransferQueue {
 public:
  /// A transfer whose last byte is sent at a moment, and `delay` later is there. kNeverInStep: never.
  void add(OperationId operation, StepTime sent, StepTime delay) {
    if (sent > kLongestStep) return events_.push({sent, operation, true});
    if (delay > 0) events_.push({sent, operation, false});
    events_.push({sent + delay, operation, true});
  }

  StepTime next() const { return events_.empty() ? kNeverInStep : events_.top().time; }

  /// Appends what happens at that time, by operation.
  void take(StepTime time, std::vector<TransferEvent>& events) {
    while (next() == time && !events_.empty()) {
      events.push_back(events_.top());
      events_.pop();
    }
  }

 private:
  struct Later {
    bool operator()(const TransferEvent& a, const TransferEvent& b) const {
      if (a.time != b.time) return a.time > b.time;
      if (a.operation != b.operation) return a.operation > b.operation;
      return a.delivered && !b.delivered;
    }
  };
  std::priority_queue<TransferEvent, std::vector<TransferEvent>, Later> events_;
};

}  // namespace trainyard
