#include "trainyard/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/threads.h"
#include "ranks/shared_work.h"
#include "scenario/free_settings.h"
#include "search/space/explanations.h"
#include "search/space/kept_points.h"
#include "search/space/ledger.h"
#include "search/space/loss_reasons.h"
#include "search/space/mapping_values.h"
#include "search/space/part_size.h"
#include "search/space/points.h"
#include "search/space/sampled_search.h"
#include "search/space/space_bound.h"
#include "search/space/space_worker.h"
#include "search/space/stored_outcomes.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/ranks.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

FreeSettings fixed(const ScenarioText& text, const SearchQuestion& question) {
  FreeSettings out = text.free();
  for (const auto& [key, value] : question.fixed) out.fix(key, value, "--why-not");
  return out;
}

/// One search: its points on several threads, and on other ranks.
class SpaceSearch {
 public:
  SpaceSearch(const ScenarioText& text, const SearchQuestion& question, const FreeSettings& free)
      : text_(text),
        question_(question),
        free_(free),
        points_(free_.settings(), question.most, question.share, MappingValues(free_).held()),
        ledger_(text, question, free_.settings(), points_) {}

  SearchResult run() {
    if (question_.ranks && !question_.ranks->leads()) return work_for_rank_0();
    stretches_.begin({0, points_.own()});
    std::atomic<bool> serves = question_.ranks != nullptr;
    on_all_threads(serves ? 1 : 0, [&] {
      if (serves.exchange(false)) return serve();
      work();
    });
    const std::optional<std::uint64_t> refused = ledger_.first_refused();
    if (ledger_.refuses_all())
      plan_alone(text_, free_, question_, points_.choice(*refused));  // throws, with the place
    const std::optional<std::uint64_t> lost = ledger_.first_infeasible();
    SearchResult result;
    result.space = free_.settings();
    result.size = static_cast<double>(points_.count());
    result.points = points_.own();
    const std::vector<bool> kept = ledger_.kept();
    std::move(ledger_).fill(result);
    if (!kept.empty()) {
      for (const auto& shown : {result.ranked, result.front, bests_of_values(result)})
        check_kept(text_, free_, question_, shown, kept);
    }
    if (!result.ranked.empty()) result.bound.value = result.ranked.front().objectives[0];
    if (refused) result.losses.refusal = why_refused(text_, free_, question_, points_.choice(*refused));
    if (lost) result.losses.infeasibility = why_infeasible(text_, free_, question_, points_.choice(*lost));
    return result;
  }

 private:
  void on_all_threads(unsigned further, const std::function<void()>& part) {
    on_threads(std::max(1U, question_.threads) + further, [&] {
      try {
        part();
      } catch (...) {
        stretches_.stop();  // nobody begins another part
        throw;
      }
    });
  }

  void work() {
    SpaceWorker worker(text_, free_, question_, points_, ledger_);
    PartSize size;
    while (const auto stretch = stretches_.take(size.points())) {
      const auto began = std::chrono::steady_clock::now();
      worker.work(*stretch);
      size.learn(std::chrono::steady_clock::now() - began);
    }
  }

  /// Rank 0: the other ranks take stretches as its own threads do.
  void serve() {
    question_.ranks->share(
        {.identity = identity(),
         .stretches = &stretches_,
         .inform = [this](Stretch stretch) { return ledger_.information(stretch); },
         .take = [this](Stretch stretch, const std::string& outcome) { ledger_.take(stretch, outcome); },
         .work = {}});
  }

  /// The other ranks: stretches of the space as rank 0 hands them out. The answer is not here.
  SearchResult work_for_rank_0() {
    const auto work_on = [this](Stretch stretch, const std::string& information) {
      ledger_.begin(stretch, information);
      stretches_.begin(stretch);
      on_all_threads(0, [this] { work(); });
      return ledger_.outcome();
    };
    question_.ranks->share(
        {.identity = identity(), .stretches = nullptr, .inform = {}, .take = {}, .work = work_on});
    return {};
  }

