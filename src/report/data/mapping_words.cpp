#include "report/data/mapping_words.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "scenario/choices/mapping.h"

namespace trainyard {

std::string recompute_text(const MappingInput& m) {
  std::string out(choice_name(m.recompute));
  if (!m.recompute_modules.empty()) {
    std::vector<std::string_view> names;
    for (const RecomputeModule module : m.recompute_modules) names.push_back(choice_name(module));
    out = fmt::format("of {}", fmt::join(names, ", "));
  }
  if (m.recompute_layers) out += fmt::format(" in {}", counted(*m.recompute_layers, "layer"));
  return out;
}

std::string zero_text(const MappingInput& m) {
  std::string out = std::to_string(m.zero_stage);
  if (m.zero_group) out += fmt::format(" in groups of {}", counted(*m.zero_group, "replica"));
  return out;
}

}  // namespace trainyard
