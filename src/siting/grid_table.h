// One file of a grid: columns by name, values checked where they stand.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "trainyard/errors.h"

namespace trainyard {

/// Of one file. The plants of the world are 35,000.
inline constexpr std::size_t kMostGridRows = 500'000;

/// Findings over all files of a grid; further ones than the first are dropped.
class GridFindings {
 public:
  void add(Location where, std::string message, std::string help = {});
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ >= kMost; }
  void throw_if_any() const { findings_.throw_if_any(); }

 private:
  static constexpr int kMost = 20;
  int count_ = 0;
  Findings findings_;
};

/// A value of a file. Reading one that is wrong adds a finding and gives a harmless value.
struct GridCell {
  std::string_view text;
  std::shared_ptr<const SourceText> source;
  int line = 0;
  std::size_t field = 0;  // of the line
  std::string_view column;
  GridFindings* findings = nullptr;

  void complain(const std::string& message, const std::string& help = {}) const;
  /// A number within the bounds.
  double number(double low, double high, std::string_view what) const;
  /// Text without control characters.
  std::string words() const;
  /// One of the names; 0 when it is none of them.
  std::size_t choice(const std::vector<std::string>& names) const;
};

/// A column of a record's file.
template <class R>
struct GridField {
  const char* name;
  bool required;
  const char* sentence;
  std::function<void(R&, const GridCell&)> read;  // called for values that are not empty; none: ignored
};

/// The header and the rows, with the lines on which they begin. None when the file cannot be used, which is a
/// finding: UTF-16, broken quotes, too many rows, no header.
std::vector<std::vector<std::string>> grid_records(const std::shared_ptr<const SourceText>& source,
                                                   std::vector<int>& lines, GridFindings& findings);

/// Which field of the file each column is; absent ones are past the end.
std::vector<std::size_t> place_columns(const std::shared_ptr<const SourceText>& source,
                                       const std::vector<std::string>& header,
                                       const std::vector<std::string>& names,
                                       const std::vector<bool>& required, GridFindings& findings);

/// Reads every row of a file, in order. `keep(record, cell of the first column)` takes each.
template <class R, class Keep>
void read_table(const std::shared_ptr<const SourceText>& source, const std::vector<GridField<R>>& fields,
                GridFindings& findings, const Keep& keep) {
  std::vector<int> lines;
  const auto records = grid_records(source, lines, findings);
  if (records.empty()) return;
  std::vector<std::string> names;
  std::vector<bool> required;
  for (const auto& field : fields) {
    names.emplace_back(field.name);
    required.push_back(field.required);
  }
  const auto places = place_columns(source, records.front(), names, required, findings);
  if (places.empty()) return;
  for (std::size_t r = 1; r < records.size() && !findings.full(); ++r) {
    const auto& record = records[r];
    if (record.size() != records.front().size()) {
      findings.add({source, lines[r], 1},
                   fmt::format("{} under {}", counted(record.size(), "field"),
                               counted(records.front().size(), "column")),
                   "a field for each column, empty where nothing is known");
      continue;
    }
    R out;
    GridCell first;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (places[f] >= record.size()) continue;
      const GridCell cell{record[places[f]], source, lines[r], places[f], fields[f].name, &findings};
      if (f == 0) first = cell;
      if (cell.text.empty()) {
        if (fields[f].required) cell.complain("is empty", fields[f].sentence);
      } else if (fields[f].read) {
        fields[f].read(out, cell);
      }
    }
    keep(std::move(out), first);
  }
}

}  // namespace trainyard