  /// The points that the worth of values comes from, with their first objective alone.
  std::vector<SearchPoint> bests_of_values(const SearchResult& result) const {
    std::map<std::uint64_t, double> bests;
    for (const std::vector<ValueWorth>& values : result.worth) {
      for (const ValueWorth& worth : values) {
        if (worth.objective) bests.emplace(worth.point, *worth.objective);
      }
    }
    std::vector<SearchPoint> out;
    for (const auto& [index, objective] : bests)
      out.push_back({index, points_.choice(index), {objective}, {}});
    return out;
  }

  std::string identity() const {
    return StoredOutcomes::identity(text_, question_, free_.settings()) +
           fmt::format(" {}/{}", question_.share.number, question_.share.of);
  }

  const ScenarioText& text_;
  const SearchQuestion& question_;
  const FreeSettings& free_;
  const Points points_;
  Stretches stretches_;
  Ledger ledger_;
};

/// What cannot go with an evolution, which nothing but its seed repeats.
void refuse_parts_of_evolution(const SearchQuestion& question) {
  constexpr const char* kHint =
      "--method exhaustive, for a space that is small enough (--space), or --threads";
  const auto refuse = [](const char* what) {
    fail_input(whole("search"), fmt::format("{} of a search by evolution", what), kHint);
  };
  if (question.store || question.share.of > 1) refuse("no points are kept (--resume)");
}

/// Whether every point has the same fault, to the number: it is then none of the values that are searched.
bool is_one_mistake(const SearchLosses& losses) {
  const auto of_all = [&](const LossReason& r) { return r.points == losses.asked_why && !r.varies; };
  return std::any_of(losses.reasons.begin(), losses.reasons.end(), of_all);
}

/// A sample of the points. Of several ranks rank 0 draws it alone: islands take seconds.
SearchResult sampled(const ScenarioText& text, const SearchQuestion& question, const FreeSettings& free,
                     double size) {
  refuse_parts_of_evolution(question);
  if (question.ranks && !question.ranks->leads()) return {};
  SampledPoints sample = sample_space(text, free, question);
  const bool refuses_all = sample.answers.refuses_all(sample.points);
  SearchResult out;
  out.space = free.settings();
  out.method = SearchMethod::evolution;
  out.size = size;
  out.points = sample.points;
  out.evaluated = sample.evaluated;
  std::move(sample.answers).fill(out);
  if (out.ranked.empty()) {
    out.losses.asked_why = sample.without_plan.size();
    out.losses.reasons = loss_reasons(text, free, question, sample.without_plan);
    if (refuses_all && is_one_mistake(out.losses)) plan_alone(text, free, question, sample.first_refused);
  }
  if (!sample.first_refused.empty())
    out.losses.refusal = why_refused(text, free, question, sample.first_refused);
  if (!out.ranked.empty()) {
    const bool whole_space = static_cast<double>(out.points) == size;
    out.bound =
        whole_space ? SearchBound{out.ranked.front().objectives[0], {}} : space_bound(text, free, question);
  } else if (!sample.first_infeasible.empty()) {
    out.losses.infeasibility = why_infeasible(text, free, question, sample.first_infeasible);
  }
  return out;
}

double size_of(const FreeSettings& free) {
  double out = 1;
  for (const FreeSetting& setting : free.settings()) out *= static_cast<double>(setting.values.size());
  return out;
}

}  // namespace

SearchResult search(const ScenarioText& text, const SearchQuestion& question) {
  if (question.objectives.empty()) fail_input(whole("search"), "no objective");
  const FreeSettings free = fixed(text, question);
  const double size = size_of(free);
  const bool evolves = question.method == SearchMethod::automatic
                           ? size > static_cast<double>(question.most)
                           : question.method == SearchMethod::evolution;
  if (evolves && !free.settings().empty()) return sampled(text, question, free, size);
  return SpaceSearch(text, question, free).run();
}

std::vector<FreeSetting> free_settings(const ScenarioText& text) { return text.free().settings(); }

Plan plan_point(const ScenarioText& text, const std::vector<std::size_t>& choice) {
  FreeSettings free = text.free();
  return make_plan(text.resolve(free.document(choice)));
}

}  // namespace trainyard
