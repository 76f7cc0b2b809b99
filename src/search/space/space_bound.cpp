#include "search/space/space_bound.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "search/plan_stages.h"
#include "search/space/full_rate.h"
#include "search/space/layer_rate.h"
#include "search/space/mapping_values.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr double kMostOuter = 100'000;  // combinations of settings other than counts of [mapping]
constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kMostLayers = 400'000;  // times of layers, over all of them

class SpaceBound {
 public:
  SpaceBound(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question)
      : text_(text),
        free_(free),
        objective_(question.objectives[0]),
        threads_(question.threads),
        counts_(free),
        held_(counts_.held()),
        layers_(free, counts_) {
    combinations_ = layers_.facilities();
  }

  SearchBound find() {
    if (!objective_.bounded && !objective_.of_facility)
      return {{},
              fmt::format("nothing is known that the {} of any plan has to stay behind", objective_.label)};
    if (combinations_ > kMostOuter)
      return {
          {},
          fmt::format("the settings that are no counts of [mapping] have {:.3g} combinations, more than the "
                      "{:.0f} whose facility and model are looked at",
                      combinations_, kMostOuter)};
    on_threads(std::max(1U, threads_), [this] { work(); });
    if (!best_) return {{}, "no combination of the settings has a facility and a model"};
    return {best_, {}};
  }

 private:
  void work() {
    FreeSettings free = free_;
    std::optional<double> best;
    const auto all = static_cast<std::uint64_t>(combinations_);
    for (std::uint64_t number = next_++; number < all; number = next_++) {
      const std::optional<double> bound = bound_of(free, choice(number));
      if (bound && std::isfinite(*bound) && (!best || better(*bound, *best))) best = bound;
    }
    const std::scoped_lock lock(mutex_);
    if (best && (!best_ || better(*best, *best_))) best_ = best;
  }

  bool better(double a, double b) const { return objective_.largest ? a > b : a < b; }

  std::vector<std::size_t> choice(std::uint64_t number) const {
    std::vector<std::size_t> out(held_.size());
    for (std::size_t s = 0; s < out.size(); ++s) {
      if (held_[s]) continue;
      const std::size_t count = free_.settings()[s].values.size();
      out[s] = number % count;
      number /= count;
    }
    return out;
  }

  /// Of whatever counts of [mapping]: what is refused with them open is refused with any. Nothing where there
  /// is no plan.
  std::optional<double> bound_of(FreeSettings& free, const std::vector<std::size_t>& choice) const {
    try {
      Plan plan = begin_plan(text_.resolve(free.document(choice, held_)));
      if (objective_.of_facility) return objective_.read(plan);
      const double by_layers =
          layers_.most_tokens_per_second(plan, kMostLayers / combinations_).value_or(kUnknown);
      assume_full_rate(plan);
      if (by_layers < plan.step.tokens_per_second) assume_rate(plan, by_layers);
      return objective_.read(plan);
    } catch (const InputError&) {
    } catch (const Infeasible&) {
    }
    return std::nullopt;
  }

  const ScenarioText& text_;
  const FreeSettings& free_;
  const SearchMeasure& objective_;
  const unsigned threads_;
  const MappingValues counts_;
  const std::vector<bool> held_;
  const LayerMappings layers_;
  double combinations_ = 1;
  std::atomic<std::uint64_t> next_ = 0;
  std::mutex mutex_;
  std::optional<double> best_;
};

}  // namespace

SearchBound space_bound(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question) {
  return SpaceBound(text, free, question).find();
}

}  // namespace trainyard
