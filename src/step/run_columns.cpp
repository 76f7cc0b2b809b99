#include "step/run_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/csv.h"
#include "base/letters.h"

namespace trainyard {
namespace {

constexpr std::size_t kShownCell = 40;  // characters of a cell that a message repeats
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_required(std::string_view column) {
  return std::any_of(run_columns().begin(), run_columns().end(),
                     [&](const RunColumn& c) { return c.name == column && c.required; });
}

/// What tables and programs that write them put where nothing is known.
bool is_placeholder(std::string_view cell) {
  const std::string name = lower_case(cell);
  return name == "na" || name == "n/a" || name == "nan" || name == "null" || name == "-" || name == "?" ||
         name == "unknown";
}

/// Without the ".0" that programs add to whole numbers in columns with blanks.
std::string_view without_zero_fraction(std::string_view cell) {
  const auto point = cell.find('.');
  const bool zeros = point != std::string_view::npos && point > 0 &&
                     cell.find_first_not_of('0', point + 1) == std::string_view::npos;
  return zeros ? cell.substr(0, point) : cell;
}

/// Would reach a terminal.
bool is_control(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

std::string shown(const std::string& cell) {
  return cell.size() <= kShownCell ? cell : cell.substr(0, kShownCell) + "...";
}

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const RunColumn& column : run_columns()) names.emplace_back(column.name);
  return names;
}

void check_header(const std::vector<std::string>& header, const Location& where) {
  Findings findings;
  const std::vector<std::string> known = column_names();
  std::set<std::string> seen;
  for (const std::string& name : header) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      findings.add(where, "unknown column '" + shown(name) + "'", suggestion(name, known));
    if (!seen.insert(name).second) findings.add(where, "column '" + shown(name) + "' stands twice");
  }
  for (const RunColumn& column : run_columns()) {
    if (column.required && !seen.contains(std::string(column.name)))
      findings.add(where, "column '" + std::string(column.name) + "' is missing");
  }
  findings.throw_if_any();
}

}  // namespace

std::string plain_letters(std::string_view text) {
  std::string out;
  for (const char c : lower_case(text)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '%') out += c;
  }
  return out;
}

const std::vector<RunColumn>& run_columns() {
  static const std::vector<RunColumn> columns = {{"id", true},
                                                 {"source"},
                                                 {"model", true},
                                                 {"accelerator", true},
                                                 {"devices", true},
                                                 {"devices_per_hb_domain"},
                                                 {"nic_gbps_per_device"},
                                                 {"layers", true},
                                                 {"hidden", true},
                                                 {"heads", true},
                                                 {"kv_heads"},
                                                 {"ffn"},
                                                 {"gated_ffn"},
                                                 {"vocab", true},
                                                 {"experts"},
                                                 {"experts_per_token"},
                                                 {"sequence", true},
                                                 {"global_batch", true},
                                                 {"microbatch"},
                                                 {"tp"},
                                                 {"pp"},
                                                 {"vpp"},
                                                 {"dp"},
                                                 {"cp"},
                                                 {"ep"},
                                                 {"zero_stage"},
                                                 {"sequence_parallel"},
                                                 {"recompute"},
                                                 {"precision"},
                                                 {"metric", true},
                                                 {"value", true},
                                                 {"unit"},
                                                 {"confidence"},
                                                 {"note"},
                                                 {"attention"},
                                                 {"schedule"},
                                                 {"framework"}};
  return columns;
}

RunRow::RunRow(const std::vector<std::string>& header, std::vector<std::string> cells, Location where,
               Findings& findings)
    : header_(header), cells_(std::move(cells)), where_(std::move(where)), findings_(findings) {
  for (const RunColumn& column : run_columns()) {
    if (column.required && text(column.name).empty())
      complain("column '" + std::string(column.name) + "' is blank");
  }
  for (const char* printed : {"id", "source"}) {
    const std::string cell = text(printed);
    if (std::any_of(cell.begin(), cell.end(), is_control))
      complain(std::string("column '") + printed + "' holds control characters");
  }
}

void RunRow::complain(const std::string& message, const std::string& help) {
  good_ = false;
  findings_.add(where_, "row '" + shown(text("id")) + "': " + message, help);
}

void RunRow::complain_cell(std::string_view column, const std::string& cell, const std::string& message,
                           const std::string& help) {
  complain(fmt::format("column '{}': '{}' {}", column, shown(cell), message), help);
}

std::string RunRow::text(std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) return {};
  std::string cell = trimmed(cells_[static_cast<std::size_t>(found - header_.begin())]);
  const bool says_nothing = !is_required(column) && is_placeholder(cell);
  return says_nothing ? std::string() : cell;
}

std::optional<std::int64_t> RunRow::whole(std::string_view column, WholeRange range) {
  const std::string cell = text(column);
  if (cell.empty()) return std::nullopt;
  std::int64_t value = 0;
  const std::string_view digits = without_zero_fraction(cell);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = code == std::errc{} && end == digits.data() + digits.size();
  if (whole && value >= range.low && value <= range.high) return value;
  complain_cell(column, cell, whole ? "is out of range" : "is not a whole number",
                fmt::format("allowed: {} to {}", range.low, range.high));
  return std::nullopt;
}

std::optional<double> RunRow::number(std::string_view column, RealRange range) {
  const std::string cell = text(column);
  if (cell.empty()) return std::nullopt;
  double value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool number = code == std::errc{} && end == cell.data() + cell.size() && std::isfinite(value);
  if (number && value >= range.low && value <= range.high) return value;
  complain_cell(column, cell, number ? "is out of range" : "is not a number",
                fmt::format("allowed: {:g} to {:g}", range.low, range.high));
  return std::nullopt;
}

std::optional<bool> RunRow::flag(std::string_view column) {
  return choice<bool>(column, {{"0", false},
                               {"1", true},
                               {"false", false},
                               {"true", true},
                               {"no", false},
                               {"yes", true},
                               {"0.0", false},
                               {"1.0", true}});
}

RunTable read_run_table(std::string_view text, const std::string& name) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto source = std::make_shared<const SourceText>(SourceText{name, std::string(text)});
  std::vector<int> lines;
  RunTable table;
  table.rows = parse_csv(text, &lines);
  if (table.rows.empty()) fail_input({source, 0, 0}, "holds no header", "see docs/validation.md");
  table.header = std::move(table.rows.front());
  for (std::string& column : table.header) column = trimmed(column);
  table.rows.erase(table.rows.begin());
  check_header(table.header, {source, lines.front(), 1});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.places.push_back({source, lines[i + 1], 1});
    if (table.rows[i].size() != table.header.size()) {
      fail_input(table.places.back(),
                 fmt::format("{} cells under {} columns", table.rows[i].size(), table.header.size()));
    }
  }
  return table;
}

}  // namespace trainyard
