#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/csv.h"
#include "report/lookup_text.h"
#include "report/rail_quantities.h"
#include "report/reproduction.h"
#include "scenario/scenario.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

const CatalogKind& kind(const std::string& name) {
  for (const CatalogKind& k : catalog_kinds()) {
    if (k.name == name) return k;
  }
  throw std::runtime_error(name);
}

TEST(CatalogList, FiltersByAnyFieldWhateverTheCase) {
  const auto list = [](const std::vector<CatalogFilter>& filters) {
    return nlohmann::json::parse(
        catalog_list_text(*shipped_catalog(), kind("accelerators"), filters, TableFormat::json));
  };
  EXPECT_EQ(list({}).size(), shipped_catalog()->accelerators.size());
  const auto intel = list({{"vendor", "intel"}, {"name", "gaudi 3"}});
  ASSERT_EQ(intel.size(), 1u);
  EXPECT_EQ(intel[0].at("key"), "gaudi3");
  EXPECT_TRUE(list({{"vendor", "intel"}, {"name", "tpu"}}).empty());
  EXPECT_THROW(list({{"vendr", "amd"}}), InputError);
}

TEST(CatalogEntry, NamesTheSourceOfEachFigure) {
  const auto records =
      parse_csv(catalog_entry_text(*shipped_catalog(), kind("accelerators"), "gb200", TableFormat::csv));
  bool memory = false;
  for (const auto& row : records) {
    if (row[0] == "memory") {
      memory = true;
      EXPECT_EQ(row[1], "189471 MiB");
      EXPECT_NE(row[2].find("HotNets '24"), std::string::npos);
    }
    const bool prose = row[0] == "field" || row[0] == "name" || row[0] == "source" || row[0] == "note";
    EXPECT_TRUE(prose || !row[2].empty()) << row[0];
  }
  EXPECT_TRUE(memory);
}

TEST(Describe, FindsSectionsAndKeys) {
  EXPECT_NE(describe_text("network", TableFormat::text).find("network.wide_area_rtt"), std::string::npos);
  const auto one = parse_csv(describe_text("mapping.zero_stage", TableFormat::csv));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[1][3], "0 to 3");
  EXPECT_THROW(describe_text("mapping.zero_stag", TableFormat::text), InputError);
}

TEST(Scenarios, AreListedWithTheirTitles) {
  const auto json = nlohmann::json::parse(scenarios_text(TableFormat::json));
  EXPECT_EQ(json.size(), shipped_scenarios().size());
  EXPECT_EQ(json[0].at("name"), "hotnets24-dense");
}

TEST(ReproductionJson, HasTheFieldsThatReadersRelyOn) {
  const auto json = nlohmann::json::parse(reproduction_json(reproduce("all")));
  ASSERT_EQ(json.size(), 131u);
  for (const auto& row : json) {
    for (const char* field : {"id", "published", "computed", "unit", "tolerance_pct", "status", "note"}) {
      EXPECT_TRUE(row.contains(field)) << row;
    }
    EXPECT_EQ(row.at("computed").is_null(), row.at("status") == "missing") << row.at("id");
    EXPECT_TRUE(row.at("step").is_null() || row.at("step").at("simulated").is_number()) << row.at("id");
  }
}

TEST(ReproductionText, EndsWithTheErrata) {
  const std::string text = reproduction_text(reproduce("railonly23"), errata("railonly23"));
  EXPECT_LT(text.find("49 rows:"), text.find("Errata"));
  EXPECT_EQ(text.find("hotnets24:"), std::string::npos);
}

TEST(Published, IsTheReferenceFile) {
  const std::filesystem::path reference =
      std::filesystem::path(TRAINYARD_SOURCE_DIR) / ".." / "shared" / "reference" / "published.csv";
  if (!std::filesystem::exists(reference)) GTEST_SKIP() << "no reference beside the checkout";
  const auto text = [](const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream out;
    out << file.rdbuf();
    return out.str();
  };
  EXPECT_EQ(text(reference), text(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "data" / "published.csv"));
}

TEST(RailJson, ListsThePointsOfBothFigures) {
  const auto json = nlohmann::json::parse(rail_json(ScenarioText::load("railonly23-palm").resolve()));
  EXPECT_EQ(json.at("by_domain").size(), 6u);
  EXPECT_EQ(json.at("by_batch").size(), 3u * 4u);  // K of 256, 512, 1024; four batches
  for (const auto& point : json.at("by_batch")) {
    EXPECT_NEAR(point.at("compute_s").get<double>() + point.at("across_s").get<double>() +
                    point.at("inside_s").get<double>() + point.at("model_s").get<double>(),
                point.at("iteration_s").get<double>(), 1e-12);
    EXPECT_LE(point.at("ideal_s").get<double>(), point.at("iteration_s").get<double>());
  }
}

TEST(TrafficJson, SharesAddUp) {
  const RailAnalysis a = analyse_rail(ScenarioText::load("railonly23-opt").resolve());
  const auto json =
      nlohmann::json::parse(traffic_json(summarize(traffic_of(a.rail, a.best.model_group)), {}));
  double share = 0;
  for (const auto& c : json.at("classes")) share += c.at("volume_share").get<double>();
  EXPECT_NEAR(share, 1, 1e-12);
}

}  // namespace
}  // namespace trainyard
