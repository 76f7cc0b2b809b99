#include "step/wide_area.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "base/errors.h"
#include "collective/collective.h"
#include "facility/geo.h"
#include "facility/networks.h"

namespace trainyard {
namespace {

using Delays = std::vector<std::vector<Seconds>>;

double real(std::int64_t count) { return static_cast<double>(count); }
std::int64_t count_of(const Delays& delays) { return static_cast<std::int64_t>(delays.size()); }

Seconds longest(const Delays& delays) {
  Seconds out{0};
  for (const auto& row : delays) out = std::max(out, *std::max_element(row.begin(), row.end()));
  return out;
}

/// Everything to all others at once.
SiteExchange all_pairs(const Delays& delays) {
  return {WideAreaExchange::all_pairs, real(count_of(delays)) - 1, longest(delays), 1};
}

SiteExchange scatter(const Delays& delays) {
  const double k = real(count_of(delays));
  return {WideAreaExchange::scatter, 2 * (k - 1) / k, 2 * longest(delays), 2};
}

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

/// Over all orders: at most 5,040 of 8 sites.
SiteExchange ring(const Delays& delays) {
  const double k = real(count_of(delays));
  std::vector<std::size_t> order(delays.size());
  std::iota(order.begin(), order.end(), 0);
  Seconds best = ring_delay(delays, order);
  while (std::next_permutation(order.begin() + 1, order.end()))
    best = std::min(best, ring_delay(delays, order));
  return {WideAreaExchange::ring, 2 * (k - 1) / k, best, 2 * (count_of(delays) - 1)};
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

/// In small segments, so that links carry sums up and results down at the same time. The busiest site sends
/// its own sum up and the result to its children.
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

Seconds time_of(const SiteExchange& exchange, Bytes chunk, BytesPerSecond rate) {
  return exchange.delay + exchange.sent_chunks * chunk / rate;
}

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

/// The exchanges that a setting allows.
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

}  // namespace

/// What a step of a plan becomes with another exchange between sites.
class SiteStep {
 public:
  explicit SiteStep(const Plan& plan)
      : plan_(plan),
        gradient_(staged(plan)),
        inside_(time_inside(plan, gradient_)),
        layers_(real(plan.mapping.layers_per_stage)),
        every_(real(plan.scenario.wide_area.sync_every)) {}

  const GradientStage& stage() const { return gradient_.stages[kWideStage]; }

  /// The pipelined exchange of a layer's gradients with this time between sites: no other stage shares the
  /// wide area.
  Seconds pipelined(Seconds between) const { return std::max(inside_, between); }

  /// Beyond a layer's backward pass; the mean of batches with and without an exchange between sites.
  Seconds exposed(Seconds between) const {
    return mean(beyond(pipelined(Seconds(0))), beyond(pipelined(between)));
  }

  /// A batch, by the rule of the scenario.
  Seconds batch(Seconds between) const { return mean(one_batch(Seconds(0)), one_batch(between)); }

  double exposed_share(Seconds between) const {
    const StepPlan& s = plan_.step;
    const Seconds all = s.exposed - s.exposed_gradient + exposed(between);
    if (std::isinf(all.si())) return 1;
    return all / (s.forward + s.backward + all);
  }

 private:
  static constexpr std::size_t kWideStage = 2;

  /// The exchange in force, or the quickest that has stages of its own between datacenters.
  static const GradientPlan& staged(const Plan& plan) {
    const CommunicationPlan& c = plan.communication;
    if (c.gradient.stages.size() > kWideStage) return c.gradient;
    const GradientPlan* best = nullptr;
    for (const GradientPlan& g : c.gradients) {
      if (g.stages.size() > kWideStage && (!best || g.pipelined < best->pipelined)) best = &g;
    }
    TY_ASSERT(best != nullptr, "no hierarchical exchange");
    return *best;
  }

  static Seconds time_inside(const Plan& plan, const GradientPlan& gradient) {
    std::vector<GradientStage> stages = gradient.stages;
    stages[kWideStage].time = Seconds(0);
    return pipelined_time(stages, plan.scenario.assumptions.stage_overlap);
  }

  Seconds mean(Seconds without, Seconds with) const { return without + (with - without) / every_; }
  Seconds beyond(Seconds time) const { return std::max(Seconds(0), time - plan_.step.backward); }

  Seconds one_batch(Seconds between) const {
    const StepPlan& s = plan_.step;
    const double microbatches = real(plan_.mapping.microbatches);
    const Seconds exchange = pipelined(between);
    if (plan_.scenario.assumptions.step_rule == StepRule::steady_state) {
      const Seconds layer = s.steady_time - s.exposed_gradient + beyond(exchange);
      return layer * (layers_ * microbatches);
    }
    const Seconds at_end =
        std::max(std::max(Seconds(0), exchange * layers_ - s.backward * layers_), exchange);
    return s.step_pipeline - s.gradient_exposed_step + at_end;
  }

