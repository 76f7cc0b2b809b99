// The names of the enumerations of exchanges between sites.
#pragma once

#include "base/choices.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {

template <>
struct Choices<WideAreaExchange> {
  static constexpr Choice<WideAreaExchange> kAll[] = {
      {WideAreaExchange::best, "best", "the quickest of all_pairs, scatter, ring and tree"},
      {WideAreaExchange::all_pairs, "all_pairs", "everything to every other site at once: one delay"},
      {WideAreaExchange::scatter, "scatter",
       "a reduce-scatter and an all-gather, each to all others at once: two delays, the fewest bytes"},
      {WideAreaExchange::ring, "ring", "around the best ring: the fewest bytes, 2 (k-1) delays, k links"},
      {WideAreaExchange::tree, "tree", "up a binary tree and down again"},
      {WideAreaExchange::regions, "regions",
       "a reduce-scatter in regions of neighbours, the quickest exchange between regions, an all-gather"}};
};

}  // namespace trainyard
