// A table in the format that is asked for.
#pragma once

#include <string>

#include "cli/flags.h"
#include "trainyard/report/tables.h"

namespace trainyard {

inline std::string in_format(const TextTable& table, Format format) {
  if (format == Format::json) return table_json(table);
  return format == Format::csv ? table_csv(table) : table_text(table);
}

}  // namespace trainyard
