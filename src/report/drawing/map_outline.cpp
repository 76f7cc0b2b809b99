#include "report/drawing/map_outline.h"

#include <charconv>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/errors.h"
#include "report/drawing/outline_files.h"

namespace trainyard {
namespace {

std::vector<double> numbers(std::string_view text) {
  std::vector<double> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double value = 0;
    const auto read = std::from_chars(at, end, value);
    TY_ASSERT(read.ec == std::errc{}, "a number of an outline");
    out.push_back(value);
    at = read.ptr + 1;  // the blank
  }
  return out;
}

std::vector<OutlineLine> read_outline(std::string_view ending) {
  std::vector<OutlineLine> out;
  for (const EmbeddedFile& file : outline_files()) {
    if (!file.name.ends_with(ending)) continue;
    const auto rows = parse_csv(file.text);
    for (std::size_t r = 1; r < rows.size(); ++r) {
      OutlineLine line{rows[r][0] == "land", {}};
      const std::vector<double> values = numbers(rows[r][1]);
      for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        line.points.push_back({values[i + 1], values[i]});
      out.push_back(std::move(line));
    }
  }
  return out;
}

}  // namespace

const std::vector<OutlineLine>& united_states_outline() {
  static const std::vector<OutlineLine> lines = read_outline("united-states.csv");
  return lines;
}

const std::vector<OutlineLine>& countries_outline() {
  static const std::vector<OutlineLine> lines = read_outline("countries.csv");
  return lines;
}

}  // namespace trainyard
