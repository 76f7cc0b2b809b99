// The sections of a scenario: what the documents say of each.
#pragma once

#include <string>
#include <vector>

#include "base/field_info.h"

namespace trainyard {

/// A section of the scenario file, for help, documents and JSON Schema.
struct SectionInfo {
  std::string name;
  std::string sentence;
  std::vector<FieldInfo> fields;
  bool repeated = false;  // written as [[name]]
};
std::vector<SectionInfo> scenario_sections();
/// Their names, in the same order.
std::vector<std::string> section_names();

}  // namespace trainyard
