#include "circuits/transfers.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <utility>

#include "base/errors.h"
#include "step/transfer_queue.h"
#include "step/transfer_rates.h"

namespace trainyard::circuits {
namespace {

constexpr std::int32_t kNoKey = -1;

/// Ports of a class of devices.
struct Node {
  std::int32_t key = kNoKey;  // of its circuits, or of those that they change to
  std::int32_t running = 0;
  bool changing = false;
};

/// A turn under way.
struct Slot {
  Turn turn;
  OperationId operation = kNoOperation;  // that has asked
  bool changing = false;
  bool granted = false;
};

/// Transfers, ports and changes; who comes next is its heirs' choice.
class CircuitTransfers : public TransferModel {
 public:
  CircuitTransfers(const Setting& in, const Demands& demands, StepTime change, PortLog& log)
      : graph_(in.graph),
        demands_(demands),
        nodes_(static_cast<std::size_t>(demands.nodes())),
        failures_(in.failures),
        rates_(in.graph, in.networks),
        change_(change),
        log_(log),
        slot_of_(in.graph.size(), kNone) {}

  void start(OperationId id, StepTime now) override {
    if (!demands_.by_circuit(id)) return begin_beside(id, now);
    if (demands_.fixed()) return begin(id, now);
    asked(id, now);
    settle(now);
  }

  StepTime next() override {
    const StepTime change = changes_.empty() ? kNeverInStep : changes_.top().first;
    const StepTime wake = wakes_.empty() ? kNeverInStep : wakes_.top();
    return std::min({change, wake, queue_.next()});
  }

  void take(std::vector<TransferEvent>& events) override {
    const StepTime now = next();
    while (!changes_.empty() && changes_.top().first == now) {
      const std::size_t slot = changes_.top().second;
      changes_.pop();
      end_change(slot);
    }
    while (!wakes_.empty() && wakes_.top() == now) wakes_.pop();
    const std::size_t before = events.size();
    if (queue_.next() == now) queue_.take(now, events);
    for (std::size_t i = before; i < events.size(); ++i) release(events[i].operation);
    settle(now);
  }

 protected:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// A transfer has come to its stream's front.
  virtual void asked(OperationId id, StepTime now) = 0;
  /// Begins what can begin.
  virtual void settle(StepTime now) = 0;

  Node& node(std::int32_t n) { return nodes_[static_cast<std::size_t>(n)]; }

  bool holds(const Turn& turn) {
    return std::all_of(turn.nodes.begin(), turn.nodes.end(),
                       [&](std::int32_t n) { return node(n).key == turn.key && !node(n).changing; });
  }

  /// Whether the ports that would change are free.
  bool can_change(const Turn& turn) {
    return std::all_of(turn.nodes.begin(), turn.nodes.end(), [&](std::int32_t n) {
      return !node(n).changing && (node(n).key == turn.key || node(n).running == 0);
    });
  }

  void begin_change(std::size_t slot, StepTime now) {
    Slot& s = slots_[slot];
    PortUse use{now, now + change_, s.turn.key, {}, true};
    for (const std::int32_t n : s.turn.nodes) {
      if (node(n).key == s.turn.key) continue;
      node(n).key = s.turn.key;
      node(n).changing = true;
      use.nodes.push_back(n);
    }
    log_.uses.push_back(std::move(use));
    s.changing = true;
    changing_.push_back({slot, log_.uses.size() - 1});
    if (change_ == 0) return end_change(slot);
    changes_.emplace(now + change_, slot);
  }

  void grant(std::size_t slot, StepTime now) {
    Slot& s = slots_[slot];
    s.granted = true;
    for (const std::int32_t n : s.turn.nodes) ++node(n).running;
    log_.order.push_back(s.turn);
    slot_of_[s.operation] = slot;
    begin(s.operation, now);
  }

  /// settle() is called at that time.
  void wake_at(StepTime time) { wakes_.push(time); }

  std::vector<Slot> slots_;

 private:
  using Change = std::pair<StepTime, std::size_t>;

  void end_change(std::size_t slot) {
    slots_[slot].changing = false;
    const auto at =
        std::find_if(changing_.begin(), changing_.end(), [&](const auto& c) { return c.first == slot; });
    for (const std::int32_t n : log_.uses[at->second].nodes) node(n).changing = false;
    changing_.erase(at);
  }

  void begin_beside(OperationId id, StepTime now) {
    const double bytes = graph_.operation(id).bytes;
    const TransferClass& c = graph_.class_of(id);
    const StepTime alone = demands_.electrical(id) ? demands_.sending(id) : rates_.alone(c, bytes);
    queue_.add(id, failures_.end(graph_, id, now, alone), rates_.delay(c, bytes));
  }

  void begin(OperationId id, StepTime now) {
    const double within = demands_.turns_within(id);
    const auto changes = static_cast<StepTime>(within * static_cast<double>(change_));
    const StepTime end = failures_.end(graph_, id, now, demands_.sending(id) + changes);
    log_.uses.push_back({now, std::min(end, kLongestStep), demands_.key(id), demands_.members(id), false});
    queue_.add(id, end, rates_.delay(graph_.class_of(id), graph_.operation(id).bytes));
  }

