// What the documents say of a field of a parameter record (fields.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/range.h"

namespace trainyard {

enum class Unit;

/// "more than 0", "0 to 1", ...; empty when everything is allowed.
std::string describe_range(const Range& range, Unit unit);

/// What the documents say of a field.
struct FieldInfo {
  std::string name = {};
  std::string type = {};          // "bit rate", "count", "choice"
  std::string default_text = {};  // empty: none
  std::string allowed = {};       // range or choices
  std::string sentence = {};
  std::string source = {};  // where the default comes from; may be empty
  std::string json_type =
      {};  // of the JSON Schema: "string", "integer", "number", "boolean", "array", "object"
  std::vector<std::string> choices = {};
  Range range = {};  // of a number
  bool required = false;
  // Whether a record's settings name it even when it is absent. Not so where results stored under a hash of
  // the settings are older than the field.
  bool listed_when_absent = true;
  bool takes_auto = false;  // "auto" leaves the value to the program
  unsigned readers = 0;     // what uses the field, as bits that its table names; 0: not said
};

/// A field that has no default and allows everything of its type.
FieldInfo plain_info(std::string_view name, std::string type, std::string_view json_type,
                     std::string_view sentence);
/// One more value that a choice may have.
void add_allowed(FieldInfo& info, std::string_view choice, std::string_view sentence);

}  // namespace trainyard
