// Traffic matrices beside a count of all their pairs, one by one.
#include "trainyard/traffic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collective/counted_traffic.h"
#include "collective/traffic_groups.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

constexpr TrafficPattern kPatterns[] = {TrafficPattern::all, TrafficPattern::ring, TrafficPattern::line,
                                        TrafficPattern::ends, TrafficPattern::incast};

Pairs visited(TrafficPattern pattern, std::int64_t size) {
  Pairs out;
  visit_pairs(pattern, size, [&](std::int64_t from, std::int64_t to) {
    EXPECT_TRUE(out.insert({from, to}).second || size == 2) << "twice";
  });
  return out;
}

/// As the words of trainyard/traffic.h have it.
bool sends(TrafficPattern pattern, std::int64_t from, std::int64_t to, std::int64_t size) {
  const std::int64_t last = size - 1;
  switch (pattern) {
    case TrafficPattern::all:
      return from != to;
    case TrafficPattern::ring:
      return from != to && (from < last ? to == from + 1 : to == 0);
    case TrafficPattern::line:
      return std::abs(from - to) == 1;
    case TrafficPattern::ends:
      return from != to && (from == 0 || from == last) && (to == 0 || to == last);
    case TrafficPattern::incast:
      return from != 0 && to == 0;
  }
  return false;
}

TEST(TrafficGroups, EveryWayToAskWhoTalksSaysTheSame) {
  for (const TrafficPattern pattern : kPatterns) {
    for (std::int64_t size = 1; size <= 9; ++size) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(pattern) << " of " << size);
      Pairs expected;
      for (std::int64_t from = 0; from < size; ++from) {
        const std::vector<std::int64_t> near = near_indices(pattern, from, size);
        for (std::int64_t to = 0; to < size; ++to) {
          EXPECT_EQ(talks(pattern, from, to, size), sends(pattern, from, to, size)) << from << " to " << to;
          if (!sends(pattern, from, to, size)) continue;
          expected.insert({from, to});
          EXPECT_TRUE(std::find(near.begin(), near.end(), to) != near.end()) << from << " to " << to;
        }
        for (const std::int64_t to : near) EXPECT_TRUE(to >= 0 && to < size) << from << " to " << to;
      }
      EXPECT_EQ(visited(pattern, size), expected);
      EXPECT_EQ(pairs_of_group(pattern, size), static_cast<double>(expected.size()));
    }
  }
}

/// Of devices whose numbers have two to four digits, slowest last.
std::vector<Digit> digits_of_devices(const std::vector<std::int64_t>& sizes) {
  std::vector<Digit> out;
  std::int64_t stride = 1;
  for (const std::int64_t size : sizes) {
    out.push_back({stride, size});
    stride *= size;
  }
  return out;
}

TEST(TrafficGroups, PlacesAndDevicesAreEachOthersInverse) {
  const std::vector<Digit> all = digits_of_devices({3, 2, 4, 2});
  for (unsigned chosen = 1; chosen < 16; ++chosen) {
    TrafficClass c;
    for (std::size_t i = all.size(); i-- > 0;)
      if ((chosen >> i & 1U) != 0) c.digits.push_back(all[i]);
    TrafficMatrix matrix;
    matrix.devices = 48;
    std::set<std::int64_t> seen;
    visit_groups(matrix, c, [&](const std::vector<std::int64_t>& members) {
      ASSERT_EQ(static_cast<std::int64_t>(members.size()), group_size(c));
      EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
      for (std::size_t i = 0; i < members.size(); ++i) {
        const GroupPlace place = group_place(c, members[i]);
        EXPECT_EQ(place.group, members.front());
        EXPECT_EQ(place.index, static_cast<std::int64_t>(i));
        EXPECT_EQ(place.group + device_at(c.digits, place.index), members[i]);
        EXPECT_TRUE(seen.insert(members[i]).second);
      }
    });
    EXPECT_EQ(seen.size(), 48U);  // each in one group
  }
}

TrafficMatrix drawn_matrix() {
  const auto sizes = *rc::gen::resize(
      4, rc::gen::suchThat(
             rc::gen::container<std::vector<std::int64_t>>(rc::gen::element<std::int64_t>(2, 3, 4)),
             [](const auto& s) { return s.size() >= 2 && s.size() <= 4; }));
  const std::vector<Digit> digits = digits_of_devices(sizes);
  TrafficMatrix matrix;
  matrix.devices = size_of(digits);
  // Domains of whole digits, and those that cut through groups.
  const auto cut = *rc::gen::inRange<std::size_t>(0, digits.size());
  matrix.domain_devices =
      *rc::gen::arbitrary<bool>() ? digits[cut].stride : *rc::gen::inRange<std::int64_t>(1, 20);
  const int classes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < classes; ++i) {
    TrafficClass c;
    c.name = std::to_string(i);
    c.pattern = *rc::gen::elementOf(std::vector<TrafficPattern>(std::begin(kPatterns), std::end(kPatterns)));
    const auto chosen = *rc::gen::inRange<unsigned>(1, 1U << digits.size());
    for (std::size_t d = digits.size(); d-- > 0;)
      if ((chosen >> d & 1U) != 0) c.digits.push_back(digits[d]);
    c.pair = Bytes(*rc::gen::inRange(1, 100));
    matrix.classes.push_back(std::move(c));
  }
  return matrix;
}

