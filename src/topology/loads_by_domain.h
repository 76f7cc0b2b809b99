// Loads on a folded Clos network of traffic in which all devices of an HB domain do the same, from whole
// domains at once: to the last bit what following every device gives, some hundred times faster.
#pragma once

#include <vector>

#include "trainyard/network_load.h"

namespace trainyard {

/// The loads of each part. Empty where follows_domains() says no. Throws InputError as visit_traffic() does.
std::vector<NetworkLoad> loads_by_domain(const NetworkDesign& design, const TrafficMatrix& matrix,
                                         const std::vector<TrafficPart>& parts);

/// By following every device, of any traffic.
NetworkLoad load_by_device(const NetworkDesign& design, const TrafficMatrix& matrix);

}  // namespace trainyard
