// The farthest nodes of small networks, beside walks counted by powers of the adjacency matrix.
#include "topology/farthest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace trainyard {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out(a.size(), std::vector<double>(a.size(), 0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j)
      for (std::size_t k = 0; k < a.size(); ++k) out[i][j] += a[i][k] * b[k][j];
  }
  return out;
}

/// Walks as long as the distance are the shortest paths: the first power with an entry says how far, and how
/// many.
Farthest by_powers(const Matrix& links, const std::vector<std::int64_t>& sources,
                   const std::vector<bool>& target) {
  Farthest out;
  for (const std::int64_t source : sources) {
    std::vector<bool> reached(links.size(), false);
    reached[static_cast<std::size_t>(source)] = true;
    Matrix walks = links;
    for (std::int64_t length = 1; length < std::ssize(links); ++length, walks = product(walks, links)) {
      for (std::size_t node = 0; node < links.size(); ++node) {
        const double paths = walks[static_cast<std::size_t>(source)][node];
        if (reached[node] || paths == 0) continue;
        reached[node] = true;
        if (!target[node] || length < out.distance) continue;
        out.paths = length > out.distance ? paths : std::min(out.paths, paths);
        out.distance = length;
      }
    }
  }
  return out;
}

Farthest found(const Matrix& links, const std::vector<std::int64_t>& sources,
               const std::vector<bool>& target) {
  const auto neighbours = [&](std::int64_t node, std::vector<std::int64_t>& out) {
    for (std::size_t other = 0; other < links.size(); ++other)
      if (links[static_cast<std::size_t>(node)][other] > 0) out.push_back(static_cast<std::int64_t>(other));
  };
  return find_farthest({std::ssize(links), neighbours,
                        [&](std::int64_t node) -> bool { return target[static_cast<std::size_t>(node)]; }},
                       sources);
}

/// 0 to 1, 2 and 3; from 1 one way on to 4, from 2 and 3 two ways to 5: the pair with fewer paths counts.
TEST(Farthest, HasTheFewestPathsOfItsPairs) {
  Matrix links(6, std::vector<double>(6, 0));
  const auto join = [&](std::size_t a, std::size_t b) { links[a][b] = links[b][a] = 1; };
  for (const std::size_t middle : {1U, 2U, 3U}) join(0, middle);
  join(1, 4);
  join(2, 5);
  join(3, 5);
  const Farthest both = found(links, {0}, std::vector<bool>(6, true));
  EXPECT_EQ(both.distance, 2);
  EXPECT_EQ(both.paths, 1);
  const Farthest two = found(links, {0}, {false, false, false, false, false, true});
  EXPECT_EQ(two.distance, 2);
  EXPECT_EQ(two.paths, 2);
}

TEST(Farthest, IsThatOfWalksOnRandomNetworks) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t nodes = 2 + random() % 9;
    const std::size_t rare = 2 + random() % 3;
    Matrix links(nodes, std::vector<double>(nodes, 0));
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (random() % rare == 0) links[a][b] = links[b][a] = 1;
    std::vector<bool> target(nodes);
    for (std::size_t node = 0; node < nodes; ++node) target[node] = random() % 3 != 0;
    std::vector<std::int64_t> sources = {0};
    if (random() % 2 == 0) sources.push_back(static_cast<std::int64_t>(nodes) - 1);
    const Farthest here = found(links, sources, target);
    const Farthest wanted = by_powers(links, sources, target);
    EXPECT_EQ(here.distance, wanted.distance) << round;
    if (wanted.distance == 0) continue;
    EXPECT_EQ(here.paths, wanted.paths) << round;
  }
}

}  // namespace
}  // namespace trainyard
