// An order of flows in which each comes after all that it waits for.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard::workload {

struct Dependency;

/// Numbers of the flows; those that wait for nothing first, in their order. Flows must not wait in a circle
/// (check_dependencies).
std::vector<std::uint32_t> order_of(std::size_t flows, const std::vector<Dependency>& dependencies);

}  // namespace trainyard::workload
