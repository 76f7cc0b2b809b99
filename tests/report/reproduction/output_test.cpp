#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/reproduction/all_rows.h"
#include "trainyard/report/reproduction.h"

namespace trainyard {
namespace {

TEST(ReproductionJson, HasTheFieldsThatReadersRelyOn) {
  const auto json = nlohmann::json::parse(reproduction_json(all_rows()));
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

}  // namespace
}  // namespace trainyard
