#include "ownership/ledger.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace trainyard::ownership {
namespace {

constexpr double kYear_s = 365 * 86400.0;
constexpr double kMonth_s = kYear_s / 12;
constexpr std::size_t kMostMonths = 1200;

/// Of [from, to] that lies in [begin, end].
double common_s(double from, double to, double begin, double end) {
  return std::max(0.0, std::min(to, end) - std::max(from, begin));
}

class Ledger {
 public:
  Ledger(std::span<const OwnedPhase> phases, const OwnershipInput& settings, UsdPerJoule price)
      : phases_(phases), settings_(settings), price_(price) {}

  /// What falls on its end is the next month's: what is paid, and what the books hold.
  OwnedMonth month(double from_s, double to_s) const {
    OwnedMonth out;
    out.from = Seconds(from_s);
    out.to = Seconds(to_s);
    for (const OwnedPhase& phase : phases_) {
      const double serving = common_s(from_s, to_s, phase.serves.si(), phase.retires.si());
      out.devices += static_cast<double>(phase.devices) * serving / (to_s - from_s);
      out.tokens += phase.tokens_per_second * serving;
      out.energy += Usd(phase.power.si() * serving * price_.si());
      out.upkeep += phase.price * (settings_.maintenance * serving / kYear_s);
      const auto due = [&](Seconds at) { return at.si() >= from_s && at.si() < to_s; };
      if (due(phase.ordered)) out.paid += phase.price * settings_.paid_at_order;
      if (due(phase.delivered)) out.paid += phase.price * (1 - settings_.paid_at_order);
      out.book += book(phase, to_s);
    }
    const double staffed = common_s(from_s, to_s, first_delivery_s(), settings_.horizon.si());
    out.upkeep += settings_.staff * (staffed / kYear_s);
    return out;
  }

 private:
  double first_delivery_s() const {
    double first = settings_.horizon.si();
    for (const OwnedPhase& phase : phases_) first = std::min(first, phase.delivered.si());
    return first;
  }

  /// What is paid before and not written off; of devices that have retired nothing is left.
  Usd book(const OwnedPhase& phase, double at_s) const {
    if (at_s <= phase.ordered.si()) return Usd(0);
    if (at_s <= phase.delivered.si()) return phase.price * settings_.paid_at_order;
    if (at_s > phase.retires.si()) return Usd(0);
    const double age = std::max(0.0, at_s - phase.serves.si()) / settings_.write_off.si();
    return phase.price * std::max(0.0, 1 - age);
  }

  std::span<const OwnedPhase> phases_;
  const OwnershipInput& settings_;
  UsdPerJoule price_;
};

/// When so many tokens are through, by the starts and retirements of phases.
std::optional<Seconds> reached(std::span<const OwnedPhase> phases, double tokens, double horizon_s) {
  std::vector<double> edges = {0, horizon_s};
  for (const OwnedPhase& phase : phases)
    for (const double edge : {phase.serves.si(), phase.retires.si()})
      if (edge < horizon_s) edges.push_back(edge);
  std::sort(edges.begin(), edges.end());
  double done = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    double rate = 0;
    for (const OwnedPhase& phase : phases)
      if (phase.serves.si() <= edges[i] && edges[i] < phase.retires.si()) rate += phase.tokens_per_second;
    const double more = rate * (edges[i + 1] - edges[i]);
    if (rate > 0 && done + more >= tokens) return Seconds(edges[i] + (tokens - done) / rate);
    done += more;
  }
  return std::nullopt;
}

/// Of what falls in the middle of a month.
double discounted(double discount_rate, const OwnedMonth& month) {
  return std::pow(1 + discount_rate, -(month.from.si() + month.to.si()) / 2 / kYear_s);
}

void add_up(Ownership& out, const OwnershipInput& settings) {
  double present = 0;
  double discounted_tokens = 0;
  for (const OwnedMonth& month : out.months) {
    out.tokens += month.tokens;
    out.paid += month.paid;
    out.energy += month.energy;
    out.upkeep += month.upkeep;
    const double factor = discounted(settings.discount_rate, month);
    present += factor * (month.paid + month.energy + month.upkeep).si();
    discounted_tokens += factor * month.tokens;
  }
  out.book = out.months.back().book;
  out.cost = out.paid + out.energy + out.upkeep - out.book;
  present -= out.book.si() * std::pow(1 + settings.discount_rate, -settings.horizon.si() / kYear_s);
  out.present_value = Usd(present);
  if (out.tokens <= 0) return;
  out.per_million_tokens = out.cost * (1e6 / out.tokens);
  out.per_million_tokens_levelized = out.present_value * (1e6 / discounted_tokens);
}

}  // namespace

Ownership keep_ledger(std::span<const OwnedPhase> phases, const OwnershipInput& settings,
                      double target_tokens, UsdPerJoule electricity_price, std::string name) {
  Ownership out;
  out.name = std::move(name);
  const double horizon_s = settings.horizon.si();
  const auto months = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::ceil(horizon_s / kMonth_s - 1e-9)), 1, kMostMonths);
  const Ledger ledger(phases, settings, electricity_price);
  for (std::size_t i = 0; i < months; ++i) {
    const double to_s = i + 1 == months ? horizon_s : kMonth_s * static_cast<double>(i + 1);
    out.months.push_back(ledger.month(kMonth_s * static_cast<double>(i), to_s));
  }
  out.trained = reached(phases, target_tokens, horizon_s);
  add_up(out, settings);
  return out;
}

}  // namespace trainyard::ownership
