#include "search/space/points.h"

#include <fmt/core.h>

#include <numeric>

#include "base/errors.h"
#include "trainyard/errors.h"

namespace trainyard {

Points::Points(const std::vector<FreeSetting>& space, std::uint64_t most, SearchShare share) : share_(share) {
  if (space.empty())
    fail_input(whole("search"), "the scenario leaves no setting free",
               "write { search = [1, 2, 4] } in place of a value, also with --set");
  double count = 1;
  for (const FreeSetting& setting : space) {
    values_.push_back(setting.values.size());
    count *= static_cast<double>(setting.values.size());
  }
  if (count > static_cast<double>(most))
    fail_input(whole("search"),
               fmt::format("the space has {:.4g} points, more than the {} that are tried", count, most),
               "fewer free settings or values, or a larger --space");
  count_ = static_cast<std::uint64_t>(count);
  constexpr double kGolden = 0.6180339887498949;
  stride_ = static_cast<std::uint64_t>(kGolden * count) + 1;
  while (std::gcd(stride_, count_) != 1) ++stride_;
}

std::vector<std::size_t> Points::choice(std::uint64_t index) const {
  std::vector<std::size_t> out(values_.size());
  for (std::size_t s = out.size(); s-- > 0;) {
    out[s] = index % values_[s];
    index /= values_[s];
  }
  return out;
}

std::uint64_t Points::spread(std::uint64_t place) const {
  __extension__ using Wide = unsigned __int128;
  const Wide of_all = Wide{place} * share_.of + share_.number - 1;
  return static_cast<std::uint64_t>(of_all * stride_ % count_);
}

}  // namespace trainyard
