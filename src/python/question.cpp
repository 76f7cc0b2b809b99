#include "python/question.h"

#include <memory>

#include "trainyard/errors.h"
#include "trainyard/scenario_text.h"
#include "trainyard/set_once.h"

namespace trainyard::python {

ScenarioText Question::read() const {
  ScenarioText out = is_text
                         ? ScenarioText::parse(std::make_shared<const SourceText>(SourceText{scenario, text}),
                                               catalog_folders)
                         : ScenarioText::load(scenario, catalog_folders);
  out.set(changes, "set");
  SetOnce once;
  for (const std::string& change : changes) once.add(change, "set " + change);
  return out;
}

unsigned threads_of(std::int64_t threads) {
  constexpr std::int64_t kMost = 1024;
  if (threads < 1 || threads > kMost)
    fail_input(whole("threads"), std::to_string(threads) + " is out of range", "allowed: 1 to 1024");
  return static_cast<unsigned>(threads);
}

}  // namespace trainyard::python
