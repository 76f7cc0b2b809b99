#include "network/long_haul_flows.h"

#include <cmath>
#include <utility>

#include "trainyard/long_haul.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {
namespace {

class FlowMaker {
 public:
  FlowMaker(const LongHaulInput& input, const LongHaulCase& run) : input_(input), run_(run) {}

  LongHaulFlows flows() {
    for (std::uint32_t h = 0; h < senders(); ++h) add_exchange(h);
    out_.wide = out_.flows.size();
    const auto priority = static_cast<std::uint8_t>(workload::kDataPriority + (run_.wide_area_first ? 1 : 0));
    for (std::uint32_t site = 0; site < site_count(); ++site) {
      for (std::uint32_t h = 0; h < senders(); ++h) {
        for (std::uint32_t f = 0; f < input_.local_flows; ++f)
          add_flow(host(site, (h + 1 + f % (senders() - 1)) % senders()), host(site, h), input_.local_bytes,
                   priority);
      }
    }
    return std::move(out_);
  }

 private:
  std::uint32_t senders() const { return static_cast<std::uint32_t>(input_.senders); }
  std::uint32_t site_count() const { return static_cast<std::uint32_t>(input_.sites); }
  std::uint32_t host(std::uint32_t site, std::uint32_t index) const { return site * senders() + index; }
  /// Of a host's bytes, a site each.
  Bytes part() const { return run_.bytes / static_cast<double>(input_.sites); }

  std::uint32_t add_wide(std::uint32_t from_site, std::uint32_t to_site, std::uint32_t index, Bytes bytes) {
    add_flow(host(from_site, index), host(to_site, index), bytes, workload::kDataPriority);
    return static_cast<std::uint32_t>(out_.flows.size() - 1);
  }

  void add_exchange(std::uint32_t index) {
    if (all_at_once(input_)) return add_all_pairs(index, run_.bytes);
    if (input_.exchange == WideAreaExchange::ring) return add_ring(index);
    add_scatter(index);
  }

  void add_all_pairs(std::uint32_t index, Bytes bytes) {
    for (std::uint32_t a = 0; a < site_count(); ++a) {
      for (std::uint32_t b = a + 1; b < site_count(); ++b) {
        add_wide(a, b, index, bytes);
        if (input_.both_directions) add_wide(b, a, index, bytes);
      }
    }
  }

  /// Every site sums its part of the bytes, then sends the sum to all others.
  void add_scatter(std::uint32_t index) {
    const auto first = static_cast<std::uint32_t>(out_.flows.size());
    add_all_pairs(index, part());
    const auto middle = static_cast<std::uint32_t>(out_.flows.size());
    add_all_pairs(index, part());
    for (std::uint32_t after = middle; after < out_.flows.size(); ++after) {
      for (std::uint32_t before = first; before < middle; ++before) {
        if (out_.flows[before].to == out_.flows[after].from) out_.dependencies.push_back({before, after});
      }
    }
  }

  /// A part of the bytes goes from every site to the next, 2 (k-1) times.
  void add_ring(std::uint32_t index) {
    std::vector<std::uint32_t> arriving;  // in the last step, at each site
    for (std::uint32_t step = 0; step < 2 * (site_count() - 1); ++step) {
      std::vector<std::uint32_t> next(site_count());
      for (std::uint32_t site = 0; site < site_count(); ++site) {
        const std::uint32_t to = (site + 1) % site_count();
        next[to] = add_wide(site, to, index, part());
        if (step > 0) out_.dependencies.push_back({arriving[site], next[to]});
      }
      arriving = std::move(next);
    }
  }

  void add_flow(std::uint32_t from, std::uint32_t to, Bytes bytes, std::uint8_t priority) {
    workload::Flow flow;
    flow.from = from;
    flow.to = to;
    flow.bytes = whole_bytes(bytes);
    flow.priority = priority;
    out_.flows.push_back(flow);
  }

  const LongHaulInput& input_;
  const LongHaulCase& run_;
  LongHaulFlows out_;
};

}  // namespace

LongHaulFlows long_haul_flows(const LongHaulInput& input, const LongHaulCase& run) {
  return FlowMaker(input, run).flows();
}

bool all_at_once(const LongHaulInput& input) {
  return input.sites == 2 || input.exchange == WideAreaExchange::all_pairs;
}

double sent_shares(const LongHaulInput& input) {
  const auto sites = static_cast<double>(input.sites);
  return all_at_once(input) ? sites - 1 : 2 * (sites - 1) / sites;
}

std::uint64_t whole_bytes(Bytes bytes) { return static_cast<std::uint64_t>(std::ceil(bytes.si())); }

}  // namespace trainyard
