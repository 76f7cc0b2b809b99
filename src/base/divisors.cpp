#include "base/divisors.h"

namespace trainyard {

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> small;
  std::vector<std::int64_t> large;
  for (std::int64_t d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    small.push_back(d);
    if (d != n / d) large.push_back(n / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

std::string divisors_text(std::int64_t n) {
  constexpr std::size_t kLongest = 160;  // of a list that is still read
  std::string out;
  for (const std::int64_t d : divisors(n)) {
    if (out.size() > kLongest) return out + ", ...";
    out += (out.empty() ? "" : ", ") + std::to_string(d);
  }
  return out;
}

}  // namespace trainyard
