#include "report/data/siting_choices.h"

#include "facility/fuels.h"
#include "scenario/choices/site.h"
#include "trainyard/siting.h"

namespace trainyard {

std::string_view name_of(PowerRule rule) { return choice_name(rule); }

std::string_view name_of(SpareRule rule) { return choice_name(rule); }

std::string_view sentence_of(PowerRule rule) {
  for (const Choice<PowerRule>& choice : Choices<PowerRule>::kAll) {
    if (choice.value == rule) return choice.sentence;
  }
  return {};
}

std::string top_fuel(const PowerNode& node, const std::string& otherwise) {
  return node.plants.empty() ? otherwise : fuel_name(node.top_fuel);
}

}  // namespace trainyard
