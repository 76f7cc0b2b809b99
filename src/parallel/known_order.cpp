#include "parallel/known_order.h"

#include <cstdint>
#include <map>
#include <tuple>

#include "base/per_thread.h"
#include "parallel/schedules.h"

namespace trainyard {
namespace {

class KnownOrders {
 public:
  std::shared_ptr<const ScheduleOrder> of(const ScheduleRules& rules, const ScheduleShape& shape) {
    const Key key{rules.order, shape.stages, shape.microbatches, shape.chunks};
    if (const auto found = orders_.find(key); found != orders_.end()) return found->second;
    auto made = std::make_shared<const ScheduleOrder>(rules.order(shape));
    for (const auto& stage : made->stages) passes_ += std::ssize(stage);
    if (passes_ > kMostPasses) forget();
    orders_.emplace(key, made);
    return made;
  }

 private:
  void forget() {
    orders_.clear();
    passes_ = 0;
  }

  static constexpr std::int64_t kMostPasses = 1 << 22;  // 50 MB

  using Order = ScheduleOrder (*)(const ScheduleShape&);
  using Key = std::tuple<Order, std::int32_t, std::int32_t, std::int32_t>;

  std::map<Key, std::shared_ptr<const ScheduleOrder>> orders_;
  std::int64_t passes_ = 0;
};

}  // namespace

std::shared_ptr<const ScheduleOrder> known_order(const ScheduleRules& rules, const ScheduleShape& shape) {
  static PerThread<KnownOrders> of_threads;
  return of_threads.mine().of(rules, shape);
}

}  // namespace trainyard
