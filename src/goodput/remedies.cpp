#include "goodput/remedies.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "goodput/goodput_parts.h"
#include "trainyard/goodput.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

struct Remedy {
  std::string words;
  double useful = 0;  // share of the time to the target
};

/// Collects changes with which training ends.
class Remedies {
 public:
  Remedies(const GoodputCase& c, Seconds ideal) : c_(c), ideal_(ideal) {}

  template <typename Change>
  void add(const std::string& words, const Change& change) {
    if (auto remedy = tried(words, change)) out_.push_back(std::move(*remedy));
  }

  /// Of growing values the first that makes half of the time useful, else the last that does notably more
  /// than those before. `words` have a place for it.
  template <typename Value, typename Change>
  void add_first(const std::vector<Value>& values, fmt::string_view words, const Change& change) {
    constexpr double kMuch = 0.5;
    constexpr double kNotable = 1.02;
    std::optional<Remedy> best;
    for (const Value& value : values) {
      auto remedy =
          tried(fmt::format(fmt::runtime(words), value), [&](GoodputCase& other) { change(other, value); });
      if (!remedy || (best && remedy->useful <= best->useful * kNotable)) continue;
      best = std::move(remedy);
      if (best->useful >= kMuch) break;
    }
    if (best) out_.push_back(std::move(*best));
  }

  const std::vector<Remedy>& all() const { return out_; }

 private:
  template <typename Change>
  std::optional<Remedy> tried(const std::string& words, const Change& change) const {
    GoodputCase other = c_;
    change(other);
    const TrainingForm training = training_form(other, ideal_);
    if (!training.time) return std::nullopt;
    return Remedy{words, training.useful};
  }

  const GoodputCase& c_;
  Seconds ideal_;
  std::vector<Remedy> out_;
};

void add_checkpoints(Remedies& out, const GoodputCase& c) {
  if (c.interval) out.add("resilience.interval = \"auto\"", [](GoodputCase& o) { o.interval.reset(); });
  if (c.outlives_all || c.backup_every <= 1) return;
  out.add_first(std::vector<std::int64_t>{1000, 100, 10, 1}, "resilience.backup_every = {}",
                [](GoodputCase& o, std::int64_t every) { o.backup_every = std::min(o.backup_every, every); });
}

void add_crews(Remedies& out, const GoodputCase& c) {
  if (c.crews == 0) return;
  std::vector<std::int64_t> more;
  for (const double times : {1.25, 1.5, 2.0, 4.0, 16.0})
    more.push_back(static_cast<std::int64_t>(std::ceil(real(c.crews) * times)));
  out.add_first(more, "resilience.crews = {}", [](GoodputCase& o, std::int64_t crews) { o.crews = crews; });
  out.add("resilience.crews = 0 (enough)", [](GoodputCase& o) { o.crews = 0; });
}

void add_servers(Remedies& out, const Plan& plan, const GoodputCase& c) {
  if (c.replicas == 1 && plan.mapping.data > 1)
    out.add("resilience.shrink = true", [&](GoodputCase& o) { set_replicas(o, plan, true); });
  std::vector<std::int64_t> spares;
  for (const std::int64_t more : {1, 4, 16, 64, 256}) spares.push_back(c.spares + more);
  out.add_first(spares, "resilience.spares = {}",
                [](GoodputCase& o, std::int64_t servers) { o.spares = servers; });
}

/// Parts of another age, or that age otherwise.
void add_ages(Remedies& out, const GoodputCase& c) {
  if (c.wear_time && c.age.si() > 0)
    out.add("resilience.age = \"0 s\"", [](GoodputCase& o) { o.age = Seconds(0); });
  if (c.wear_time)
    out.add("parts that do not wear out (wear_time of the failure set)",
            [](GoodputCase& o) { o.wear_time.reset(); });
  if (young_hazard(c) > 0)
    out.add("parts that are run in (infant_factor of the failure set)",
            [](GoodputCase& o) { o.infant_factor = 0; });
}

void find_faster(GoodputCase& c, double times) {
  for (FailureMode& mode : c.modes)
    if (is_found_later(mode)) mode.lasts = mode.lasts / times;
}

void recover_faster(GoodputCase& c, double times) {
  for (Seconds* time : {&c.detection, &c.hang_detection, &c.manual_time, &c.restart, &c.swap})
    *time = *time / times;
}

void repair_faster(GoodputCase& c, double times) {
  c.repair = c.repair / times;
  for (FailureMode& mode : c.modes)
    if (!is_found_later(mode)) mode.lasts = mode.lasts / times;
}

void write_faster(GoodputCase& c, double times) {
  for (Seconds* time : {&c.stall, &c.write, &c.read}) *time = *time / times;
}

void fail_less(GoodputCase& c, double times) {
  for (FailureMode& mode : c.modes) mode.rate_per_s /= times;
}

std::vector<double> powers_of_ten() {
  constexpr double kFastest = 1e15;  // times as fast: what is tried
  std::vector<double> out = {10};
  while (out.back() < kFastest) out.push_back(out.back() * 10);
  return out;
}

/// The same, so many times as fast or as rare.
void add_speeds(Remedies& out) {
  const std::vector<double> powers = powers_of_ten();
  out.add_first(powers,
                "wrong results and slow servers found {:g} times as fast (silent_detection, "
                "straggler_detection of the failure set)",
                find_faster);
  out.add_first(powers,
                "recovery {:g} times as fast (resilience.detection, hang_detection, restart; swaps and "
                "manual_time of the failure set)",
                recover_faster);
  out.add_first(powers, "repairs {:g} times as fast (repair of the failure set)", repair_faster);
  out.add_first(powers,
                "checkpoints {:g} times as fast (resilience.file_rate, write_time, another "
                "resilience.checkpoint)",
                write_faster);
  out.add_first(std::vector<double>{2, 10, 100, 1000, 10000},
                "{:g} times fewer failures (another resilience.failures)", fail_less);
}

}  // namespace

std::string remedies_of(const Plan& plan, const GoodputCase& c) {
  Remedies remedies(c, plan.step.days_to_train);
  add_checkpoints(remedies, c);
  add_crews(remedies, c);
  add_servers(remedies, plan, c);
  add_ages(remedies, c);
  add_speeds(remedies);
  std::string out;
  for (const Remedy& r : remedies.all())
    out += fmt::format("{}{} ({:.1f}% useful)", out.empty() ? "" : ", or ", r.words, r.useful * 100);
  if (out.empty())
    return "none of these alone: spares, parts of another age, faster finding, recovery, repairs or "
           "checkpoints, 10,000 times fewer failures";
  return out;
}

}  // namespace trainyard
