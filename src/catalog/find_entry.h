// Entries of the catalog by their keys.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/nearest.h"

namespace trainyard {

/// Looks an entry up; throws InputError with the nearest key. `what` names the thing ("model").
template <class T>
const T& find_entry(const std::map<std::string, T>& entries, const std::string& key, const std::string& what,
                    const Location& where = {}) {
  const auto found = entries.find(key);
  if (found != entries.end()) return found->second;
  std::vector<std::string> keys;
  for (const auto& [name, unused] : entries) keys.push_back(name);
  fail_input(where, "the catalog has no " + what + " '" + key + "'", suggestion(key, keys));
}

}  // namespace trainyard
