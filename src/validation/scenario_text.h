// Records as sections of a scenario file.
#pragma once

#include <fmt/core.h>

#include <set>
#include <string>
#include <string_view>

#include "base/fields.h"

namespace trainyard {

/// A text as TOML reads it: quotes would end it, control characters are none of it.
inline std::string toml_quoted(std::string_view text) {
  constexpr char kDelete = 0x7f;
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += code < ' ' || c == kDelete ? fmt::format("\\u{:04x}", unsigned{code}) : std::string(1, c);
  }
  return out + "\"";
}

/// The fields of a record that differ from their defaults, as lines of a section; "" where none does.
template <class R>
std::string section_text(const std::string& name, const R& record, const FieldTable<R>& fields,
                         const std::set<std::string>& without = {}) {
  std::string lines;
  const R usual{};
  for (const Field<R>& f : fields) {
    const std::string text = f.text(record);
    if (text.empty() || text == f.text(usual) || without.contains(f.info.name)) continue;
    const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
    const std::string value = quoted ? toml_quoted(std::string_view(text).substr(1, text.size() - 2)) : text;
    lines += f.info.name + " = " + value + "\n";
  }
  return lines.empty() ? "" : "\n[" + name + "]\n" + lines;
}

}  // namespace trainyard
