#include "report/data/csv.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <utility>

#include "base/csv.h"

namespace trainyard {
namespace {

TEST(CsvField, QuotesWhatMustBeQuoted) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,\"b\""), "\"a,\"\"b\"\"\"");
}

TEST(CsvTable, QuotesTextsAndLeavesOutWhatIsAbsent) {
  CsvTable table("name,rate_bps,share,count,yes");
  table.row("a,b", BitRate(8e9), 0.1, 3, true);
  table.row(std::string("c"), std::optional<BitRate>(), std::numeric_limits<double>::infinity(), 12345678901,
            false);
  EXPECT_EQ(std::move(table).text(),
            "name,rate_bps,share,count,yes\n\"a,b\",8000000000,0.1,3,true\nc,,,12345678901,false\n");
}

TEST(CsvTable, RowsAreAsLongAsTheHeader) {
  CsvTable table("a,b");
  EXPECT_DEATH(table.row(1), "a field for each column");
}

}  // namespace
}  // namespace trainyard
