#include <algorithm>
#include <vector>

#include "network/packet/transports/credits.h"
#include "network/packet/transports/transports.h"
#include "network/packet/transports/unreliable.h"

namespace trainyard::packet {

/// The rate into the switches of a tier over that out of them, at the worst switch of every tier. Devices
/// that forward are the lowest where there are several networks: within them nothing has a rate.
static double oversubscription(const Layout& layout) {
  std::vector<double> worst(layout.tiers, 1);
  for (const wiring::Node& node : layout.nodes) {
    const bool is_device = !layout.devices.empty() && node.tier == 0;
    if (node.hosts || is_device || node.ports == node.ports_down) continue;
    const auto rate = [&](std::uint32_t first, std::uint32_t end) {
      double sum = 0;
      for (std::uint32_t port = first; port < end; ++port)
        sum += 1 / static_cast<double>(layout.link_of(node.first_port + port).picoseconds_per_byte);
      return sum;
    };
    worst[node.tier] =
        std::max(worst[node.tier], rate(0, node.ports_down) / rate(node.ports_down, node.ports));
  }
  double out = 1;
  for (const double tier : worst) out *= tier;
  return out;
}

/// Down to a little below what the network has for everyone. Paths of one entropy each may meet on a link,
/// whatever the network has, and what is sent behind a cut packet is sent for nothing.
static CreditRateRules slowing(const TransportSetup& setup, const RcccInput& input) {
  constexpr double kBelow = 0.9;
  constexpr double kLeast = 0.01;
  constexpr double kRoundTrips = 1.5;
  const bool ordered = setup.delivery == Delivery::rod;
  const double ratio = oversubscription(setup.layout);
  if (!ordered && (ratio <= 1 || !input.oversubscription_control)) return {};
  return {ordered ? kLeast : std::max(kLeast, kBelow / ratio),
          static_cast<Picoseconds>(kRoundTrips * static_cast<double>(setup.longest_round_trip())),
          setup.seed};
}

/// The window is 1.5 bandwidth-delay products, as in uet-htsim.
static RunOutcome run_rccc(const TransportSetup& setup, const TransportsInput& input,
                           const WindowTick& tick) {
  if (setup.delivery == Delivery::uud) return run_unreliable(setup, tick);
  constexpr double kProducts = 1.5;
  const double product = setup.most_under_way();
  const bool any_order = setup.delivery == Delivery::rud;  // what uet-htsim has
  Credits transport(setup, {.window_packets = static_cast<std::uint32_t>(kProducts * product) + 1,
                            .packets_per_pull = static_cast<std::uint32_t>(input.rccc.credits_per_pull),
                            .rate = input.rccc.credit_rate,
                            .slowing = slowing(setup, input.rccc),
                            .repeats_first = !any_order,
                            .shared_requests = any_order && input.rccc.shared_requests});
  return run_credits(setup, transport, tick);
}

static std::vector<IdleSetting> idle_beside_rccc(const SimulationInput& input, const TransportsInput&) {
  const Delivery delivery = input.delivery.value_or(Delivery::rud);
  const char* kOther = "another simulation.delivery";
  if (delivery == Delivery::uud) return {{"rccc", "", "with uud nobody gives credit", kOther}};
  std::vector<IdleSetting> out;
  if (delivery != Delivery::rud)
    out.push_back({"rccc", "shared_requests", "packets ask for shares of credit with rud alone",
                   "simulation.delivery = \"rud\""});
  if (delivery == Delivery::rod)
    out.push_back(
        {"rccc", "oversubscription_control", "with rod receivers slow down in every network", kOther});
  return out;
}

/// Marks as of NSCC.
TransportTraits rccc_traits() {
  return {.run = run_rccc,
          .load_balancing = LoadBalancing::reps_bitmap,
          .deliveries = {Delivery::rud, Delivery::rod, Delivery::rudi, Delivery::uud},
          .keeps_connections = true,
          .trim = true,
          .mark_from = 0.2,
          .mark_all = 0.8,
          .mark_leaving = true,
          .mark_to_hosts = false,
          .acknowledgements_first = true,
          .timeout_queues = kQueuesOfTimeout,
          .idle = idle_beside_rccc};
}

}  // namespace trainyard::packet
