#include "search/space/explanations.h"

#include "search/space/judgement.h"
#include "search/space/network_measures.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

void plan_alone(const ScenarioText& text, FreeSettings free, const SearchQuestion& question,
                std::span<const std::size_t> choice) {
  const Plan plan = make_plan(text.resolve(free.document(choice)));
  if (wants_network(question)) measured_network(plan);
}

std::string why_infeasible(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                           std::span<const std::size_t> choice) {
  try {
    plan_alone(text, free, question, choice);
  } catch (const Infeasible& infeasible) {
    return infeasible.what();
  }
  return "its plan has no such number";
}

std::string why_refused(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                        std::span<const std::size_t> choice) {
  try {
    plan_alone(text, free, question, choice);
  } catch (const InputError& error) {
    return error.findings().front().message;
  }
  return {};
}

}  // namespace trainyard
