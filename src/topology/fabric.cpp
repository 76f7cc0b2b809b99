#include "topology/fabric.h"

#include <algorithm>
#include <string>

#include "base/whole_numbers.h"
#include "trainyard/errors.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard {

void fail_design(const DesignInput& design, const std::string& key, const std::string& message,
                 const std::string& help) {
  const Location where = place_of(design.places, key);
  // One of the usual designs, which no scenario names.
  if (!where.source)
    throw UnbuildableNetwork({{whole("design '" + design.name + "'"), key + ": " + message, help}});
  throw UnbuildableNetwork({{where, "design '" + design.name + "': " + key + ": " + message, help}});
}

void visit_host_cables(std::int64_t endpoints, std::int64_t parts, std::int64_t per_rack, std::int64_t most,
                       const CableVisitor& visit) {
  const std::int64_t step = most > 0 ? ceil_div(parts, most) : 1;
  std::int64_t shown = 0;
  for (std::int64_t part = step / 2; part < parts; part += step)
    shown += share_begin(endpoints, parts, part + 1) - share_begin(endpoints, parts, part);
  const double stand_for = static_cast<double>(endpoints) / static_cast<double>(shown);
  for (std::int64_t part = step / 2; part < parts; part += step) {
    const EndpointRange all{share_begin(endpoints, parts, part), share_begin(endpoints, parts, part + 1)};
    for (std::int64_t from = all.begin; from < all.end;) {
      const std::int64_t to = std::min(all.end, (from / per_rack + 1) * per_rack);
      visit({0, {from, to}, all, static_cast<double>(to - from) * stand_for});
      from = to;
    }
  }
}

}  // namespace trainyard
