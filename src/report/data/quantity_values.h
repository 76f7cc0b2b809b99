// Values of quantities in JSON and CSV. Includes the JSON library: for .cpp files only.
#pragma once

#include <cstdint>
#include <optional>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/quantities.h"
#include "trainyard/units.h"

namespace trainyard {

inline Json value_json(const PlanQuantity& q) {
  if (!q.known) return nullptr;
  if (q.unit == Unit::none) return q.text;
  if (q.unit == Unit::count) return static_cast<std::int64_t>(q.value);
  return number_or_null(q.value);
}

inline void add_value(CsvTable& table, const PlanQuantity& q) {
  if (q.unit == Unit::none) {
    table.add(q.text);
  } else {
    table.add(q.known ? std::optional(q.value) : std::nullopt);
  }
}

}  // namespace trainyard
