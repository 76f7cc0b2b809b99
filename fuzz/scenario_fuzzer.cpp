// A hostile scenario: reading, planning and reporting it may refuse it, never crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/errors.h"
#include "trainyard/design_counts.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/plan.h"
#include "trainyard/scenario_text.h"

namespace {

/// Every design of the question is counted and priced, or refused.
void lay_out(const trainyard::Scenario& scenario) {
  using namespace trainyard;
  constexpr std::int64_t kFewSwitches = 4;
  for (const NetworkDesign& design : designs_of(scenario)) {
    const DesignCounts counts = count(design);
    if (counts.ports_used > counts.ports && design.part.ports > 0 && counts.chips > 0) std::abort();
    static_cast<void>(price(design, scenario, kFewSwitches));
  }
}

/// Settings, hash and answer of one question.
void answer(const trainyard::ScenarioText& text) {
  using namespace trainyard;
  const Scenario scenario = text.resolve();
  if (scenario_hash(scenario) != scenario_hash(text.resolve())) std::abort();
  lay_out(scenario);
  const Plan plan = make_plan(scenario);
  static_cast<void>(plan_json(plan));
  static_cast<void>(plan_text(plan));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const auto source = std::make_shared<const SourceText>(
      SourceText{"fuzz.toml", std::string(reinterpret_cast<const char*>(data), size)});
  try {
    answer(ScenarioText::parse(source));
  } catch (const InputError& error) {
    if (error.findings().empty()) std::abort();  // refused without a reason
    static_cast<void>(describe(error.findings()));
  } catch (const Infeasible& infeasible) {
    if (infeasible.constraint.empty()) std::abort();
  }
  return 0;
}
