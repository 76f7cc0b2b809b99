// Divisors of a count: what may be chosen where parts have to be equal, and how errors say so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// Of a positive number, in rising order.
std::vector<std::int64_t> divisors(std::int64_t n);

/// "1, 2, 4, 8"; of very many the first, and dots.
std::string divisors_text(std::int64_t n);

}  // namespace trainyard
