#include "step/wide_area/exchanges.h"

#include <algorithm>
#include <numeric>

#include "step/wide_area.h"

namespace trainyard::between_sites {
namespace {

std::int64_t count_of(const Delays& delays) { return static_cast<std::int64_t>(delays.size()); }

/// The longest way of a chunk: 2 (k-1) links on end, from anywhere.
Seconds ring_delay(const Delays& delays, const std::vector<std::size_t>& order) {
  const std::size_t k = order.size();
  Seconds most{0};
  for (std::size_t start = 0; start < k; ++start) {
    Seconds sum{0};
    for (std::size_t i = 0; i < 2 * (k - 1); ++i)
      sum += delays[order[(start + i) % k]][order[(start + i + 1) % k]];
    most = std::max(most, sum);
  }
  return most;
}

/// Sites by their distance from a root.
std::vector<std::size_t> around(const Delays& delays, std::size_t root) {
  std::vector<std::size_t> order(delays.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return delays[root][a] < delays[root][b]; });
  std::iter_swap(order.begin(), std::find(order.begin(), order.end(), root));
  return order;
}

/// From the root to the farthest leaf of the binary tree in heap order.
Seconds tree_depth(const Delays& delays, const std::vector<std::size_t>& order) {
  std::vector<Seconds> depth(order.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t parent = (i - 1) / 2;
    depth[i] = depth[parent] + delays[order[parent]][order[i]];
  }
  return *std::max_element(depth.begin(), depth.end());
}

}  // namespace

Seconds longest(const Delays& delays) {
  Seconds out{0};
  for (const auto& row : delays) out = std::max(out, *std::max_element(row.begin(), row.end()));
  return out;
}

SiteExchange all_pairs(const Delays& delays) {
  return {WideAreaExchange::all_pairs, real(count_of(delays)) - 1, longest(delays), 1};
}

SiteExchange scatter(const Delays& delays) {
  const double k = real(count_of(delays));
  return {WideAreaExchange::scatter, 2 * (k - 1) / k, 2 * longest(delays), 2};
}

SiteExchange ring(const Delays& delays) {
  const double k = real(count_of(delays));
  std::vector<std::size_t> order(delays.size());
  std::iota(order.begin(), order.end(), 0);
  Seconds best = ring_delay(delays, order);
  while (std::next_permutation(order.begin() + 1, order.end()))
    best = std::min(best, ring_delay(delays, order));
  return {WideAreaExchange::ring, 2 * (k - 1) / k, best, 2 * (count_of(delays) - 1)};
}

SiteExchange tree(const Delays& delays) {
  const std::int64_t k = count_of(delays);
  Seconds best = tree_depth(delays, around(delays, 0));
  for (std::size_t root = 1; root < delays.size(); ++root)
    best = std::min(best, tree_depth(delays, around(delays, root)));
  double busiest = 0;
  std::int64_t levels = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    const std::int64_t children = std::clamp<std::int64_t>(k - 1 - 2 * i, 0, 2);
    busiest = std::max(busiest, real(children) + (i > 0 ? 1 : 0));
  }
  for (std::int64_t i = k - 1; i > 0; i = (i - 1) / 2) ++levels;
  return {WideAreaExchange::tree, busiest, 2 * best, 2 * levels};
}

namespace {

std::vector<SiteExchange> any_exchange(const Delays& delays) {
  return {all_pairs(delays), scatter(delays), ring(delays), tree(delays)};
}

/// Consecutive sites are a region. A site holds one share of its region's sum, exchanges it with its
/// counterparts in all other regions, in any way, and gathers the rest.
std::vector<SiteExchange> regions(const Delays& delays, std::int64_t region_sites) {
  const std::int64_t k = count_of(delays);
  if (k % region_sites != 0 || k == region_sites) return any_exchange(delays);
  Seconds near{0};
  const auto size = static_cast<std::size_t>(region_sites);
  for (std::size_t a = 0; a < delays.size(); ++a) {
    for (std::size_t b = 0; b < delays.size(); ++b) {
      if (a / size == b / size) near = std::max(near, delays[a][b]);
    }
  }
  Delays between(delays.size() / size, std::vector<Seconds>(delays.size() / size));
  for (std::size_t a = 0; a < delays.size(); ++a) {
    for (std::size_t b = 0; b < delays.size(); ++b) {
      if (a / size == b / size) continue;
      Seconds& delay = between[a / size][b / size];
      delay = std::max(delay, delays[a][b]);
    }
  }
  const double m = real(region_sites);
  std::vector<SiteExchange> out = any_exchange(between);
  for (SiteExchange& exchange : out) {
    exchange.kind = WideAreaExchange::regions;
    exchange.sent_chunks = exchange.sent_chunks / m + 2 * (m - 1) / m;
    exchange.delay += 2 * near;
    exchange.rounds += 2;
  }
  return out;
}

}  // namespace

std::vector<SiteExchange> allowed(WideAreaExchange kind, const Delays& delays, std::int64_t region_sites) {
  if (delays.size() < 2) return {{kind, 0, Seconds(0), 0}};
  switch (kind) {
    case WideAreaExchange::best:
      return any_exchange(delays);
    case WideAreaExchange::all_pairs:
      return {all_pairs(delays)};
    case WideAreaExchange::scatter:
      return {scatter(delays)};
    case WideAreaExchange::ring:
      return {ring(delays)};
    case WideAreaExchange::tree:
      return {tree(delays)};
    case WideAreaExchange::regions:
      return regions(delays, region_sites);
  }
  return {};
}

}  // namespace trainyard::between_sites

namespace trainyard {

SiteExchange site_exchange(WideAreaExchange kind, const std::vector<std::vector<Seconds>>& delays,
                           std::int64_t region_sites, Bytes chunk, BytesPerSecond rate) {
  const std::vector<SiteExchange> all = between_sites::allowed(kind, delays, region_sites);
  const auto time = [&](const SiteExchange& e) { return e.delay + e.sent_chunks * chunk / rate; };
  return *std::min_element(all.begin(), all.end(),
                           [&](const SiteExchange& a, const SiteExchange& b) { return time(a) < time(b); });
}

}  // namespace trainyard
