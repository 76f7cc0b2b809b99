// Where a key of a section stands.
#pragma once

#include <string>

#include "trainyard/errors.h"

namespace trainyard {

/// The place of a record's key in the scenario; that of the section where the key is not given.
template <class Record>
const Location& place_of(const Record& record, const std::string& key) {
  const auto at = record.places.find(key);
  return at == record.places.end() ? record.where : at->second;
}

}  // namespace trainyard
