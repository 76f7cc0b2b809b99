// Orders of schedules that were asked for before.
#pragma once

#include <memory>

namespace trainyard {

struct ScheduleOrder;
struct ScheduleRules;
struct ScheduleShape;

/// As `rules.order(shape)`: many mappings of a search are passed in the same order. Each thread remembers
/// some million passes.
std::shared_ptr<const ScheduleOrder> known_order(const ScheduleRules& rules, const ScheduleShape& shape);

}  // namespace trainyard
