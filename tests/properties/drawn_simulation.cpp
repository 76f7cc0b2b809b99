#include "drawn_simulation.h"

#include "drawn_hardware.h"
#include "trainyard/range.h"

namespace trainyard::properties {
namespace {

constexpr std::int64_t kDomain = 8;  // of a DGX H100

void write_cluster(Draft& draft, std::int64_t hosts) {
  draft.section("facility").set("devices", hosts).text("hb_domain", "dgx-h100");
  draft.section("model").text("name", "llama3-8b");
}

/// A folded Clos of small switches, so that it has tiers.
void draw_clos(Dice& dice, Draft& draft, std::int64_t hosts) {
  Section& design = draft.element("design");
  design.text("name", "drawn")
      .text("topology", dice.pick<std::string>({"fat_tree", "fat_tree", "rail_optimized", "rail_only"}))
      .set("hosts", hosts)
      .set("radix", dice.pick<std::int64_t>({8, 16, 16, 32}))
      .set("rate", draw_link_rate(dice))
      .text("prices", "railonly23");
  if (dice.one_in(3)) design.set("oversubscription", dice.pick<std::string>({"[3]", "[1, 3]"}));
}

const std::vector<std::string> kAtOnce = {"permutation",     "incast",           "all_to_all", "ring",
                                          "ring_all_reduce", "halving_doubling", "pipeline"};

void draw_traffic(Dice& dice, Draft& draft, const std::string& traffic) {
  Section& simulation = draft.section("simulation");
  const std::int64_t kilobytes = dice.between(10, traffic == "incast" ? 60 : 200);
  simulation.text("traffic", traffic)
      .set("bytes", bytes(1000 * kilobytes))
      .set("seed", dice.between(1, 1000));
  if (traffic == "poisson")
    simulation.set("load", dice.pick<std::string>({"0.3", "0.6", "0.8"})).set("flows", dice.between(50, 200));
  if (traffic == "ring_all_reduce" || traffic == "pipeline") simulation.set("chunks", dice.between(1, 4));
}

void draw_times(Dice& dice, Draft& draft) {
  draft.section("simulation")
      .set("link_delay", nanoseconds(2 * dice.between(100, 1500)))
      .set("timeout", microseconds(dice.between(400, 1200)));
}

/// Times of transports, all at their defaults, so that a draft may change them.
void write_times_of_transports(Draft& draft) {
  draft.section("dcqcn").set("notification_gap", microseconds(50)).set("timer", microseconds(55));
  draft.section("swift")
      .set("base_target", microseconds(20))
      .set("hop_target", nanoseconds(3000))
      .set("flow_range", microseconds(100));
  draft.section("bbr").set("rtt_window", microseconds(10'000'000)).set("probe_rtt", microseconds(200'000));
}

}  // namespace

void draw_design(Dice& dice, Draft& draft, std::int64_t hosts, std::int64_t domain) {
  Section& design = draft.element("design");
  const auto topology = dice.pick<std::string>(
      {"fat_tree", "rail_optimized", "rail_only", "dragonfly", "dragonfly_plus", "hyperx", "torus"});
  design.text("name", "drawn").text("topology", topology).set("hosts", hosts).set("domain", domain);
  if (topology == "torus") {
    design.set("dimensions", "[" + std::to_string(hosts / 4) + ", 4]");
  } else {
    design.set("radix", dice.pick<std::int64_t>({16, 32, 64}));
  }
  const std::int64_t planes = dice.pick<std::int64_t>({1, 1, 2});
  design.set("rate", draw_link_rate(dice)).set("planes", planes).text("prices", "railonly23");
}

Draft draw_packets(Dice& dice, const std::string& transport) {
  Draft draft;
  const std::int64_t hosts = 16 * dice.between(1, 4);
  write_cluster(draft, hosts);
  draw_clos(dice, draft, hosts);
  draw_traffic(dice, draft, dice.pick(kAtOnce));
  draw_times(dice, draft);
  write_times_of_transports(draft);
  draft.section("simulation")
      .text("transport", transport)
      .set("packet", bytes(dice.pick({1024, 4096, 4096, 8192})))
      .set("header", bytes(dice.pick({0, 64})))
      .set("window", dice.pick<std::int64_t>({10, 30, 50}))
      .set("queue", dice.pick<std::int64_t>({16, 50, 100}));
  return draft;
}

Draft draw_flows(Dice& dice) {
  Draft draft;
  const std::int64_t hosts = 16 * dice.between(1, 6);
  write_cluster(draft, hosts);
  draw_design(dice, draft, hosts, kDomain);
  draw_traffic(dice, draft, dice.one_in(4) ? "poisson" : dice.pick(kAtOnce));
  draw_times(dice, draft);
  draft.section("simulation").text("load_balancing", dice.pick<std::string>({"spray", "spray", "ecmp"}));
  return draft;
}

}  // namespace trainyard::properties
