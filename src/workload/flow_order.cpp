#include "workload/flow_order.h"

#include <fmt/core.h>

#include "base/errors.h"
#include "trainyard/flow.h"

namespace trainyard::workload {

std::vector<std::uint32_t> order_of(std::size_t flows, const std::vector<Dependency>& dependencies) {
  std::vector<std::uint32_t> waits(flows, 0);
  std::vector<std::size_t> first(flows + 1, 0);  // of each flow in `after`
  for (const Dependency& d : dependencies) {
    ++waits[d.after];
    ++first[d.before + 1];
  }
  for (std::size_t f = 0; f < flows; ++f) first[f + 1] += first[f];
  std::vector<std::uint32_t> after(dependencies.size());
  std::vector<std::size_t> next(first.begin(), first.end() - 1);
  for (const Dependency& d : dependencies) after[next[d.before]++] = d.after;
  std::vector<std::uint32_t> out;
  for (std::uint32_t f = 0; f < flows; ++f) {
    if (waits[f] == 0) out.push_back(f);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t a = first[out[i]]; a < first[out[i] + 1]; ++a) {
      if (--waits[after[a]] == 0) out.push_back(after[a]);
    }
  }
  TY_ASSERT(out.size() == flows, fmt::format("{} of {} flows wait in a circle", flows - out.size(), flows));
  return out;
}

}  // namespace trainyard::workload
