// Max-min fairness the plain way, and random problems: what the solver is held against.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "network/flow/max_min.h"
#include "network/flow/network.h"

namespace trainyard::flow {

struct TestFlow {
  Route route;
  double weight = 1;
  std::uint8_t priority = 0;
};

/// Bertsekas & Gallager 1992, section 6.5.2, word by word: raise the rates of all flows together until a link
/// is full, stop its flows, go on with the others. Sums are made anew in every round.
inline std::vector<double> water_filling(const std::vector<double>& capacity,
                                         const std::vector<TestFlow>& flows) {
  std::vector<double> rate(flows.size(), 0);
  for (int priority = 0; priority < 256; ++priority) {
    std::vector<char> open(flows.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f) open[f] = flows[f].priority == priority ? 1 : 0;
    while (std::count(open.begin(), open.end(), 1) > 0) {
      std::vector<double> left = capacity;
      std::vector<double> growth(capacity.size(), 0);
      for (std::size_t f = 0; f < flows.size(); ++f) {
        for (const LinkShare& use : flows[f].route) {
          left[use.link] -= rate[f] * use.share;
          if (open[f] != 0) growth[use.link] += flows[f].weight * use.share;
        }
      }
      // Rates of open flows are 0 in `rate` until they stop.
      double level = std::numeric_limits<double>::infinity();
      for (std::size_t l = 0; l < capacity.size(); ++l) {
        if (growth[l] > 0) level = std::min(level, std::max(0.0, left[l]) / growth[l]);
      }
      std::vector<char> full(capacity.size(), 0);
      for (std::size_t l = 0; l < capacity.size(); ++l)
        full[l] = growth[l] > 0 && std::max(0.0, left[l]) / growth[l] <= level * (1 + 1e-12) ? 1 : 0;
      for (std::size_t f = 0; f < flows.size(); ++f) {
        const auto stops = [&](const LinkShare& use) { return full[use.link] != 0; };
        if (open[f] == 0 || std::none_of(flows[f].route.begin(), flows[f].route.end(), stops)) continue;
        rate[f] = level * flows[f].weight;
        open[f] = 0;
      }
    }
  }
  return rate;
}

/// Random links and flows: few distinct capacities, so that ties are common.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }

  std::vector<double> capacities() {
    std::vector<double> out(1 + below(20));
    const bool round = below(2) == 0;
    for (double& c : out) c = round ? static_cast<double>(below(5)) * 10 : 100 * uniform();
    return out;
  }

  TestFlow flow(std::size_t links, bool weighted, bool shared, int priorities) {
    TestFlow out;
    const std::size_t count = 1 + below(std::min<std::size_t>(links, 6));
    for (std::size_t i = 0; i < count; ++i) {
      const auto link = static_cast<std::uint32_t>(below(links));
      const auto same = [&](const LinkShare& use) { return use.link == link; };
      if (std::any_of(out.route.begin(), out.route.end(), same)) continue;
      out.route.push_back({link, shared ? 1.0 / static_cast<double>(1 + below(8)) : 1});
    }
    if (weighted) out.weight = below(2) == 0 ? static_cast<double>(1 + below(50)) : 0.1 + uniform();
    out.priority = static_cast<std::uint8_t>(below(static_cast<std::size_t>(priorities)));
    return out;
  }

 private:
  std::mt19937_64 random_;
};

inline MaxMinProblem problem_of(const std::vector<double>& capacity, const std::vector<TestFlow>& flows) {
  MaxMinProblem problem;
  problem.capacity = capacity;
  for (const TestFlow& flow : flows) problem.add(flow.route, flow.weight, flow.priority);
  return problem;
}

/// What makes rates max-min fair (Bertsekas & Gallager 1992, section 6.5.2): no link is overloaded, and every
/// flow has a full link on which none of its class has more for its weight.
inline void expect_fair(const std::vector<double>& capacity, const std::vector<TestFlow>& flows,
                        const std::vector<double>& rate) {
  constexpr double kNear = 1e-9;
  std::vector<std::vector<double>> load(256, std::vector<double>(capacity.size(), 0));
  std::vector<std::vector<double>> most(256, std::vector<double>(capacity.size(), 0));
  for (std::size_t f = 0; f < flows.size(); ++f) {
    for (const LinkShare& use : flows[f].route) {
      for (std::size_t p = flows[f].priority; p < load.size(); ++p) load[p][use.link] += rate[f] * use.share;
      double& here = most[flows[f].priority][use.link];
      here = std::max(here, rate[f] / flows[f].weight);
    }
  }
  for (std::size_t l = 0; l < capacity.size(); ++l) ASSERT_LE(load[255][l], capacity[l] * (1 + kNear));
  for (std::size_t f = 0; f < flows.size(); ++f) {
    const std::uint8_t p = flows[f].priority;
    ASSERT_TRUE(std::any_of(flows[f].route.begin(), flows[f].route.end(),
                            [&](const LinkShare& use) {
                              return load[p][use.link] >= capacity[use.link] * (1 - kNear) &&
                                     rate[f] / flows[f].weight >=
                                         most[p][use.link] * (1 - kNear) - kNear * capacity[use.link];
                            }))
        << "flow " << f;
  }
}

inline void expect_near(const std::vector<double>& rates, const std::vector<double>& expected, double scale) {
  ASSERT_EQ(rates.size(), expected.size());
  for (std::size_t f = 0; f < rates.size(); ++f)
    ASSERT_NEAR(rates[f], expected[f], 1e-9 * scale) << "flow " << f;
}

}  // namespace trainyard::flow
