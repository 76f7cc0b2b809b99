#include "search/crossings.h"

#include <algorithm>
#include <tuple>

#include "topology/clos_shape.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "trainyard/network_design.h"
#include "trainyard/traffic_shares.h"

namespace trainyard {
namespace {

std::int64_t distance_of(const DeviceFlow& flow) {
  return static_cast<std::int64_t>(flow.to) - static_cast<std::int64_t>(flow.from);
}

/// Adds up flows of one kind between the same two endpoints, which follow each other.
void merge_twins(std::vector<DeviceFlow>& flows) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < flows.size(); ++i) {
    const bool twin = flows[i].from == flows[last].from && flows[i].to == flows[last].to &&
                      flows[i].kind == flows[last].kind;
    if (twin) {
      flows[last].bytes += flows[i].bytes;
    } else {
      flows[++last] = flows[i];
    }
  }
  if (!flows.empty()) flows.resize(last + 1);
}

double overlap(std::int64_t a_begin, std::int64_t a_end, std::int64_t b_begin, std::int64_t b_end) {
  return static_cast<double>(std::max<std::int64_t>(0, std::min(a_end, b_end) - std::max(a_begin, b_begin)));
}

}  // namespace

/// One way to cut the endpoints into blocks, with what of one kind leaves and enters each.
struct Crossings::Blocks {
  std::int64_t endpoints;
  std::int64_t leaves;
  std::int64_t leaves_of_block;
  std::vector<std::int64_t> begin;  // of each block, and the end
  std::vector<double> out;
  std::vector<double> in;

  Blocks(std::int64_t e, std::int64_t l, std::int64_t b) : endpoints(e), leaves(l), leaves_of_block(b) {
    for (std::int64_t leaf = 0; leaf <= leaves; leaf += leaves_of_block)
      begin.push_back(share_begin(endpoints, leaves, leaf));
    clear();
  }
  void clear() {
    out.assign(begin.size() - 1, 0);
    in.assign(begin.size() - 1, 0);
  }
  std::size_t of(std::int64_t endpoint) const {
    return static_cast<std::size_t>(share_of(endpoints, leaves, endpoint) / leaves_of_block);
  }
  double busiest() const {
    return std::max(*std::max_element(out.begin(), out.end()), *std::max_element(in.begin(), in.end()));
  }
};

Crossings::Crossings(const NetworkDesign& design, const DeviceFlows& flows) : own_(flows.busiest_host) {
  const auto hosts = static_cast<std::uint32_t>(design.hosts);
  const std::int64_t first_gateway = design.fabric->endpoints() - design.gateways;
  const auto gateway_of = [&](std::uint32_t device) {
    return static_cast<std::uint32_t>(first_gateway + device / design.domain % design.gateways);
  };
  std::vector<DeviceFlow> among;
  std::vector<DeviceFlow> leaving;
  std::vector<DeviceFlow> arriving;
  for (const DeviceFlow& flow : flows.flows) {
    const bool wide_area = flow.to >= hosts || flow.from >= hosts;
    if (wide_area && design.gateways == 0) continue;
    const std::uint32_t device = flow.from >= hosts ? flow.to : flow.from;
    EndpointPlace place = design.place_of(flow.to >= hosts ? flow.from : flow.to);
    if (place.network != 0) continue;
    const auto here = static_cast<std::uint32_t>(place.endpoint);
    if (flow.to >= hosts) {
      leaving.push_back({here, gateway_of(device), flow.kind, flow.bytes});
    } else if (flow.from >= hosts) {
      arriving.push_back({gateway_of(device), here, flow.kind, flow.bytes});
    } else {
      place = design.place_of(flow.from);
      if (place.network != 0)
        place = design.place_of(flow.from / design.domain * design.domain + flow.to % design.domain);
      among.push_back({static_cast<std::uint32_t>(place.endpoint), here, flow.kind, flow.bytes});
    }
  }
  // The devices of a domain stand together and share a gateway; else neighbours have neighbouring ones.
  if (design.dealing().together(design) > 1) {
    add_gateway_runs(std::move(leaving), true);
    add_gateway_runs(std::move(arriving), false);
  } else {
    among.insert(among.end(), leaving.begin(), leaving.end());
    among.insert(among.end(), arriving.begin(), arriving.end());
  }
  add_runs(std::move(among));
  sum_hosts(design.fabric->endpoints());
}

void Crossings::add_runs(std::vector<DeviceFlow> flows) {
  std::sort(flows.begin(), flows.end(), [](const DeviceFlow& a, const DeviceFlow& b) {
    return std::tuple(a.kind, distance_of(a), a.from) < std::tuple(b.kind, distance_of(b), b.from);
  });
  merge_twins(flows);
  for (const DeviceFlow& flow : flows) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      const bool next = last.kind == flow.kind && last.distance == distance_of(flow) &&
                        last.end == flow.from && last.bytes == flow.bytes;
      if (next) {
        ++last.end;
        continue;
      }
    }
    runs_.push_back({flow.from, flow.from + std::int64_t{1}, distance_of(flow), flow.kind, flow.bytes});
  }
}

