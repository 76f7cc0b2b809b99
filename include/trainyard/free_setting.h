// A setting that a scenario leaves to `trainyard search`.
#pragma once

#include <string>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

/// `key = { search = [...] }`.
struct FreeSetting {
  std::string key;                  // "mapping.tensor"; of an element, "design[1].planes"
  std::vector<std::string> values;  // as TOML writes them, each once
  Location where;
};

}  // namespace trainyard
