// Entries of the catalog by their keys.
#pragma once

#include <string>

#include "trainyard/catalog_entries.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"

namespace trainyard {

/// Looks an entry up; throws InputError with the nearest key. `what` names the thing ("model").
template <class T>
const T& find_entry(const Entries<T>& entries, const std::string& key, const std::string& what,
                    const Location& where = {}) {
  if (const T* found = entries.find(key)) return *found;
  fail_input(where, "the catalog has no " + what + " '" + key + "'", suggestion(key, entries.keys()));
}

}  // namespace trainyard
