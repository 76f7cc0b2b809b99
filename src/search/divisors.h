#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

/// Of a positive number, in rising order.
std::vector<std::int64_t> divisors(std::int64_t n);

}  // namespace trainyard
