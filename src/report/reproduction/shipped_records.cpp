#include "report/reproduction/shipped_records.h"

#include <fmt/core.h>

#include <charconv>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/errors.h"
#include "report/reproduction/published_files.h"

namespace trainyard {

std::vector<std::vector<std::string>> shipped_records(std::string_view name) {
  for (const EmbeddedFile& file : published_files()) {
    if (!file.name.ends_with(name)) continue;
    std::vector<std::vector<std::string>> out = parse_csv(file.text);
    out.erase(out.begin());
    return out;
  }
  broken_invariant("the file is shipped", __FILE__, __LINE__, name);
}

double shipped_number(std::string_view file, const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  TY_ASSERT(code == std::errc{} && end == text.data() + text.size(), fmt::format("{}: {}", file, text));
  return value;
}

}  // namespace trainyard