RC_GTEST_PROP(TrafficSummary, CountsPairsAndBytesAsOneByOne, ()) {
  const TrafficMatrix matrix = drawn_matrix();
  const TrafficSummary s = summarize(matrix);
  const CountedTraffic all = count_traffic(matrix);
  const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); };
  RC_ASSERT(near(s.volume.si(), all.bytes));
  RC_ASSERT(near((1 - s.silent_pair_share) * s.pairs, all.pairs));
  RC_ASSERT(near(s.domain_pair_share * s.pairs, all.pairs_inside));
  RC_ASSERT(near(s.domain_volume_share * all.bytes, all.bytes_inside));
  double shares = 0;
  for (std::size_t i = 0; i < matrix.classes.size(); ++i) {
    TrafficMatrix alone = matrix;
    alone.classes = {matrix.classes[i]};
    const CountedTraffic one = count_traffic(alone);
    const TrafficShare& share = s.classes[i];
    RC_ASSERT(near(share.pairs, one.pairs));
    RC_ASSERT(near(share.pair_share * s.pairs, one.pairs));
    RC_ASSERT(near(share.volume.si(), one.bytes));
    RC_ASSERT(near(share.volume_share * all.bytes, one.bytes));
    RC_ASSERT(share.in_domain == (one.pairs == one.pairs_inside));
    shares += share.volume_share;
  }
  RC_ASSERT(near(shares, 1));
}

RC_GTEST_PROP(TrafficBlock, IsTheMatrixFromOneDeviceOn, ()) {
  TrafficMatrix matrix = drawn_matrix();
  matrix.flows = {{0, 1, Bytes(7)}, {1, 0, Bytes(9)}, {0, 1, Bytes(5)}};
  const auto first = *rc::gen::inRange<std::int64_t>(0, matrix.devices);
  const auto count = *rc::gen::inRange<std::int64_t>(1, 2 * matrix.devices);
  const std::vector<double> block = traffic_block(matrix, first, count);
  const std::int64_t side = std::min(count, matrix.devices - first);
  RC_ASSERT(static_cast<std::int64_t>(block.size()) == side * side);
  for (std::int64_t from = 0; from < side; ++from)
    for (std::int64_t to = 0; to < side; ++to)
      RC_ASSERT(block[static_cast<std::size_t>(from * side + to)] ==
                matrix.between(first + from, first + to).si());
  RC_ASSERT_THROWS_AS(traffic_block(matrix, matrix.devices, 1), InputError);
  RC_ASSERT_THROWS_AS(traffic_block(matrix, -1, 1), InputError);
  RC_ASSERT_THROWS_AS(traffic_block(matrix, 0, 0), InputError);
  RC_ASSERT_THROWS_AS(traffic_block(matrix, 0, 4097), InputError);
  RC_ASSERT(traffic_block(matrix, 0, 4096).size() ==
            static_cast<std::size_t>(matrix.devices * matrix.devices));
}

TEST(TrafficMatrix, KindsAreItsParts) {
  TrafficMatrix matrix;
  matrix.devices = 12;
  const std::vector<Digit> digits = digits_of_devices({3, 4});
  matrix.classes = {{"a", TrafficPattern::all, {digits[0]}, Bytes(3), TrafficKind::tensor},
                    {"b", TrafficPattern::ring, {digits[1]}, Bytes(5), TrafficKind::gradient},
                    {"c", TrafficPattern::line, {digits[1]}, Bytes(7), TrafficKind::gradient}};
  const double all = summarize(matrix).volume.si();
  const double tensor = summarize(only_kind(matrix, TrafficKind::tensor)).volume.si();
  const double gradient = summarize(only_kind(matrix, TrafficKind::gradient)).volume.si();
  EXPECT_GT(tensor, 0);
  EXPECT_GT(gradient, tensor);
  EXPECT_DOUBLE_EQ(tensor + gradient, all);
  EXPECT_EQ(only_kind(matrix, TrafficKind::weights).classes.size(), 0U);
  EXPECT_EQ(summarize(only_kind(matrix, TrafficKind::weights)).silent_pair_share, 1);
}

}  // namespace
}  // namespace trainyard
