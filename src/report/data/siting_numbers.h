// Quantities of siting as reports write them: the number in its own unit, which the column names.
#pragma once

#include <optional>
#include <string>

#include "report/data/show.h"
#include "trainyard/units.h"

namespace trainyard {

template <Dimension D, class S>
std::optional<double> count_of(const std::optional<Quantity<D, S>>& quantity) {
  return quantity ? std::optional(quantity->count()) : std::nullopt;
}

template <Dimension D, class S>
std::string grouped(Quantity<D, S> quantity) {
  return grouped(quantity.count());
}

template <Dimension D, class S>
std::string grouped(const std::optional<Quantity<D, S>>& quantity, const char* otherwise = "-") {
  return grouped(count_of(quantity), otherwise);
}

}  // namespace trainyard
