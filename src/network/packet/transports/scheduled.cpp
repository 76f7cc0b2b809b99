#include "network/packet/transports/scheduled.h"

#include <fmt/core.h>

#include "base/errors.h"
#include "network/packet/transports/patience.h"
#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"
#include "trainyard/errors.h"

namespace trainyard::packet {

RunOutcome run_scheduled(const TransportSetup& setup, const ScheduledInput& input, BlockCode code,
                         const WindowTick& tick) {
  Scheduled transport(
      setup, code,
      {input.utilization, static_cast<std::uint32_t>(input.most_flows), /*wire_factor=*/1, /*steps=*/{}},
      Controller::of(input));
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

Controller Controller::of(const ScheduledInput& input) {
  Controller out{.delay = picoseconds(input.delay), .error = input.error, .fallback = input.fallback};
  if (input.dead_until && !input.dead_from)
    fail_input(whole("scheduled.dead_until"), "the controller does not die", "scheduled.dead_from as well");
  if (!input.dead_from) return out;
  out.dead_from = picoseconds(*input.dead_from);
  if (input.dead_until) out.dead_until = picoseconds(*input.dead_until);
  if (out.dead_until <= out.dead_from)
    fail_input(whole("scheduled.dead_until"), "the controller is back before it dies",
               "a time after scheduled.dead_from");
  if (!input.dead_until && out.fallback == 0)
    fail_input(whole("scheduled.dead_from"), "flows that begin later would wait for ever",
               "scheduled.dead_until, or a scheduled.fallback of more than 0");
  return out;
}

/// Ports that are busy for 0.95 of the time hold more than this once in 200 times (M/D/1: exp(-2 x 0.05 x
/// 50)), and kQueuesOfTimeout of them that many each never, however large their queues are.
constexpr double kPlannedQueue = 50;

Picoseconds Scheduled::held_back() const {
  Picoseconds longest = 0;
  for (const Reservation& reservation : reservations_) longest = std::max(longest, reservation.wait);
  return std::min(longest + controller_.longest_wait(), kFarthest);
}

Picoseconds full_queues(const TransportSetup& setup) {
  const double packets =
      static_cast<double>(setup.queues.data_bytes) / static_cast<double>(setup.full_bytes());
  return whole_duration(kQueuesOfTimeout * std::min(packets, kPlannedQueue) *
                        static_cast<double>(setup.full_packet_time()));
}

/// Flows that send a packet so seldom that the run would seem to stand still.
static void check_rates(const TransportSetup& setup, const std::vector<Reservation>& reservations,
                        double utilization) {
  const auto patience = static_cast<double>(patience_of(setup).silence);
  for (std::size_t f = 0; f < reservations.size(); ++f) {
    const double gap = static_cast<double>(setup.full_bytes()) / reservations[f].rate;
    if (gap <= patience) continue;
    fail_input(
        whole("scheduled.utilization"),
        fmt::format("with {:g}, flow {} from host {} to host {} sends a packet every {:.3g} s", utilization,
                    f, setup.flows[f].from, setup.flows[f].to, gap / kPicosecondsPerSecond),
        fmt::format("allowed: {:.2g} to 1, for a packet in {:g} s", utilization * (gap / patience) * 1.05,
                    patience / kPicosecondsPerSecond));
  }
}

/// The same of those that never get a rate.
static void check_fallback(const TransportSetup& setup, const Controller& controller) {
  if (controller.dead_from == kNever || controller.dead_until != kNever) return;
  const auto patience = static_cast<double>(patience_of(setup).silence);
  const double packet = static_cast<double>(setup.full_packet_time()) / setup.layout.planes;
  if (packet / controller.fallback <= patience) return;
  fail_input(whole("scheduled.fallback"),
             fmt::format("with {:g}, flows without a controller send a packet every {:.3g} s",
                         controller.fallback, packet / controller.fallback / kPicosecondsPerSecond),
             fmt::format("allowed: {:.2g} to 1, for a packet in {:g} s", packet / patience * 1.05,
                         patience / kPicosecondsPerSecond));
}

bool ScheduledSender::in_bounds(const BlockCode& code) const {
  const std::size_t blocks = arrived.size();
  const std::uint32_t most = code.data + code.parity;  // packets of a block
  const auto is_repair = [&](const Repair& r) {
    return r.block < blocks && r.packets > 0 && r.packets <= most;
  };
  for (auto left = deadlines; !left.empty(); left.pop()) {
    if (left.top().second >= blocks || !is_time(left.top().first)) return false;
  }
  return next <= blocks && packet < most && round_trip < kLongest && full < kLongest && is_time(next_send) &&
         is_time(word) && is_time(woken) && std::all_of(repairs.begin(), repairs.end(), is_repair) &&
         std::all_of(silences.begin(), silences.end(), [](int s) { return s <= kMostBackoff; });
}

Scheduled::Scheduled(const TransportSetup& setup, BlockCode code, ReservationRules rules,
                     Controller controller)
    : setup_(setup),
      code_(code),
      ends_(setup),
      turns_(setup.layout, ends_.paths, setup.seed),
      controller_(controller) {
  rules.wire_factor = static_cast<double>(ends_.packets.full_bytes()) / setup.sizes.payload_bytes *
                      (code.data + code.parity) / code.data;
  if (setup.in_steps) rules.steps = steps_of(setup.flows.size(), setup.dependencies);
  reservations_ = reserve(setup.layout, setup.flows, rules);
  for (std::uint32_t f = 0; f < reservations_.size(); ++f)
    reservations_[f].rate *= controller_.accuracy(f, setup.seed);
  check_rates(setup, reservations_, rules.utilization);
  check_fallback(setup, controller_);
  for (std::uint32_t f = 0; f < setup.flows.size(); ++f) {
    const std::uint32_t blocks = code.blocks(ends_.packets.count(f));
    ends_.senders[f].arrived.resize(blocks);
    ends_.senders[f].silences.resize(blocks);
    ends_.receivers[f].arrived.resize(blocks);
  }
}

std::size_t Scheduled::bytes() const {
  std::size_t sum = ends_.senders.capacity() * (sizeof(Sender) + sizeof(Receiver) + sizeof(Reservation)) +
                    ends_.hosts.capacity() * sizeof(PacedHost);
  for (const Sender& sender : ends_.senders) sum += sender.held_bytes();
  return sum;
}

void Scheduled::check_restored(Picoseconds) const {
  keep_all(ends_.senders, [&](const Sender& sender) { return sender.in_bounds(code_); });
  ends_.check_paths();
  turns_.check_restored(ends_);
}

static RunOutcome run_uncoded(const TransportSetup& setup, const TransportsInput& input,
                              const WindowTick& tick) {
  return run_scheduled(setup, input.scheduled, {}, tick);
}

std::vector<IdleSetting> idle_beside_controller(const SimulationInput&, const TransportsInput& input) {
  if (input.scheduled.delay.si() > 0 || input.scheduled.dead_from) return {};
  return {{"scheduled", "fallback", "every flow has the controller's word at once",
           "scheduled.delay or scheduled.dead_from"}};
}

TransportTraits scheduled_traits() {
  return {.run = run_uncoded,
          .load_balancing = LoadBalancing::weighted,
          .names_ways = false,
          .idle = idle_beside_controller};
}

template RunOutcome run_transport(const TransportSetup&, Scheduled&, std::uint32_t, const WindowTick&);

}  // namespace trainyard::packet
