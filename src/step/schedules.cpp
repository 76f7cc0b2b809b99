#include "step/schedules.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "base/errors.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Shape = ScheduleShape;
using Order = std::vector<ChunkPass>;

double real(std::int64_t count) { return static_cast<double>(count); }
std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Depth d on stage d mod p.
ScheduleOrder one_way(const Shape& s) {
  ScheduleOrder out;
  out.depths = s.stages * s.chunks;
  out.stages.resize(index(s.stages));
  out.stage_of.resize(1);
  for (std::int32_t d = 0; d < out.depths; ++d) out.stage_of[0].push_back(d % s.stages);
  return out;
}

std::string one_chunk(const Shape& s) {
  return s.chunks == 1 ? "" : fmt::format("takes one chunk a stage, not {}", s.chunks);
}

/// All forward passes, then all backward passes, last microbatch first (Huang et al. 2019, Fig. 2).
ScheduleOrder gpipe(const Shape& s) {
  ScheduleOrder out = one_way(s);
  for (std::int32_t stage = 0; stage < s.stages; ++stage) {
    Order& order = out.stages[index(stage)];
    for (std::int32_t i = 0; i < s.microbatches; ++i) order.push_back({ChunkWork::forward, i, stage});
    for (std::int32_t i = s.microbatches; i-- > 0;) order.push_back({ChunkWork::backward, i, stage});
  }
  return out;
}

/// (p-1)(F+B) / v: GPipe and 1F1B with v = 1 (Narayanan et al. 2021, sections 2.2.1 and 2.2.2).
Seconds fill_and_drain(const Shape& s, Seconds forward, Seconds input, Seconds weight) {
  return (forward + input + weight) * (real(s.stages - 1) / real(s.chunks));
}

/// Warm-up forward passes, then forward and backward in turns, then the rest (Narayanan et al. 2021, Fig. 4).
/// The k-th forward and backward pass of a stage are given by functions.
template <class Forward, class Backward>
void one_forward_one_backward(Order& order, std::int32_t passes, std::int32_t warm_up, Forward forward,
                              Backward backward) {
  for (std::int32_t k = 0; k < warm_up; ++k) order.push_back(forward(k));
  for (std::int32_t k = warm_up; k < passes; ++k) {
    order.push_back(forward(k));
    order.push_back(backward(k - warm_up));
  }
  for (std::int32_t k = passes - warm_up; k < passes; ++k) order.push_back(backward(k));
}

ScheduleOrder one_f_one_b(const Shape& s) {
  ScheduleOrder out = one_way(s);
  for (std::int32_t stage = 0; stage < s.stages; ++stage) {
    one_forward_one_backward(
        out.stages[index(stage)], s.microbatches, std::min(s.stages - 1 - stage, s.microbatches),
        [&](std::int32_t k) {
          return ChunkPass{ChunkWork::forward, k, stage};
        },
        [&](std::int32_t k) {
          return ChunkPass{ChunkWork::backward, k, stage};
        });
  }
  return out;
}

/// p microbatches through a chunk, then the same through the next (Narayanan et al. 2021, section 2.2.2).
ScheduleOrder interleaved(const Shape& s) {
  ScheduleOrder out = one_way(s);
  const std::int32_t passes = s.microbatches * s.chunks;
  const std::int32_t round = s.stages * s.chunks;
  for (std::int32_t stage = 0; stage < s.stages; ++stage) {
    const auto pass = [&](ChunkWork work, std::int32_t k) {
      const std::int32_t turn = k % round / s.stages;
      const std::int32_t chunk = work == ChunkWork::forward ? turn : s.chunks - 1 - turn;
      return ChunkPass{work, k / round * s.stages + k % s.stages, chunk * s.stages + stage};
    };
    const std::int32_t warm_up = (s.stages - 1 - stage) * 2 + (s.chunks - 1) * s.stages;
    one_forward_one_backward(
        out.stages[index(stage)], passes, std::min(s.chunks == 1 ? s.stages - 1 - stage : warm_up, passes),
        [&](std::int32_t k) { return pass(ChunkWork::forward, k); },
        [&](std::int32_t k) { return pass(ChunkWork::backward, k); });
  }
  return out;
}

std::string interleaved_refusal(const Shape& s) {
  if (s.microbatches % s.stages == 0) return "";
  return fmt::format("takes microbatches in rounds of the {} stages, and {} do not divide", s.stages,
                     s.microbatches);
}

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

ScheduleOrder zero_bubble(const Shape& s) { return ZeroBubble(s).order(); }

/// (p-1)(F + B - W) with B of the inputs (Qi et al. 2024, table 2), for enough microbatches.
Seconds zero_bubble_idle(const Shape& s, Seconds forward, Seconds input, Seconds weight) {
  return (forward + input - weight) * real(s.stages - 1);
}

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

ScheduleOrder dual_pipe(const Shape& s) { return DualPipe(s).order(); }

/// (p/2 - 1)(F&B + B - 3 W), with F&B = F + B and B of inputs and weights (DeepSeek-AI 2024, table 2).
Seconds dual_pipe_idle(const Shape& s, Seconds forward, Seconds input, Seconds weight) {
  const Seconds backward = input + weight;
  return (forward + 2 * backward - 3 * weight) * (real(s.stages) / 2 - 1);
}

std::string dual_pipe_refusal(const Shape& s) {
  if (s.stages % 2 != 0) return fmt::format("takes an even number of stages, not {}", s.stages);
  if (s.microbatches % 2 != 0 || s.microbatches < 2 * s.stages) {
    return fmt::format("takes an even number of microbatches, at least two a stage = {}, not {}",
                       2 * s.stages, s.microbatches);
  }
  return one_chunk(s);
}

}  // namespace

const std::vector<ScheduleKind>& pipeline_schedules() {
  using enum PipelineSchedule;
  static const std::vector<ScheduleKind> kinds = {
      {PipelineSchedule::gpipe, "gpipe", "Huang et al. 2019", trainyard::gpipe, fill_and_drain, one_chunk},
      {PipelineSchedule::one_f_one_b, "1f1b", "Narayanan et al. 2021", trainyard::one_f_one_b, fill_and_drain,
       one_chunk},
      {PipelineSchedule::interleaved, "interleaved", "Narayanan et al. 2021", trainyard::interleaved,
       fill_and_drain, interleaved_refusal},
      {zb_h1, "zb_h1", "Qi et al. 2024", zero_bubble, zero_bubble_idle, one_chunk},
      {dualpipe, "dualpipe", "DeepSeek-AI 2024", dual_pipe, dual_pipe_idle, dual_pipe_refusal},
  };
  return kinds;
}

const ScheduleKind& schedule_kind(PipelineSchedule schedule) {
  for (const ScheduleKind& kind : pipeline_schedules()) {
    if (kind.schedule == schedule) return kind;
  }
  TY_ASSERT(false, "every schedule has a row");
  return pipeline_schedules().front();
}

}  // namespace trainyard
