// A setting that a scenario leaves to `trainyard search`.
#pragma once

#include <string>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

struct Catalog;

/// `key = { search = [...] }`.
struct FreeSetting {
  std::string key;                  // "mapping.tensor"; of an element, "design[1].planes"
  std::vector<std::string> values;  // as TOML writes them, each once
  Location where;
};

/// Every name that a setting can have: its choices, or the keys of the catalog's entries that it names; none
/// where it takes others. Of "mapping.recompute" the section is "mapping".
std::vector<std::string> names_of_setting(const std::string& section, const std::string& key,
                                          const Catalog& catalog);

}  // namespace trainyard
