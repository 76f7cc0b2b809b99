// A table of a page.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

struct PageColumn {
  enum class Kind {
    text,
    number,  // stands to the right
    markup,  // HTML in its cells, which is not escaped
  };

  std::string title;
  Kind kind = Kind::text;
};

/// Whether a page's script lets readers sort the rows and, when they are many, filter them.
enum class TableUse { read, filtered };

/// Titles with Kind::number.
inline PageColumn number_column(std::string title) { return {std::move(title), PageColumn::Kind::number}; }

/// Rows of cells; texts and numbers are escaped.
class PageTable {
 public:
  explicit PageTable(const std::vector<PageColumn>& columns);
  PageTable(std::initializer_list<PageColumn> columns) : PageTable(std::vector<PageColumn>(columns)) {}

  /// `place`: attributes that lead to a place of the map.
  void row(const std::vector<std::string>& cells, const std::string& place = {});
  std::string html(TableUse use = TableUse::read) const;

 private:
  std::vector<PageColumn::Kind> kinds_;
  std::string head_;
  std::string rows_;
};

}  // namespace trainyard
