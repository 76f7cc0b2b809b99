#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "trainyard/report/tables.h"

namespace trainyard {
namespace {

const TextTable& table() {
  static const TextTable two = {{"key", "name"}, {{"a", "one, two"}, {"longer", "three"}}};
  return two;
}

TEST(TextTable, IsTheSameInEveryFormat) {
  EXPECT_EQ(table_text(table()), "key     name\na       one, two\nlonger  three\n");
  EXPECT_EQ(parse_csv(table_csv(table()))[1][1], "one, two");
  EXPECT_EQ(nlohmann::json::parse(table_json(table()))[1].at("key"), "longer");
}

TEST(Describe, NamesSettingsFirst) {
  EXPECT_NE(settings_text(settings_table("network")).find("network.wide_area_rtt"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
