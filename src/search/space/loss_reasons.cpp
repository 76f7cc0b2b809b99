#include "search/space/loss_reasons.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "search/space/judgement.h"
#include "search/space/network_measures.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

/// A text with one sign for every number in it.
std::string without_numbers(std::string_view text) {
  std::string out;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const bool goes_on = in_number && (c == '.' || c == ',');
    if (!digit && !goes_on) out += c;
    if (digit && !in_number) out += '#';
    in_number = digit || goes_on;
  }
  return out;
}

class ReasonCounts {
 public:
  /// Of one point, each reason once.
  void add(const std::vector<LossReason>& reasons) {
    std::set<std::string> counted;
    for (const LossReason& reason : reasons) {
      const std::string key = without_numbers(reason.example);
      if (!counted.insert(key).second) continue;
      auto [place, is_new] = places_.emplace(key, all_.size());
      if (is_new) all_.push_back(reason);
      LossReason& known = all_[place->second];
      ++known.points;
      known.varies = known.varies || known.example != reason.example;
    }
  }

  std::vector<LossReason> sorted() && {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const LossReason& a, const LossReason& b) { return a.points > b.points; });
    return std::move(all_);
  }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<LossReason> all_;
};

/// What the plan of one point says; nothing where it has one.
std::vector<LossReason> reasons_of(const ScenarioText& text, FreeSettings& free,
                                   const SearchQuestion& question, const std::vector<std::size_t>& choice) {
  std::vector<LossReason> out;
  try {
    const Plan plan = make_plan(text.resolve(free.document(choice)));
    if (wants_network(question)) measured_network(plan);
  } catch (const InputError& error) {
    for (const Finding& finding : error.findings()) out.push_back({finding.message, finding.help});
  } catch (const Infeasible& infeasible) {
    out.push_back({infeasible.what(), infeasible.remedy});
  }
  return out;
}

}  // namespace

std::vector<LossReason> loss_reasons(const ScenarioText& text, FreeSettings free,
                                     const SearchQuestion& question,
                                     const std::vector<std::vector<std::size_t>>& choices) {
  ReasonCounts out;
  for (const std::vector<std::size_t>& choice : choices) out.add(reasons_of(text, free, question, choice));
  return std::move(out).sorted();
}

}  // namespace trainyard
