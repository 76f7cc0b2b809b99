#include "step/wide_area/transfers.h"

#include <cmath>

#include "step/wide_area.h"
#include "trainyard/plan.h"

namespace trainyard::between_sites {
namespace {

/// Expected rounds of repeats of one layer's exchange: the last of all its devices counts.
double repeats_of(const Plan& plan, const WideAreaInput& w, Bytes sent) {
  const double loss = packet_loss_probability(w);
  const double devices = real(plan.mapping.devices_used) / real(plan.mapping.pipeline);
  const double packets = devices * std::ceil(sent / w.packet);
  if (w.code_parity == 0) return expected_repeats(packets, loss, loss);
  const double blocks = std::ceil(packets / real(w.code_data + w.code_parity));
  return expected_repeats(blocks, block_loss_probability(loss, w.code_data, w.code_parity), loss);
}

}  // namespace

Transfer transfer_of(const Plan& plan, const SiteExchange& exchange, const Delays& delays,
                     const Chunk& chunk) {
  const WideAreaInput& w = plan.scenario.wide_area;
  const Bytes coded = chunk.even * (real(w.code_data + w.code_parity) / real(w.code_data) / w.compression);
  Transfer out;
  out.exchange = exchange;
  // All sites together send as many packets as even ones would.
  out.repeats = repeats_of(plan, w, out.exchange.sent_chunks * coded) + plan.scenario.network.tail_loss_rtts;
  out.sent = out.exchange.sent_chunks * coded * chunk.unevenness;
  out.waiting = out.exchange.delay + out.repeats * real(out.exchange.rounds) * (2 * longest(delays));
  if (std::isinf(out.repeats)) out.waiting = Seconds(out.repeats);  // even between sites at one place
  return out;
}

std::vector<Transfer> transfers_of(const Plan& plan, const Delays& delays, const Chunk& chunk) {
  const WideAreaInput& w = plan.scenario.wide_area;
  std::vector<Transfer> out;
  for (const SiteExchange& exchange : allowed(w.exchange, delays, w.region_sites))
    out.push_back(transfer_of(plan, exchange, delays, chunk));
  return out;
}

Seconds time_of_bytes(const Transfer& transfer, BitRate rate) { return transfer.sent / byte_rate(rate); }

Seconds time_of(const Transfer& transfer, BitRate rate) {
  return transfer.waiting + time_of_bytes(transfer, rate);
}

std::optional<BitRate> hiding_rate(const std::vector<Transfer>& transfers, Seconds patience,
                                   bool delays_count) {
  std::optional<BitRate> least;
  for (const Transfer& transfer : transfers) {
    if (std::isinf(transfer.waiting.si())) continue;
    const Seconds left = delays_count ? patience - transfer.waiting : patience;
    if (left <= Seconds(0)) continue;
    const BitRate rate = bit_rate(transfer.sent / left);
    if (!least || rate < *least) least = rate;
  }
  return least;
}

bool holds_a_copy(const Plan& plan, double share) {
  constexpr double kRounding = 1e-9;
  const MappingPlan& m = plan.mapping;
  return real(m.local_replicas * m.peer_domains * m.datacenters) * share >= 1 - kRounding;
}

}  // namespace trainyard::between_sites
