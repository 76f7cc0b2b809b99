// DualPipe (DeepSeek-AI 2024).
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "base/whole_numbers.h"
#include "parallel/schedule_parts.h"

namespace trainyard::schedules {
namespace {

/// DualPipe (DeepSeek-AI 2024, section 3.2.1 and Fig. 5): every stage holds two chunks, of a way through the
/// stages from each end, and half of the microbatches goes each way. Forward and backward passes of opposite
/// ways are computed in turns. Phases as the paper's figure shows them, by the distance from the nearer end.
class DualPipe {
 public:
  explicit DualPipe(const Shape& s) : s_(s), half_(s.microbatches / 2), out_(one_way(s)) {
    out_.second_direction = half_;
    out_.stage_of.emplace_back(out_.stage_of[0].rbegin(), out_.stage_of[0].rend());
  }

  ScheduleOrder order() {
    for (std::int32_t stage = 0; stage < s_.stages; ++stage) fill(stage);
    return std::move(out_);
  }

 private:
  /// What a stage has done of one of its two ways: `own` enters at its nearer end.
  struct Way {
    std::int32_t forward = 0;
    std::int32_t backward = 0;
  };

  void fill(std::int32_t stage) {
    stage_ = stage;
    ways_[0] = ways_[1] = {};
    late_weights_.clear();
    const std::int32_t from_end = std::min(stage, s_.stages - 1 - stage);
    const std::int32_t from_middle = s_.stages / 2 - 1 - from_end;
    for (std::int32_t i = 0; i < 2 * from_middle; ++i) forward(0);
    for (std::int32_t i = 0; i <= from_end; ++i) {
      forward(0);
      forward(1);
    }
    for (std::int32_t i = 0; i < from_middle; ++i) {
      backward(1, true);
      weight();
      forward(1);
    }
    const std::int32_t main = half_ - s_.stages + from_end + 1;
    for (std::int32_t i = 0; i < main; ++i) {
      both(0, 1, i > 0 || from_middle > 0);
      both(1, 0, true);
    }
    for (std::int32_t i = 0; i < from_middle; ++i) {
      backward(1, false);
      both(1, 0, true);
    }
    drain(from_end);
    for (std::int32_t i = 0; i < from_middle; ++i) {
      weight();
      backward(0, true);
    }
    while (!late_weights_.empty()) weight();
  }

  /// The last backward passes of both ways; the second half leaves weight gradients for later.
  void drain(std::int32_t from_end) {
    const std::int32_t pairs = from_end + 1;
    for (std::int32_t pass = 0; pass < 2 * pairs; ++pass) {
      backward(pass % 2 == 0 ? 1 : 0, pass >= pairs);
    }
  }

  /// Way 0 of a stage is the one that enters at its nearer end.
  ChunkPass pass(ChunkWork work, int way, std::int32_t i) const {
    const bool second = (way == 1) != (stage_ >= s_.stages / 2);
    return {work, second ? half_ + i : i, second ? s_.stages - 1 - stage_ : stage_};
  }

  void forward(int way) { add(pass(ChunkWork::forward, way, ways_[way].forward++)); }

  void backward(int way, bool weights_later) {
    const std::int32_t i = ways_[way].backward++;
    add(pass(weights_later ? ChunkWork::backward_input : ChunkWork::backward, way, i));
    if (weights_later) late_weights_.push_back(pass(ChunkWork::backward_weight, way, i));
  }

  /// A forward pass of one way beside a backward pass of the other.
  void both(int forward_way, int backward_way, bool in_turns) {
    forward(forward_way);
    out_.stages[index(stage_)].back().with_next = in_turns;
    backward(backward_way, false);
  }

  void weight() {
    add(late_weights_.front());
    late_weights_.pop_front();
  }

  void add(const ChunkPass& p) { out_.stages[index(stage_)].push_back(p); }

  Shape s_;
  std::int32_t half_;
  ScheduleOrder out_;
  std::int32_t stage_ = 0;
  Way ways_[2];
  std::deque<ChunkPass> late_weights_;
};

ScheduleOrder order_of(const Shape& s) { return DualPipe(s).order(); }

/// (p/2 - 1)(F&B + B - 3 W), with F&B = F + B and B of inputs and weights (DeepSeek-AI 2024, table 2).
Seconds bubble(const Shape& s, Seconds forward, Seconds input, Seconds weight) {
  const Seconds backward = input + weight;
  return (forward + 2 * backward - 3 * weight) * (real(s.stages) / 2 - 1);
}

std::string refusal(const Shape& s) {
  if (s.stages % 2 != 0) return fmt::format("takes an even number of stages, not {}", s.stages);
  if (s.microbatches % 2 != 0 || s.microbatches < 2 * s.stages) {
    return fmt::format("takes an even number of microbatches, at least two a stage = {}, not {}",
                       2 * s.stages, s.microbatches);
  }
  return one_chunk(s);
}

}  // namespace

/// Two pipelines towards each other leave half of fill and drain (DeepSeek-V3, 2024, table 2).
ScheduleRules dualpipe() {
  return {
      .order = order_of, .bubble = bubble, .refusal = refusal, .fill_share = 1.0 / 2, .pairs_passes = true};
}

}  // namespace trainyard::schedules
