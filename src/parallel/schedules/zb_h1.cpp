// ZB-H1 (Qi et al. 2024).
#include <algorithm>
#include <utility>

#include "base/whole_numbers.h"
#include "parallel/schedule_parts.h"

namespace trainyard::schedules {
namespace {

/// ZB-H1 (Qi et al. 2024, section 2.3 and Fig. 2): 1F1B whose weight gradients fill what would be idle, with
/// no more microbatches in memory than 1F1B's first stage has. The paper draws it for passes of equal length;
/// this derives it for any number of stages: at each unit of time a stage does the first that it can of a
/// forward pass, which 1F1B would have done by then and for which there is memory, a backward pass, a weight
/// gradient.
class ZeroBubble {
 public:
  explicit ZeroBubble(const Shape& s) : s_(s), stages_(index(s.stages)), out_(one_way(s)) {}

  ScheduleOrder order() {
    const std::int64_t passes = std::int64_t{3} * s_.microbatches * s_.stages;
    for (std::int64_t done = 0; done < passes; ++now_) {
      for (std::int32_t stage = 0; stage < s_.stages; ++stage) done += step(stage);
    }
    return std::move(out_);
  }

 private:
  struct Stage {
    std::int32_t forward = 0;  // done
    std::int32_t backward = 0;
    std::int32_t weight = 0;
    std::vector<std::int64_t> forward_at;  // when each ended
    std::vector<std::int64_t> backward_at;
  };

  /// One unit of time of a stage: passes done.
  int step(std::int32_t stage) {
    Stage& own = stages_[index(stage)];
    if (can_forward(stage)) {
      add(stage, ChunkWork::forward, own.forward++);
      own.forward_at.push_back(now_ + 1);
    } else if (can_backward(stage)) {
      add(stage, ChunkWork::backward_input, own.backward++);
      own.backward_at.push_back(now_ + 1);
    } else if (own.weight < own.backward) {
      add(stage, ChunkWork::backward_weight, own.weight++);
    } else {
      return 0;
    }
    return 1;
  }

  void add(std::int32_t stage, ChunkWork work, std::int32_t microbatch) {
    out_.stages[index(stage)].push_back({work, microbatch, stage});
  }

  static bool over(const std::vector<std::int64_t>& ends, std::int32_t i, std::int64_t now) {
    return index(i) < ends.size() && ends[index(i)] <= now;
  }

  bool can_backward(std::int32_t stage) const {
    const Stage& own = stages_[index(stage)];
    if (own.backward == own.forward) return false;
    if (stage == s_.stages - 1) return over(own.forward_at, own.backward, now_);
    return over(stages_[index(stage + 1)].backward_at, own.backward, now_);
  }

  bool can_forward(std::int32_t stage) const {
    const Stage& own = stages_[index(stage)];
    if (own.forward == s_.microbatches || own.forward - own.weight >= s_.stages) return false;
    // As in 1F1B, no more forward passes ahead of the backward passes than stages that lie ahead.
    if (own.forward - own.backward >= s_.stages - stage) return false;
    return stage == 0 || over(stages_[index(stage - 1)].forward_at, own.forward, now_);
  }

  Shape s_;
  std::vector<Stage> stages_;
  ScheduleOrder out_;
  std::int64_t now_ = 0;
};

ScheduleOrder order_of(const Shape& s) { return ZeroBubble(s).order(); }

/// (p-1)(F + B - W) with B of the inputs (Qi et al. 2024, table 2). Of fewer microbatches than stages, all
/// weight gradients but the last stand where a stage would idle.
Seconds bubble(const Shape& s, Seconds forward, Seconds input, Seconds weight) {
  return (forward + input) * real(s.stages - 1) - weight * real(std::min(s.stages, s.microbatches) - 1);
}

}  // namespace

/// Of fill and drain a third is left (Qi et al. 2024).
ScheduleRules zb_h1() {
  return {.order = order_of,
          .bubble = bubble,
          .refusal = one_chunk,
          .fill_share = 1.0 / 3,
          .weights_apart = true};
}

}  // namespace trainyard::schedules
