// Records as sections of a scenario file.
#pragma once

#include <set>
#include <string>

#include "base/fields.h"

namespace trainyard {

/// The fields of a record that differ from their defaults, as lines of a section; "" where none does.
template <class R>
std::string section_text(const std::string& name, const R& record, const FieldTable<R>& fields,
                         const std::set<std::string>& without = {}) {
  std::string lines;
  const R usual{};
  for (const Field<R>& f : fields) {
    const std::string text = f.text(record);
    if (text.empty() || text == f.text(usual) || without.contains(f.info.name)) continue;
    lines += f.info.name + " = " + text + "\n";
  }
  return lines.empty() ? "" : "\n[" + name + "]\n" + lines;
}

}  // namespace trainyard
