// Sections that may stand several times: [[failure]].
#pragma once

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace trainyard {

/// The elements of such a section; a finding, and none, for what is no list of tables.
std::vector<const Value*> elements_of(const Table& document, const std::string& section, Findings& findings);

/// Where a table and its keys stand.
std::shared_ptr<const SectionPlaces> places_of(const Value& table);

/// Reads a table into a record that knows its places, and asks for its required keys.
template <class T>
T read_placed(const Value& element, const FieldTable<T>& fields, const std::string& section,
              Findings& findings) {
  const Table& table = *element.as<Table>();
  T out;
  read_fields(out, table, fields, section, findings);
  check_required(table, element.where(), fields, section, findings);
  out.places = places_of(element);
  return out;
}

/// The same of all of a section, in their order.
template <class T>
void read_tables(std::vector<T>& out, const char* section, const FieldTable<T>& fields, const Table& document,
                 Findings& findings) {
  for (const Value* element : elements_of(document, section, findings))
    out.push_back(read_placed(*element, fields, section, findings));
}

}  // namespace trainyard
