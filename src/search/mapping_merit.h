// What mappings of a scenario are chosen by.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

namespace trainyard {

struct MappingPlan;

/// How well a mapping does what was asked: first the batch, then the speed, then what is simpler.
struct Merit {
  bool keeps_batch = true;
  double speed = 0;  // tokens a second; less where the batch is not met exactly or memory may run out
  std::int64_t idle = 0;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;

  bool faster_than(const Merit& b) const {
    if (keeps_batch != b.keeps_batch) return keeps_batch;
    return speed > b.speed * (1 + kEqual);
  }
  bool better_than(const Merit& b) const {
    if (faster_than(b)) return true;
    if (b.faster_than(*this)) return false;
    if (idle != b.idle) return idle < b.idle;
    if (tensor != b.tensor) return tensor < b.tensor;
    return pipeline < b.pipeline;
  }

  /// An order of many, without a tolerance.
  bool ranks_before(const Merit& b) const {
    const auto key = [](const Merit& m) {
      return std::tuple(!m.keeps_batch, -m.speed, m.idle, m.tensor, m.pipeline);
    };
    return key(*this) < key(b);
  }

  static constexpr double kEqual = 1e-9;
};

/// The merit of a mapping at so many tokens a second. A batch that is met exactly is worth a tenth of speed
/// over one that is met within the tolerance; speed counts as often as a device holds what is predicted.
Merit merit_of(const MappingPlan& mapping, std::optional<double> batch, double tokens_per_second,
               double chance_of_room);

}  // namespace trainyard
