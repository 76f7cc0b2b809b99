#include <algorithm>
#include <cmath>
#include <utility>

#include "scenario/free_settings.h"
#include "search/space/judgement.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search_sensitivity.h"

namespace trainyard {
namespace {

/// Settings that change whose measurements a time rests on.
constexpr const char* kMeasured[] = {"facility.hb_domain", "training.software"};

/// The search alone: without a store and ranks.
SearchQuestion alone(const SearchQuestion& question) {
  SearchQuestion out = question;
  out.ranked = 1;
  out.store = nullptr;
  out.ranks = nullptr;
  out.share = {};
  return out;
}

bool kept(const SearchQuestion& question, const Plan& plan) {
  return std::all_of(question.limits.begin(), question.limits.end(),
                     [&](const SearchLimit& limit) { return keeps(limit, limit.measure.read(plan)); });
}

class Sensitivity {
 public:
  Sensitivity(const ScenarioText& text, const SearchQuestion& question, const SearchResult& result)
      : text_(text), question_(alone(question)), result_(result), winner_(result.ranked.front()) {
    out_.interval = plan_point(text, winner_.choice).step.step_interval;
  }

  SearchSensitivity of(const std::vector<std::string>& worlds, bool assumptions) {
    for (std::size_t s = 0; s < result_.space.size(); ++s) add_rivals(s);
    for (const std::string& change : worlds) out_.worlds.push_back(world(change));
    if (assumptions) add_assumptions();
    return std::move(out_);
  }

 private:
  const SearchMeasure& objective() const { return question_.objectives.front(); }

  void add_rivals(std::size_t s) {
    const FreeSetting& setting = result_.space[s];
    const bool measured =
        std::find(std::begin(kMeasured), std::end(kMeasured), setting.key) != std::end(kMeasured);
    if (!measured || objective().time_power == 0) return;
    for (std::size_t v = 0; v < setting.values.size(); ++v) {
      if (v != winner_.choice[s] && result_.worth[s][v].objective) add_rival(s, v);
    }
  }

  void add_rival(std::size_t s, std::size_t v) {
    SearchQuestion with = question_;
    with.fixed.emplace_back(result_.space[s].key, result_.space[s].values[v]);
    const SearchResult found = search(text_, with);
    if (found.ranked.empty()) return;
    std::vector<std::size_t> choice = found.ranked.front().choice;
    choice[s] = v;
    SearchRival rival;
    rival.setting = result_.space[s].key + " = " + result_.space[s].values[v];
    rival.objective = found.ranked.front().objectives[0];
    rival.interval = plan_point(text_, choice).step.step_interval;
    const double apart = std::abs(std::log(rival.objective / winner_.objectives[0]));
    rival.may_win = apart <= std::hypot(rival.interval.half_width(), out_.interval.half_width());
    out_.rivals.push_back(std::move(rival));
  }

  void add_assumptions() {
    for (const auto& entry : text_.catalog().assumptions) {
      const Assumption& assumption = entry.second;
      const auto varied = [&](const FreeSetting& setting) { return setting.key == assumption.setting; };
      if (std::any_of(result_.space.begin(), result_.space.end(), varied)) continue;
      for (const std::string& value : {assumption.low, assumption.high})
        out_.assumptions.push_back(assumed(assumption.setting + "=" + value));
    }
  }

  /// A scenario may contradict an end of what is plausible.
  SearchWorld assumed(const std::string& change) {
    try {
      return world(change);
    } catch (const InputError& error) {
      SearchWorld out;
      out.change = change;
      out.refused = error.findings().front().message;
      return out;
    }
  }

  SearchWorld world(const std::string& change) {
    ScenarioText there = text_;
    there.set(change, "--what-if");
    const std::vector<FreeSetting> space = free_settings(there);
    const auto same_key = [](const FreeSetting& a, const FreeSetting& b) { return a.key == b.key; };
    if (!std::equal(space.begin(), space.end(), result_.space.begin(), result_.space.end(), same_key))
      fail_input(whole("--what-if " + change), "this setting is free: the search has tried its values",
                 "a setting that has one value; --why-not asks about free ones");
    SearchWorld out;
    out.change = change;
    const SearchResult found = search(there, question_);
    if (!found.ranked.empty()) {
      out.objective = found.ranked.front().objectives[0];
      out.same_choice = found.ranked.front().choice == winner_.choice;
    }
    out.winner = winner_there(there);
    return out;
  }

  std::optional<double> winner_there(const ScenarioText& there) const {
    try {
      const Plan plan = plan_point(there, winner_.choice);
      const double value = objective().read(plan);
      return kept(question_, plan) && std::isfinite(value) ? std::optional(value) : std::nullopt;
    } catch (const InputError&) {
    } catch (const Infeasible&) {
    }
    return std::nullopt;
  }

  const ScenarioText& text_;
  const SearchQuestion question_;
  const SearchResult& result_;
  const SearchPoint& winner_;
  SearchSensitivity out_;
};

}  // namespace

SearchSensitivity search_sensitivity(const ScenarioText& text, const SearchQuestion& question,
                                     const SearchResult& result, const std::vector<std::string>& worlds,
                                     bool assumptions) {
  if (result.ranked.empty()) return {};
  return Sensitivity(text, question, result).of(worlds, assumptions);
}

}  // namespace trainyard
