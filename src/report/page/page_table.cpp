#include "report/page/page_table.h"

#include <fmt/core.h>

#include "report/drawing/svg.h"

namespace trainyard {
namespace {

std::string_view attribute(PageColumn::Kind kind) {
  return kind == PageColumn::Kind::number ? " class=\"value\"" : "";
}

/// Sentences keep some width on narrow screens.
std::string_view attribute(PageColumn::Kind kind, const std::string& cell) {
  constexpr std::size_t kManyLetters = 40;
  const bool is_long = kind == PageColumn::Kind::text && cell.size() > kManyLetters;
  return is_long ? " class=\"long\"" : attribute(kind);
}

}  // namespace

PageTable::PageTable(const std::vector<PageColumn>& columns) {
  for (const PageColumn& column : columns) {
    kinds_.push_back(column.kind);
    head_ += fmt::format("<th{}>{}</th>", attribute(column.kind), escape_markup(column.title));
  }
}

void PageTable::row(const std::vector<std::string>& cells, const std::string& place) {
  rows_ += "<tr" + place + ">";
  for (std::size_t c = 0; c < cells.size(); ++c)
    rows_ += fmt::format("<td{}>{}</td>", attribute(kinds_.at(c), cells[c]),
                         kinds_.at(c) == PageColumn::Kind::markup ? cells[c] : escape_markup(cells[c]));
  rows_ += "</tr>\n";
}

std::string PageTable::html(TableUse use) const {
  if (rows_.empty()) return "<p class=\"soft\">None.</p>\n";
  const std::string box = use == TableUse::filtered ? "scroll filterable" : "scroll";
  return "<div class=\"" + box + "\" tabindex=\"0\"><table><thead><tr>" + head_ + "</tr></thead><tbody>\n" +
         rows_ + "</tbody></table></div>\n";
}

}  // namespace trainyard