  const Plan& plan_;
  const GradientPlan& gradient_;
  Seconds inside_;
  double layers_;
  double every_;
};

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

/// An exchange with what is lost of it.
struct Transfer {
  SiteExchange exchange;
  Bytes sent;
  double repeats = 0;
  Seconds waiting;  // for light and for repeats
};

/// What a device of a site sends: `even` if all sites were alike, `unevenness` times as much in the smallest.
struct Chunk {
  Bytes even;
  double unevenness = 1;
};

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

/// All that the scenario's setting allows.
std::vector<Transfer> transfers_of(const Plan& plan, const Delays& delays, const Chunk& chunk) {
  const WideAreaInput& w = plan.scenario.wide_area;
  std::vector<Transfer> out;
  for (const SiteExchange& exchange : allowed(w.exchange, delays, w.region_sites))
    out.push_back(transfer_of(plan, exchange, delays, chunk));
  return out;
}

Seconds time_of(const Transfer& transfer, BitRate rate) {
  return transfer.waiting + transfer.sent / byte_rate(rate);
}

/// The least rate at which one of them takes no longer than `patience`.
std::optional<BitRate> hiding_rate(const std::vector<Transfer>& transfers, Seconds patience) {
  std::optional<BitRate> least;
  for (const Transfer& transfer : transfers) {
    const Seconds left = patience - transfer.waiting;
    if (left <= Seconds(0)) continue;
    const BitRate rate = bit_rate(transfer.sent / left);
    if (!least || rate < *least) least = rate;
  }
  return least;
}

/// Of a ring over all sites, beside the few microseconds that other exchanges take.
double effort_of_orders(const WideAreaInput& w, std::int64_t sites) {
  constexpr double kOrdersOfFew = 6;
  const bool ring = w.exchange == WideAreaExchange::ring || sites % w.region_sites != 0;
  return std::max(kOrdersOfFew, ring ? std::tgamma(real(sites)) : 0) / kOrdersOfFew;
}

/// Whether a site with this share of the devices can hold a copy of every stage.
bool holds_a_copy(const Plan& plan, double share) {
  constexpr double kRounding = 1e-9;
  const MappingPlan& m = plan.mapping;
  return real(m.local_replicas * m.peer_domains * m.datacenters) * share >= 1 - kRounding;
}

}  // namespace

std::vector<std::vector<Seconds>> site_delays(const Scenario& scenario, std::int64_t sites) {
  const WideAreaInput& w = scenario.wide_area;
  const auto k = static_cast<std::size_t>(sites);
  const bool by_region = w.exchange == WideAreaExchange::regions;
  const auto region = static_cast<std::size_t>(w.region_sites);
  Delays out(k, std::vector<Seconds>(k));
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      if (a == b) continue;
      Seconds rtt = by_region && a / region == b / region ? w.region_rtt : scenario.network.wide_area_rtt;
      if (!w.sites.empty()) {
        const GeoPoint from{w.sites[a][0], w.sites[a][1]};
        const GeoPoint to{w.sites[b][0], w.sites[b][1]};
        rtt = Seconds(1e-3 * distance_km(from, to) * round_trip_ms_per_km(w.fibre_ratio, w.refractive_index));
      }
      out[a][b] = rtt / 2;
    }
  }
  return out;
}

SiteExchange site_exchange(WideAreaExchange kind, const std::vector<std::vector<Seconds>>& delays,
                           std::int64_t region_sites, Bytes chunk, BytesPerSecond rate) {
  const std::vector<SiteExchange> all = allowed(kind, delays, region_sites);
  return *std::min_element(all.begin(), all.end(), [&](const SiteExchange& a, const SiteExchange& b) {
    return time_of(a, chunk, rate) < time_of(b, chunk, rate);
  });
}

double packet_loss_probability(const WideAreaInput& input) {
  const double bits = kBitsPerByte * input.packet.si();
  const double no_error = bits * std::log1p(-input.bit_error_rate);
  return -std::expm1(no_error + std::log1p(-input.packet_loss));
}

double block_loss_probability(double packet_loss, std::int64_t data, std::int64_t parity) {
  if (packet_loss <= 0) return 0;
  const double n = real(data + parity);
  double sum = 0;
  for (std::int64_t lost = parity + 1; lost <= data + parity; ++lost) {
    const double j = real(lost);
    const double ways = std::lgamma(n + 1) - std::lgamma(j + 1) - std::lgamma(n - j + 1);
    sum += std::exp(ways + j * std::log(packet_loss) + (n - j) * std::log1p(-packet_loss));
  }
  return std::min(sum, 1.0);
}

double expected_repeats(double count, double first, double later) {
  constexpr double kNegligible = 1e-12;
  constexpr double kMostRounds = 1e6;
  const auto any = [&](double lost) { return -std::expm1(count * std::log1p(-std::min(lost, 1 - 1e-16))); };
  if (any(first * std::pow(later, kMostRounds)) >= kNegligible)
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (double lost = first; any(lost) >= kNegligible; lost *= later) sum += any(lost);
  return sum;
}

