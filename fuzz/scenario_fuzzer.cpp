// A hostile scenario: reading, planning and reporting it may refuse it, never crash.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/errors.h"
#include "report/output.h"
#include "scenario/scenario.h"
#include "search/sweep.h"

namespace {

/// Settings, hash and answer of one question.
void answer(const trainyard::ScenarioText& text) {
  using namespace trainyard;
  const Scenario scenario = text.resolve();
  if (scenario_hash(scenario) != scenario_hash(text.resolve())) std::abort();
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
