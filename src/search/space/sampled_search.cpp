#include "search/space/sampled_search.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>

#include "base/mixing.h"
#include "base/threads.h"
#include "search/space/island.h"
#include "search/space/point_sample.h"

namespace trainyard {
namespace {

/// How far all islands are, for whoever watches.
class SampleProgress {
 public:
  explicit SampleProgress(const SearchQuestion& question) : question_(question) {}

  void tell(std::size_t further, const std::optional<double>& best) {
    if (!question_.progress) return;
    const std::scoped_lock lock(mutex_);
    done_ += further;
    if (best && (!best_ || *best < *best_)) best_ = best;
    const bool largest = question_.objectives[0].largest;
    question_.progress(done_, question_.evaluations, best_ && largest ? std::optional(-*best_) : best_);
  }

 private:
  const SearchQuestion& question_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  std::optional<double> best_;
};

/// The same number whatever the threads, so that the answer is.
class Islands {
 public:
  Islands(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question)
      : text_(text), free_(free), question_(question), progress_(question), samples_(count(question)) {}

  std::vector<std::unique_ptr<PointSample>> settle() {
    on_threads(std::clamp(question_.threads, 1U, static_cast<unsigned>(samples_.size())), [this] {
      try {
        for (std::size_t i = next_++; i < samples_.size(); i = next_++) settle(i);
      } catch (...) {
        next_ = samples_.size();  // nobody begins another
        throw;
      }
    });
    return std::move(samples_);
  }

 private:
  static std::size_t count(const SearchQuestion& question) {
    constexpr std::uint64_t kIslands = 8;
    constexpr std::uint64_t kFewest = 2000;  // points of one
    return std::clamp<std::uint64_t>(question.evaluations / kFewest, 1, kIslands);
  }

  void settle(std::size_t i) {
    const std::uint64_t evaluations =
        (question_.evaluations + i) / samples_.size();  // all together, as many as may be planned
    auto sample = std::make_unique<PointSample>(text_, free_, question_, evaluations);
    std::size_t told = 0;
    settle_island(*sample, mixed(question_.seed, i), evaluations, [&] {
      progress_.tell(sample->planned() - told, sample->best());
      told = sample->planned();
    });
    samples_[i] = std::move(sample);
  }

  const ScenarioText& text_;
  const FreeSettings& free_;
  const SearchQuestion& question_;
  SampleProgress progress_;
  std::vector<std::unique_ptr<PointSample>> samples_;
  std::atomic<std::size_t> next_ = 0;
};

void note_first(std::vector<std::size_t>& first, NarrowChoice choice) {
  if (first.empty()) first.assign(choice.begin(), choice.end());
}

constexpr std::uint64_t kAskedWhy = 2000;  // points without a plan, at most: a second or two

}  // namespace

SampledPoints sample_space(const ScenarioText& text, const FreeSettings& free,
                           const SearchQuestion& question) {
  SampledPoints out{Answers(free.settings(), question)};
  ChoiceSet all(free.settings().size());
  const std::uint64_t every = (question.evaluations + kAskedWhy - 1) / kAskedWhy;
  for (std::unique_ptr<PointSample>& sample : Islands(text, free, question).settle()) {
    out.evaluated += sample->planned();
    for (std::size_t i = 0; i < sample->planned(); ++i) {
      std::size_t place = 0;
      if (!all.add(sample->choice(i), place)) continue;
      Outcome outcome = sample->outcome(i);
      std::visit([&](auto& point) { point.index = place; }, outcome);
      if (const auto* lost = std::get_if<LostPoint>(&outcome)) {
        if (lost->why == LostPoint::Why::refused) note_first(out.first_refused, sample->choice(i));
        if (lost->why == LostPoint::Why::infeasible) note_first(out.first_infeasible, sample->choice(i));
        const NarrowChoice choice = sample->choice(i);
        if (lost->why != LostPoint::Why::beyond_limits && place % every == 0)
          out.without_plan.emplace_back(choice.begin(), choice.end());
      }
      std::visit([&](auto& point) { out.answers.add(std::move(point)); }, outcome);
    }
    sample.reset();  // its memory
  }
  out.points = all.size();
  return out;
}

}  // namespace trainyard
