#include "search/space/points.h"

#include <fmt/core.h>

#include <numeric>

#include "base/errors.h"
#include "trainyard/errors.h"

namespace trainyard {

Points::Points(const std::vector<FreeSetting>& space, std::uint64_t most, SearchShare share,
               const std::vector<bool>& cheap)
    : cheap_(cheap), share_(share) {
  if (space.empty())
    fail_input(whole("search"), "the scenario leaves no setting free",
               "write { search = [1, 2, 4] } in place of a value, also with --set");
  double count = 1;
  for (const FreeSetting& setting : space) {
    values_.push_back(setting.values.size());
    count *= static_cast<double>(setting.values.size());
  }
  if (count > static_cast<double>(most))
    fail_input(whole("--space"),
               fmt::format("the space has {:.4g} points, more than the {} that are tried", count, most),
               "fewer free settings or values, a larger --space, or --method evolution");
  count_ = static_cast<std::uint64_t>(count);
  for (std::size_t i = 0; i < values_.size(); ++i) (cheap_[i] ? cheap_part_ : costly_part_).add(values_[i]);
  cheap_part_.set_stride();
  costly_part_.set_stride();
}

void Points::Part::set_stride() {
  constexpr double kGolden = 0.6180339887498949;
  stride = static_cast<std::uint64_t>(kGolden * static_cast<double>(count)) + 1;
  while (std::gcd(stride, count) != 1) ++stride;
}

std::uint64_t Points::Part::spread(std::uint64_t i) const {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kNarrow = std::uint64_t{1} << 32U;
  if (count < kNarrow) return i * stride % count;
  return static_cast<std::uint64_t>(Wide{i} * stride % count);
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
  std::vector<std::size_t> choice;
  return spread(place, choice);
}

std::uint64_t Points::spread(std::uint64_t place, std::vector<std::size_t>& choice) const {
  const std::uint64_t of_all = place * share_.of + share_.number - 1;
  std::uint64_t cheap = cheap_part_.spread(of_all % cheap_part_.count);
  std::uint64_t costly = costly_part_.spread(of_all / cheap_part_.count);
  choice.resize(values_.size());
  std::uint64_t index = 0;
  std::uint64_t weight = 1;
  for (std::size_t s = values_.size(); s-- > 0;) {
    std::uint64_t& left = cheap_[s] ? cheap : costly;
    choice[s] = left % values_[s];
    left /= values_[s];
    index += weight * choice[s];
    weight *= values_[s];
  }
  return index;
}

}  // namespace trainyard
