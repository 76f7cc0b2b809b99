// The threads of a run: they share out the nodes of a window, and hold what is under way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "network/packet/crew.h"
#include "network/packet/windows.h"
#include "network/packet/worker.h"

namespace trainyard::packet {

template <class P>
class Workers {
 public:
  struct Totals {
    std::int64_t waiting = 0;  // packets in queues
    std::uint64_t in_flight = 0;
  };
  struct InFlight {
    std::uint64_t slot = 0;
    std::uint32_t node = 0;
    P packet;

    template <class Archive>
    void serialize(Archive& a) {
      a(slot, node, packet);
    }
  };
  /// What workers have together, in an order that does not depend on threads.
  struct Held {
    std::int64_t waiting = 0;
    std::vector<TraceEntry> trace;  // in the order of time
    std::vector<InFlight> in_flight;

    template <class Archive>
    void serialize(Archive& a) {
      a(waiting, trace, in_flight);
    }
  };

  /// `chunk_bytes`: of inboxes.
  Workers(unsigned threads, std::size_t nodes, std::size_t slots, std::size_t chunk_bytes) : crew_(threads) {
    for (unsigned w = 0; w < crew_.size(); ++w)
      workers_.push_back(std::make_unique<Worker<P>>(nodes, slots, chunk_bytes));
  }

  /// Calls work(worker, n) for all nodes, with what arrives there in this window in `worker.arrivals`; not
  /// for those where nothing arrives and that are `idle(worker, n)`. Where nobody else may be about to take
  /// it, what comes next is made known: `ahead(inboxes, slot, n)`.
  template <class Idle, class Ahead, class Work>
  void run(std::uint32_t nodes, const Windows& windows, const Idle& idle, const Ahead& ahead,
           const Work& work) {
    const std::size_t slot = windows.slot();
    const bool later = windows.goes_on() || windows.is_cut();
    if (workers_.size() == 1) {
      run_alone(nodes, windows, later, idle, ahead, work);
    } else {
      crew_.run(nodes, [&](unsigned w, std::uint32_t n) {
        bool arrives = false;
        for (const auto& producer : workers_) arrives |= !producer->inboxes.empty(slot, n);
        Worker<P>& worker = *workers_[w];
        if (!arrives && idle(worker, n)) return;
        worker.arrivals.packets.clear();
        for (auto& producer : workers_) {
          if (!producer->inboxes.empty(slot, n))
            worker.inboxes.collect(producer->inboxes, slot, n, worker.arrivals.packets);
        }
        if (later) let_go_on(worker, n, windows);
        work(worker, n);
      });
    }
    if (windows.is_cut()) return;
    for (auto& worker : workers_) worker->inboxes.close(slot);
  }

  /// Slots from this one on in which nothing arrives.
  std::size_t unused_from(std::size_t slot, std::size_t slots) const {
    for (const auto& worker : workers_) slots = std::min(slots, worker->inboxes.unused_from(slot));
    return slots;
  }

  template <class Visit>
  void each(const Visit& visit) {
    for (auto& worker : workers_) visit(*worker);
  }

  Totals totals() const {
    Totals sum;
    for (const auto& worker : workers_) {
      sum.waiting += worker->waiting;
      sum.in_flight += worker->inboxes.put_count() - worker->inboxes.taken_count();
    }
    return sum;
  }

  std::vector<TraceEntry> trace() const {
    std::vector<TraceEntry> out;
    for (const auto& worker : workers_) out.insert(out.end(), worker->trace.begin(), worker->trace.end());
    std::sort(out.begin(), out.end(), [](const TraceEntry& a, const TraceEntry& b) {
      return std::tie(a.time, a.flow, a.sequence, a.kind, a.node, a.event, a.port, a.bytes) <
             std::tie(b.time, b.flow, b.sequence, b.kind, b.node, b.event, b.port, b.bytes);
    });
    return out;
  }

  Held held() const { return {totals().waiting, trace(), in_flight()}; }
  /// Only while they hold nothing.
  void hold(Held what) {
    Worker<P>& worker = *workers_.front();
    worker.waiting = what.waiting;
    worker.trace = std::move(what.trace);
    for (const InFlight& one : what.in_flight) worker.inboxes.put(one.slot, one.node, one.packet);
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& worker : workers_) sum += worker->inboxes.bytes();
    return sum;
  }

 private:
  template <class Idle, class Ahead, class Work>
  void run_alone(std::uint32_t nodes, const Windows& windows, bool later, const Idle& idle,
                 const Ahead& ahead, const Work& work) {
    const std::size_t slot = windows.slot();
    Worker<P>& worker = *workers_.front();
    backwards_ = !backwards_;  // what was at hand last is still in the caches
    const std::uint32_t step = backwards_ ? ~std::uint32_t{0} : 1;
    for (std::uint32_t i = 0, n = backwards_ ? nodes - 1 : 0; i < nodes; ++i, n += step) {
      ahead(worker.inboxes, slot, n, step);
      const bool arrives = !worker.inboxes.empty(slot, n);
      if (!arrives && idle(worker, n)) continue;
      worker.arrivals.packets.clear();
      if (arrives) worker.inboxes.collect(worker.inboxes, slot, n, worker.arrivals.packets);
      if (later) let_go_on(worker, n, windows);
      work(worker, n);
    }
  }

  /// Puts back what arrives later than in this window.
  static void let_go_on(Worker<P>& worker, std::uint32_t node, const Windows& windows) {
    std::vector<P>& packets = worker.arrivals.packets;
    const auto later = std::partition(packets.begin(), packets.end(),
                                      [&](const P& packet) { return packet.arrival < windows.end(); });
    for (auto packet = later; packet != packets.end(); ++packet)
      worker.inboxes.put(windows.slot_of(packet->arrival), node, *packet);
    packets.erase(later, packets.end());
  }

  std::vector<InFlight> in_flight() const {
    std::vector<InFlight> out;
    for (const auto& worker : workers_) {
      worker->inboxes.each([&](std::size_t slot, std::uint32_t node, const P& packet) {
        out.push_back({slot, node, packet});
      });
    }
    std::sort(out.begin(), out.end(), [](const InFlight& a, const InFlight& b) {
      const auto place = std::tie(a.slot, a.node, a.packet.arrival, a.packet.in_port);
      const auto other = std::tie(b.slot, b.node, b.packet.arrival, b.packet.in_port);
      if (place != other) return place < other;
      return order_of_content(a.packet) < order_of_content(b.packet);
    });
    return out;
  }

  Crew crew_;
  bool backwards_ = true;  // the last window went from the last node to the first
  std::vector<std::unique_ptr<Worker<P>>> workers_;
};

}  // namespace trainyard::packet
