// What a scenario may say, for fuzzers: every key of the field tables with values at the ends of what it
// allows and beyond.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "base/fields.h"

namespace trainyard::fuzz {

using Random = std::mt19937_64;

/// A number below `limit`, which is above 0.
std::size_t below(Random& random, std::size_t limit);

template <class T>
const T& one_of(const std::vector<T>& all, Random& random) {
  return all[below(random, all.size())];
}

/// A key as it stands before an equals sign: "network.scale_out_rate", "catalog.nics.cx-7.rate".
struct Setting {
  std::string section;
  std::string key;
  FieldInfo info;
  bool repeated = false;  // of a section that may stand several times
};

/// Of all sections of a scenario.
const std::vector<Setting>& settings();

/// Of an entry of the catalog, drawn.
Setting catalog_setting(Random& random);

/// A value as TOML: mostly one that the field's type allows, in any of its units.
std::string value_of(const FieldInfo& info, Random& random);

/// Keys, choices, units and catalog names: what a dictionary of libFuzzer has.
std::vector<std::string> words();

}  // namespace trainyard::fuzz
