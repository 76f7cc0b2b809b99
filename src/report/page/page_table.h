// A table of a page.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct PageColumn {
  enum class Kind { text, number };  // numbers stand to the right

  std::string_view title;
  Kind kind = Kind::text;
};

/// Titles with Kind::number.
inline PageColumn number_column(std::string_view title) { return {title, PageColumn::Kind::number}; }

/// Rows of cells; all texts are escaped.
class PageTable {
 public:
  explicit PageTable(const std::vector<PageColumn>& columns);
  PageTable(std::initializer_list<PageColumn> columns) : PageTable(std::vector<PageColumn>(columns)) {}

  /// `place`: attributes that lead to a place of the map.
  void row(const std::vector<std::string>& cells, const std::string& place = {});
  std::string html() const;

 private:
  std::vector<PageColumn::Kind> kinds_;
  std::string head_;
  std::string rows_;
};

}  // namespace trainyard
