// Where racks and switches stand, and so how long cables are.
//
// HB domains fill racks in their order, row by row. A switch stands in a network rack amid the racks of the
// endpoints below it, or in their rack when they fill no more than one. A cable runs along rows and across
// them, plus slack.
#pragma once

#include "topology/fabric.h"
#include "trainyard/units.h"

namespace trainyard {

struct FloorInput;
struct NetworkDesign;

class FloorPlan {
 public:
  FloorPlan(const NetworkDesign& design, const FloorInput& floor);

  /// Endpoints of one network that stand in one rack.
  std::int64_t endpoints_per_rack() const { return per_rack_; }

  /// Length of a cable between the places of two groups of endpoints; quick where `b` is the last one again.
  Metres length(const EndpointRange& a, const EndpointRange& b);

 private:
  struct Place {
    double x = 0;
    double y = 0;
    std::int64_t racks = 1;  // that the endpoints span
  };
  Place place(const EndpointRange& range) const;
  std::int64_t rack_of(std::int64_t endpoint) const;

  const NetworkDesign& design_;
  const FloorInput& floor_;
  std::int64_t racks_per_row_ = 1;
  std::int64_t per_rack_ = 1;
  EndpointRange last_b_;
  Place last_place_;
};

}  // namespace trainyard
