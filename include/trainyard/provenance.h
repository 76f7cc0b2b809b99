// Where a result comes from: part of every JSON output and page.
#pragma once

#include <string>

namespace trainyard {

class ScenarioText;
struct Scenario;

struct Provenance {
  std::string program_version;
  std::string scenario;
  std::string scenario_hash;
  std::string catalog_version;
};
Provenance provenance_of(const Scenario& scenario);
/// Of a question with free settings.
Provenance provenance_of(const ScenarioText& text);

/// The version of the program.
std::string program_version();

}  // namespace trainyard
