// Long rows are drawn with a gap.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {

constexpr std::int64_t kElided = -1;

/// 0, 1, ..., n-1; of more than `most`, the first ones, kElided and the last: `kept` numbers.
inline std::vector<std::int64_t> shown(std::int64_t n, std::int64_t most, std::int64_t kept) {
  const bool whole = n <= most;
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < (whole ? n : kept - 1); ++i) out.push_back(i);
  if (!whole) out.insert(out.end(), {kElided, n - 1});
  return out;
}

}  // namespace trainyard