namespace {

/// Infinite times where the exchange never ends.
SitesPoint point_of(const Plan& plan, BitRate rate, const Delays& delays, double least_share) {
  const SiteStep step(plan);
  SitesPoint out;
  out.sites = plan.mapping.datacenters;
  TY_ASSERT(count_of(delays) == out.sites, "a delay for every site");
  if (!holds_a_copy(plan, least_share)) {
    out.infeasible = "the smallest site does not hold one copy of the model";
    return out;
  }
  const Chunk chunk{step.stage().bytes, 1 / (real(out.sites) * least_share)};
  out.longest_rtt = 2 * longest(delays);
  out.chunk = chunk.even * chunk.unevenness;
  if (out.sites > 1) {
    const std::vector<Transfer> all = transfers_of(plan, delays, chunk);
    const Transfer& transfer = *std::min_element(
        all.begin(), all.end(),
        [&](const Transfer& a, const Transfer& b) { return time_of(a, rate) < time_of(b, rate); });
    out.exchange = transfer.exchange;
    out.sent = transfer.sent;
    out.repeats = transfer.repeats;
    out.time = time_of(transfer, rate);
    out.hiding_rate = hiding_rate(all, plan.step.backward);
  }
  out.exposed = step.exposed(out.time);
  out.added = out.exposed - step.exposed(Seconds(0));
  out.exposed_share = step.exposed_share(out.time);
  out.step = step.batch(out.time);
  out.added_share = std::isinf(out.step.si()) ? 1 : (out.step - step.batch(Seconds(0))) / out.step;
  return out;
}

}  // namespace

SitesPoint sites_point(const Plan& plan, BitRate rate) {
  const std::int64_t sites = plan.mapping.datacenters;
  return point_of(plan, rate, site_delays(plan.scenario, sites), 1 / real(sites));
}

SitesPoint sites_point(const Plan& plan, BitRate rate, const Delays& delays, double least_share) {
  SitesPoint out = point_of(plan, rate, delays, least_share);
  if (std::isinf(out.step.si())) out.infeasible = "the exchange between sites never ends";
  return out;
}

SiteSlowdown::SiteSlowdown(const Plan& plan, BitRate rate)
    : plan_(plan),
      rate_(rate),
      step_(std::make_shared<const SiteStep>(plan)),
      undisturbed_(step_->batch(Seconds(0))) {
  const std::int64_t sites = plan.mapping.datacenters;
  const Delays together(static_cast<std::size_t>(sites),
                        std::vector<Seconds>(static_cast<std::size_t>(sites)));
  const WideAreaExchange wanted = plan.scenario.wide_area.exchange;
  for (const SiteExchange& exchange : {all_pairs(together), scatter(together)}) {
    if (sites < 2 || (wanted != exchange.kind && wanted != WideAreaExchange::best)) continue;
    const Transfer t = transfer_of(plan, exchange, together, {step_->stage().bytes});
    const double rounds = real(t.exchange.rounds);
    direct_.push_back({t.sent / byte_rate(rate), rounds * (1 + 2 * t.repeats)});
  }
  // A tree of three has a root that sends to both others.
  if (wanted == WideAreaExchange::tree || (wanted == WideAreaExchange::best && sites > 3)) {
    const Transfer t = transfer_of(plan, tree(together), together, {step_->stage().bytes});
    tree_ = {t.sent / byte_rate(rate), real(t.exchange.rounds) * 2 * t.repeats};
  }
  // A ring sends as much as a scatter, in more rounds, and is at least as long as there and back between its
  // farthest sites.
  known_is_all_ = !direct_.empty() || tree_;
  if (!known_is_all_) effort_ = effort_of_orders(plan.scenario.wide_area, sites);
}

double SiteSlowdown::at(const Delays& delays, double least_share) const {
  if (!holds_a_copy(plan_, least_share)) return std::numeric_limits<double>::infinity();
  const Seconds delay = longest(delays);
  const double unevenness = 1 / (real(plan_.mapping.datacenters) * least_share);
  Seconds time(std::numeric_limits<double>::infinity());
  for (const Direct& d : direct_) time = std::min(time, d.even * unevenness + d.delays * delay);
  if (tree_) {
    const Seconds sending = tree_->even * unevenness + tree_->delays * delay;
    // No tree is quicker than once the longest link: two ways down from its root join any two sites.
    if (sending + delay < time) time = std::min(time, sending + tree(delays).delay);
  }
  const Seconds batch = step_->batch(time);
  if (known_is_all_ || batch == undisturbed_) return batch / undisturbed_;
  return sites_point(plan_, rate_, delays, least_share).step / undisturbed_;
}

}  // namespace trainyard
