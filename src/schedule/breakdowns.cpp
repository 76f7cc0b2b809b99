#include "schedule/breakdowns.h"

#include <cmath>
#include <limits>

#include "base/mixing.h"

namespace trainyard::schedule {
namespace {

constexpr double kNeverFails_s = std::numeric_limits<double>::infinity();

}  // namespace

Breakdowns::Breakdowns(std::int64_t domains, const ScheduleInput& settings)
    : domains_(domains),
      seed_(mixed(static_cast<std::uint64_t>(settings.seed), 0x6661696cULL)),
      repair_s_(settings.repair_time.si()),
      mean_s_(settings.failures_per_1000_days > 0
                  ? kSecondsOf1000Days / (settings.failures_per_1000_days * static_cast<double>(domains))
                  : kNeverFails_s),
      wanted_spares_(static_cast<std::size_t>(settings.spares)) {
  // The last ones: they stand below one leaf, and leave the others whole.
  for (std::int64_t i = 0; i < settings.spares; ++i)
    spares_.insert(static_cast<std::int32_t>(domains - 1 - i));
  draw_next();
}

void Breakdowns::draw_next() {
  if (mean_s_ == kNeverFails_s) {
    next_failure_s_ = kNeverFails_s;
    return;
  }
  ++draws_;
  next_failure_s_ -= mean_s_ * std::log(uniform_share(mixed(seed_, 2 * draws_)));
}

std::int32_t Breakdowns::failing_domain() const {
  return static_cast<std::int32_t>(below(mixed(seed_, 2 * draws_ + 1), static_cast<std::uint32_t>(domains_)));
}

double Breakdowns::next_repair_s() const {
  return repairs_.empty() ? kNeverFails_s : repairs_.begin()->first;
}

std::int32_t Breakdowns::repaired() {
  const std::int32_t domain = repairs_.begin()->second;
  repairs_.erase(repairs_.begin());
  return domain;
}

std::optional<std::int32_t> Breakdowns::take_spare() {
  if (spares_.empty()) return std::nullopt;
  const std::int32_t domain = *spares_.begin();
  spares_.erase(spares_.begin());
  return domain;
}

bool Breakdowns::keep_as_spare(std::int32_t domain) {
  if (spares_.size() >= wanted_spares_) return false;
  spares_.insert(domain);
  return true;
}

}  // namespace trainyard::schedule
