#include <gtest/gtest.h>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/report/tables.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

TEST(CatalogList, FiltersByAnyFieldWhateverTheCase) {
  const auto list = [](const std::vector<CatalogFilter>& filters) {
    return catalog_list_table(*shipped_catalog(), "accelerators", filters, ListedFields::all).rows;
  };
  EXPECT_EQ(list({}).size(), shipped_catalog()->accelerators.size());
  const auto intel = list({{"vendor", "intel"}, {"name", "gaudi 3"}});
  ASSERT_EQ(intel.size(), 1u);
  EXPECT_EQ(intel[0][0], "gaudi3");
  EXPECT_TRUE(list({{"vendor", "intel"}, {"name", "tpu"}}).empty());
  EXPECT_THROW(list({{"vendr", "amd"}}), InputError);
}

TEST(CatalogEntry, NamesTheSourceOfEachFigure) {
  const TextTable entry = catalog_entry_table(*shipped_catalog(), {"accelerators", "gb200"});
  bool memory = false;
  for (const auto& row : entry.rows) {
    if (row[0] == "memory") {
      memory = true;
      EXPECT_EQ(row[1], "189471 MiB");
      EXPECT_NE(row[2].find("HotNets '24"), std::string::npos);
    }
    const bool prose = row[0] == "name" || row[0] == "source" || row[0] == "note";
    EXPECT_TRUE(prose || !row[2].empty()) << row[0];
  }
  EXPECT_TRUE(memory);
}

TEST(Describe, FindsSectionsAndKeys) {
  const auto one = settings_table("mapping.zero_stage").rows;
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0][3], "0 to 3");
  EXPECT_THROW(settings_table("mapping.zero_stag"), InputError);
}

TEST(Describe, PointsToTheCatalog) {
  try {
    settings_table("tomahawk5");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("`trainyard catalog show tomahawk5`"), std::string::npos)
        << error.what();
  }
}

TEST(Scenarios, AreListedWithTheirTitles) {
  const auto rows = scenarios_table().rows;
  EXPECT_EQ(rows.size(), shipped_scenarios().size());
  EXPECT_EQ(rows[0][0], "llama3-405b");  // a cluster that people have comes first
}

}  // namespace
}  // namespace trainyard