  void release(OperationId id) {
    if (slot_of_[id] == kNone) return;
    for (const std::int32_t n : slots_[slot_of_[id]].turn.nodes) --node(n).running;
    slot_of_[id] = kNone;
  }

 protected:
  const StepGraph& graph_;
  const Demands& demands_;
  std::vector<Node> nodes_;

 private:
  const StepFailures& failures_;
  TransferRates rates_;
  StepTime change_;
  PortLog& log_;
  std::vector<std::size_t> slot_of_;                           // of operations that send
  std::vector<std::pair<std::size_t, std::size_t>> changing_;  // slot, its use in the log
  std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
  std::priority_queue<StepTime, std::vector<StepTime>, std::greater<>> wakes_;
  TransferQueue queue_;
};

class Recording : public CircuitTransfers {
 public:
  Recording(const Setting& in, const Demands& demands, Habit habit, PortLog& log)
      : CircuitTransfers(in, demands, habit.change, log), habit_(habit) {}

 protected:
  void asked(OperationId id, StepTime now) override {
    slots_.push_back({{graph_.operation(id).stream, demands_.key(id), demands_.members(id)}, id});
    since_.push_back(now);
    if (habit_.patience > 0) wake_at(now + habit_.patience);
    waiting_.push_back(slots_.size() - 1);
  }

  void settle(StepTime now) override {
    reserved_.assign(nodes_.size(), false);
    std::erase_if(waiting_, [&](std::size_t slot) { return served(slot, now); });
  }

 private:
  /// Whether it has begun; else its ports are kept for it.
  bool served(std::size_t slot, StepTime now) {
    const Turn turn = slots_[slot].turn;
    if (!slots_[slot].changing && !holds(turn) && now < since_[slot] + habit_.patience) return false;
    const bool free = std::none_of(turn.nodes.begin(), turn.nodes.end(),
                                   [&](std::int32_t n) { return reserved_[static_cast<std::size_t>(n)]; });
    if (!slots_[slot].changing && free && !holds(turn) && can_change(turn)) begin_change(slot, now);
    if (holds(turn) && (free || habit_.keeps)) {
      grant(slot, now);
      return true;
    }
    for (const std::int32_t n : turn.nodes) reserved_[static_cast<std::size_t>(n)] = true;
    return false;
  }

  Habit habit_;
  std::vector<StepTime> since_;  // by slot: when it asked
  std::vector<std::size_t> waiting_;
  std::vector<bool> reserved_;
};

class Ordered : public CircuitTransfers {
 public:
  Ordered(const Setting& in, const Demands& demands, const Order& order, Pace pace, PortLog& log)
      : CircuitTransfers(in, demands, pace.change, log),
        ahead_(pace.ahead),
        of_stream_(in.graph.streams().size()),
        of_node_(nodes_.size()),
        at_(nodes_.size(), 0) {
    for (const Turn& turn : order) {
      const std::size_t slot = slots_.size();
      slots_.push_back({turn});
      of_stream_[turn.stream].push_back(slot);
      for (const std::int32_t n : turn.nodes) {
        of_node_[static_cast<std::size_t>(n)].push_back(slot);
        node(n).key = turn.key;  // that of the last turn stays
      }
    }
  }

 protected:
  void asked(OperationId id, StepTime) override {
    auto& turns = of_stream_[graph_.operation(id).stream];
    TY_ASSERT(!turns.empty(), "the order is of this graph");
    slots_[turns.front()].operation = id;
    turns.pop_front();
  }

  /// Of every class of devices the turn that comes next.
  void settle(StepTime now) override {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t n = 0; n < of_node_.size(); ++n)
        while (at_[n] < of_node_[n].size() && moves(of_node_[n][at_[n]], now)) moved = true;
    }
  }

 private:
  bool is_next(std::size_t slot) const {
    return std::all_of(slots_[slot].turn.nodes.begin(), slots_[slot].turn.nodes.end(), [&](std::int32_t n) {
      const auto at = static_cast<std::size_t>(n);
      return of_node_[at][at_[at]] == slot;
    });
  }

  /// Whether it has begun.
  bool moves(std::size_t slot, StepTime now) {
    if (!is_next(slot)) return false;
    const bool asked = slots_[slot].operation != kNoOperation;
    if (!asked && !ahead_) return false;
    const Turn& turn = slots_[slot].turn;
    if (!slots_[slot].changing && !holds(turn) && can_change(turn)) begin_change(slot, now);
    if (!asked || !holds(turn)) return false;
    grant(slot, now);
    for (const std::int32_t n : slots_[slot].turn.nodes) ++at_[static_cast<std::size_t>(n)];
    return true;
  }

  bool ahead_;
  std::vector<std::deque<std::size_t>> of_stream_;
  std::vector<std::vector<std::size_t>> of_node_;
  std::vector<std::size_t> at_;
};

}  // namespace

std::unique_ptr<TransferModel> recording_transfers(const Setting& in, const Demands& demands, Habit habit,
                                                   PortLog& log) {
  return std::make_unique<Recording>(in, demands, habit, log);
}

std::unique_ptr<TransferModel> ordered_transfers(const Setting& in, const Demands& demands,
                                                 const Order& order, Pace pace, PortLog& log) {
  return std::make_unique<Ordered>(in, demands, order, pace, log);
}

}  // namespace trainyard::circuits
