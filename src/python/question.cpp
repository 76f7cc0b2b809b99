#include "python/question.h"

#include <memory>

#include "trainyard/errors.h"

namespace trainyard::python {

ScenarioText Question::read() const {
  ScenarioText out = is_text
                         ? ScenarioText::parse(std::make_shared<const SourceText>(SourceText{scenario, text}),
                                               catalog_folders)
                         : ScenarioText::load(scenario, catalog_folders);
  for (const std::string& change : changes) out.set(change, "set");
  return out;
}

}  // namespace trainyard::python
