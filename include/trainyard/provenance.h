// Where a result comes from: part of every JSON output and page.
#pragma once

#include <string>

namespace trainyard {

struct Scenario;

struct Provenance {
  std::string program_version;
  std::string scenario;
  std::string scenario_hash;
  std::string catalog_version;
};
Provenance provenance_of(const Scenario& scenario);

/// The version of the program.
std::string program_version();

}  // namespace trainyard
