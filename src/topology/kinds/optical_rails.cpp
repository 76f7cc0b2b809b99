// Rails without packet switches: every host has circuits through optical circuit switches to others of its
// rail (rail-only '23 section 5, after Khani et al. 2021, SiP-ML, and Wang et al. 2023, TopoOpt). Circuits
// are set for a job; here they form rings of different steps, the pattern of a ring all-reduce.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/farthest.h"
#include "topology/graph.h"
#include "topology/topologies.h"
#include "trainyard/design_counts.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMostCircuits = 4'000'000;

class OpticalRail : public Fabric {
 public:
  OpticalRail(std::int64_t endpoints, std::int64_t circuits, std::int64_t ports)
      : endpoints_(endpoints), circuits_(circuits), ports_(ports) {
    // Steps that join all hosts first.
    for (const bool whole : {true, false}) {
      for (std::int64_t step = 1; 2 * step < endpoints && !full(); ++step) {
        if ((std::gcd(step, endpoints) == 1) == whole) steps_.push_back(step);
      }
    }
  }

  /// Diameter, paths and bisection, once the steps are known to be enough. Every host sees the same.
  void measure() {
    farthest_ = find_farthest({endpoints_, [this](std::int64_t host, auto& out) { neighbours(host, out); },
                               [](std::int64_t) { return true; }},
                              {0});
    bisection_ = smallest_cut();
  }

  /// Whether every circuit of a host is in use.
  bool full() const { return static_cast<std::int64_t>(steps_.size()) == circuits_ / 2; }

  std::int64_t endpoints() const override { return endpoints_; }
  std::int64_t largest() const override { return ports_; }
  std::int64_t tiers() const override { return 0; }
  std::int64_t host_links() const override { return circuits_; }
  /// A circuit switch holds a circuit of every host.
  NearestFailure nearest_failure() const override { return {endpoints_, circuits_}; }

  FabricCounts counts() const override {
    FabricCounts out;
    out.tiers = {{"circuit switch", switches(), endpoints_ * circuits_}};
    out.links = {{"host to circuit", true, endpoints_ * circuits_}};
    out.diameter = farthest_.distance;
    out.paths = farthest_.paths;
    out.bisection_links = bisection_;
    const auto n = static_cast<double>(endpoints_);
    out.blast = {{"one circuit switch", n, 1 / static_cast<double>(switches()), false, FailedPart::chip,
                  static_cast<double>(switches())},
                 {"one link of a host", 2, 1 / static_cast<double>(circuits_), false, FailedPart::host_link,
                  n * static_cast<double>(circuits_)}};
    return out;
  }

  /// Circuits as links between hosts: light passes the switch without being switched by packet.
  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    graph.begin_links("circuit", place.rate);
    for (const std::int64_t step : steps_) {
      for (std::int64_t h = 0; h < endpoints_; ++h) {
        graph.link(place.hosts[static_cast<std::size_t>(h)],
                   place.hosts[static_cast<std::size_t>((h + step) % endpoints_)]);
      }
    }
  }

  void visit_cables(std::int64_t per_rack, std::int64_t, const CableVisitor& visit) const override {
    for (std::int64_t h = 0; h < endpoints_; h += per_rack) {
      const std::int64_t end = std::min(endpoints_, h + per_rack);
      visit({0, {h, end}, {0, endpoints_}, static_cast<double>((end - h) * circuits_)});
    }
  }

 private:
  /// The i-th circuit of every host goes to the same switch.
  std::int64_t switches() const { return circuits_; }

  void neighbours(std::int64_t host, std::vector<std::int64_t>& out) const {
    for (const std::int64_t step : steps_) {
      out.push_back((host + step) % endpoints_);
      out.push_back((host - step + endpoints_) % endpoints_);
    }
  }

  /// Of the cuts between halves of consecutive hosts, in every order that multiplies their numbers by a unit:
  /// a ring of step s crosses such a cut 2 s times. An upper bound of the bisection.
  double smallest_cut() const {
    constexpr std::int64_t kMostOrders = 4096;
    std::int64_t smallest = endpoints_ * circuits_;
    for (std::int64_t unit = 1; unit <= std::min(endpoints_ / 2, kMostOrders); ++unit) {
      if (std::gcd(unit, endpoints_) != 1) continue;
      std::int64_t links = 0;
      for (const std::int64_t step : steps_) {
        const std::int64_t reach = step * unit % endpoints_;
        links += 2 * std::min(reach, endpoints_ - reach);
      }
      smallest = std::min(smallest, links);
    }
    return static_cast<double>(smallest);
  }

  std::int64_t endpoints_;
  std::int64_t circuits_;
  std::int64_t ports_;
  std::vector<std::int64_t> steps_;
  Farthest farthest_;
  double bisection_ = 0;
};

std::unique_ptr<Fabric> make(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  if (wanted.endpoints > wanted.ports) {
    fail_design(
        input, "radix",
        fmt::format("a rail of {} hosts, and a circuit switch has {} ports", wanted.endpoints, wanted.ports),
        "more rails, or a larger radix");
  }
  if (input.circuits % 2 != 0) {
    fail_design(input, "circuits", fmt::format("circuits = {} is odd", input.circuits),
                "allowed: even counts");
  }
  if (wanted.endpoints * input.circuits > kMostCircuits) {
    fail_design(input, "circuits",
                fmt::format("{} hosts of a rail with {} circuits each", wanted.endpoints, input.circuits),
                fmt::format("allowed: {} circuits of a rail in all", kMostCircuits));
  }
  auto rail = std::make_unique<OpticalRail>(wanted.endpoints, input.circuits, wanted.ports);
  if (!rail->full()) {
    fail_design(
        input, "circuits",
        fmt::format("{} circuits of a host, and a rail of {} hosts", input.circuits, wanted.endpoints),
        fmt::format("allowed: at most {}", std::max<std::int64_t>(0, (wanted.endpoints - 1) / 2 * 2)));
  }
  rail->measure();
  return rail;
}

}  // namespace

namespace kinds {

const Topology& optical_rails() {
  static const Topology topology = {
      .dealing = dealings::over_separate_rails(),
      .switches = SwitchType::circuit,
      .joins_gateways = false,
      .counts_forwarding = false,
      .make = make,
      .outline = Outline::tree,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

}  // namespace kinds

}  // namespace trainyard
