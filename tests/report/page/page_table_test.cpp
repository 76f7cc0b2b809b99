#include "report/page/page_table.h"

#include <gtest/gtest.h>

#include <string>

namespace trainyard {
namespace {

TEST(PageTable, EscapesTextsAndKeepsMarkup) {
  PageTable table({{"name"}, number_column("price"), {"mark", PageColumn::Kind::markup}});
  table.row({"<a>", "1", "<b>2</b>"});
  EXPECT_NE(table.html().find("<td>&lt;a&gt;</td><td class=\"value\">1</td><td><b>2</b></td>"),
            std::string::npos);
}

TEST(PageTable, WithoutRowsIsNoHeadingAlone) {
  EXPECT_EQ(PageTable({{"name"}}).html(), "<p class=\"soft\">None.</p>\n");
}

TEST(PageTable, SentencesHaveAWidthOfTheirOwn) {
  PageTable table({{"why"}});
  table.row({"short"});
  table.row({std::string(60, 'x')});
  EXPECT_NE(table.html().find("<td>short</td>"), std::string::npos);
  EXPECT_NE(table.html().find("<td class=\"long\">xxx"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