void Crossings::add_gateway_runs(std::vector<DeviceFlow> flows, bool out) {
  const auto near = [&](const DeviceFlow& f) { return out ? f.from : f.to; };
  const auto gateway = [&](const DeviceFlow& f) { return out ? f.to : f.from; };
  std::sort(flows.begin(), flows.end(), [&](const DeviceFlow& a, const DeviceFlow& b) {
    return std::tuple(a.kind, gateway(a), near(a)) < std::tuple(b.kind, gateway(b), near(b));
  });
  merge_twins(flows);
  for (const DeviceFlow& flow : flows) {
    if (!gateway_runs_.empty()) {
      GatewayRun& last = gateway_runs_.back();
      const bool next = last.out == out && last.kind == flow.kind && last.gateway == gateway(flow) &&
                        last.end == near(flow) && last.bytes == flow.bytes;
      if (next) {
        ++last.end;
        continue;
      }
    }
    gateway_runs_.push_back(
        {near(flow), near(flow) + std::int64_t{1}, gateway(flow), out, flow.kind, flow.bytes});
  }
}

/// The busiest endpoint of the network, gateways included, by differences at the ends of runs.
void Crossings::sum_hosts(std::int64_t endpoints) {
  for (std::uint32_t kind = 0; kind < kSharedKinds; ++kind) {
    std::vector<double> out(static_cast<std::size_t>(endpoints) + 1, 0);
    std::vector<double> in(static_cast<std::size_t>(endpoints) + 1, 0);
    const auto add = [](std::vector<double>& sums, std::int64_t begin, std::int64_t end, double bytes) {
      for (std::int64_t e = begin; e < end; ++e) sums[static_cast<std::size_t>(e)] += bytes;
    };
    for (const Run& run : runs_) {
      if (run.kind != kind) continue;
      add(out, run.begin, run.end, run.bytes);
      add(in, run.begin + run.distance, run.end + run.distance, run.bytes);
    }
    for (const GatewayRun& run : gateway_runs_) {
      if (run.kind != kind) continue;
      add(run.out ? out : in, run.begin, run.end, run.bytes);
      (run.out ? in : out)[static_cast<std::size_t>(run.gateway)] +=
          run.bytes * static_cast<double>(run.end - run.begin);
    }
    for (std::size_t e = 0; e < out.size(); ++e) host_[kind] = std::max({host_[kind], out[e], in[e]});
  }
}

/// Of the run's endpoints in each block, those whose other end lies outside.
void Crossings::add_run(const Blocks& blocks, const Run& run, std::vector<double>& sums) {
  std::int64_t at = run.begin;
  for (std::size_t block = blocks.of(run.begin); at < run.end; ++block) {
    const std::int64_t stop = std::min(run.end, blocks.begin[block + 1]);
    const double inside =
        overlap(at, stop, blocks.begin[block] - run.distance, blocks.begin[block + 1] - run.distance);
    sums[block] += run.bytes * (static_cast<double>(stop - at) - inside);
    at = stop;
  }
}

void Crossings::add_gateway_run(Blocks& blocks, const GatewayRun& run) {
  auto& near = run.out ? blocks.out : blocks.in;
  auto& far = run.out ? blocks.in : blocks.out;
  const std::size_t home = blocks.of(run.gateway);
  const double inside = overlap(run.begin, run.end, blocks.begin[home], blocks.begin[home + 1]);
  far[home] += run.bytes * (static_cast<double>(run.end - run.begin) - inside);
  std::int64_t at = run.begin;
  for (std::size_t block = blocks.of(run.begin); at < run.end; ++block) {
    const std::int64_t stop = std::min(run.end, blocks.begin[block + 1]);
    if (block != home) near[block] += run.bytes * static_cast<double>(stop - at);
    at = stop;
  }
}

const PerKind& Crossings::worst(const ClosShape& shape, std::int64_t leaves_of_block) {
  const auto known = known_.find({shape.leaves(), leaves_of_block});
  if (known != known_.end()) return known->second;
  Blocks blocks(shape.endpoints, shape.leaves(), leaves_of_block);
  PerKind most{};
  for (std::uint32_t kind = 0; kind < kSharedKinds; ++kind) {
    if (own_[kind] == 0) continue;
    blocks.clear();
    for (const Run& run : runs_) {
      if (run.kind != kind) continue;
      add_run(blocks, run, blocks.out);
      add_run(blocks, {run.begin + run.distance, run.end + run.distance, -run.distance, kind, run.bytes},
              blocks.in);
    }
    for (const GatewayRun& run : gateway_runs_) {
      if (run.kind == kind) add_gateway_run(blocks, run);
    }
    most[kind] = blocks.busiest();
  }
  return known_.emplace(std::pair(shape.leaves(), leaves_of_block), most).first->second;
}

TrafficShares Crossings::shares(const NetworkDesign& design) {
  const ClosShape& shape = *design.fabric->clos();
  PerKind share;
  const double host_rate = design.host_rate.si();
  for (std::size_t k = 0; k < kSharedKinds; ++k)
    share[k] = host_[k] > 0 ? std::min(1.0, own_[k] / host_[k]) : 1;
  for (std::size_t t = 0; t < shape.top(); ++t) {
    const std::int64_t leaves = shape.leaves() / shape.blocks(t);
    const double up = static_cast<double>(shape.width(t) * shape.tiers[t].uplinks);
    const double rate = design.link_rate.si() * static_cast<double>(design.planes) * up;
    const PerKind& crossing = worst(shape, leaves);
    for (std::size_t k = 0; k < kSharedKinds; ++k) {
      if (crossing[k] > 0) share[k] = std::min(share[k], (own_[k] / host_rate) / (crossing[k] / rate));
    }
  }
  return {share[0], share[1], share[2], share[3]};
}

}  // namespace trainyard
