// Which flows wait for which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard::flow {

/// By their numbers, from 0 on.
class WaitingFlows {
 public:
  void reserve(std::size_t flows) { flows_.reserve(flows); }
  void add_flow() { flows_.emplace_back(); }

  /// A flow waits for another one: until its receiver has all, or until its sender knows.
  void wait(std::uint32_t flow, std::uint32_t before, bool known) {
    ++flows_[flow].awaited;
    waiters_.push_back({flow, flows_[before].waiters, known});
    flows_[before].waiters = static_cast<std::uint32_t>(waiters_.size() - 1);
  }
  bool waits(std::uint32_t flow) const { return flows_[flow].awaited > 0; }

  /// What flows have waited for has come: calls `visit(flow, last)` for each; `last`: it waits no longer.
  template <class Visit>
  void come_true(std::uint32_t before, bool known, const Visit& visit) {
    for (std::uint32_t w = flows_[before].waiters; w != kNone; w = waiters_[w].next) {
      if (waiters_[w].known != known) continue;
      const std::uint32_t flow = waiters_[w].flow;
      visit(flow, --flows_[flow].awaited == 0);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Flow {
    std::uint32_t awaited = 0;      // so many others
    std::uint32_t waiters = kNone;  // in waiters_, a list
  };
  struct Waiter {
    std::uint32_t flow;
    std::uint32_t next;
    bool known;
  };

  std::vector<Flow> flows_;
  std::vector<Waiter> waiters_;
};

}  // namespace trainyard::flow
