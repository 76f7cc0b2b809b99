// import-grid: folders that are whole or not there.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, ImportsAGridOrLeavesNothing) {
  const std::string database =
      file("gppd.csv",
           "country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel\n"
           "NOR,Norway,Kvilldal,GEODB0001,1240,59.5,6.6,Hydro\n");
  const Ran ran = run("import-grid " + path("grid") + " --gppd " + database + " --country NOR");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("1.24 GW, 1.24 GW of it firm"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("One site: how many of 2 places leave 4,732 MW"), std::string::npos)
      << "a first answer: " << ran.out;
  EXPECT_NE(read_all(path("grid/plants.csv")).find("GEODB0001,Kvilldal,NOR,59.5,6.6,1240,"),
            std::string::npos);
  const Ran wrong = run("import-grid " + path("other") + " --gppd " + database + " --country NRO");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean 'NOR'?"), std::string::npos) << wrong.err;
  EXPECT_FALSE(std::filesystem::exists(path("other")));
}

TEST_F(Cli, AnImportFindsOriginalsByTheirNames) {
  std::filesystem::create_directories(path("downloads/wri"));
  const std::string plants =
      "country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel\n"
      "USA,United States,Some,USA0001,1240,40.5,-100.6,Hydro\n";
  const std::string database = file("downloads/wri/global_power_plant_database_v_1_3.csv", plants);
  file("downloads/EIA930_BALANCE_2022_Jan_Jun.csv.part", "");
  file("downloads/notes.csv", plants);
  const Ran ran = run("import-grid " + path("grid") + " --from " + path("downloads"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.err.find("GPPD                 " + database), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("EIA-860 plants       missing: plants"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("EIA-930 hours        missing: "), std::string::npos) << ran.err;
  // The country of a database that --from finds.
  expect_refused("import-grid " + path("far") + " --country NOR --from " + path("downloads"), {"NOR"});
  ASSERT_EQ(run("import-grid " + path("usa") + " --country USA --from " + path("downloads")).status, 0);
  ASSERT_EQ(run("import-grid " + path("named") + " --gppd " + database).status, 0);
  EXPECT_EQ(read_all(path("grid/plants.csv")), read_all(path("named/plants.csv")));
  // Files that no plants can be made of are named with what is missing.
  std::filesystem::create_directories(path("empty"));
  file("empty/3_1_Generator_Y2023.xlsx", "");
  expect_refused(
      "import-grid " + path("other") + " --from " + path("empty"),
      {"holds no plants", "3_1_Generator_Y2023.xlsx (edition 2023)", "EIA-860 plants       missing"});
  EXPECT_FALSE(std::filesystem::exists(path("other")));
  expect_refused("import-grid " + path("other") + " --from " + path("nowhere"),
                 {"cannot be read as a folder"});
}

TEST_F(Cli, AnImportTakesTheNewestEditionThatIsWhole) {
  std::filesystem::create_directories(path("downloads"));
  for (const char* name : {"2___Plant_Y2022.xlsx", "2___Plant_Y2023.xlsx", "3_1_Generator_Y2022.xlsx",
                           "EIA930_BALANCE_2022_Jan_Jun.csv", "EIA930_BALANCE_2024_Jan_Jun.csv"})
    file(std::string("downloads/") + name, "");
  const Ran ran = run("import-grid " + path("grid") + " --from " + path("downloads"));
  EXPECT_EQ(ran.status, 2);  // they are empty
  EXPECT_NE(ran.err.find("2___Plant_Y2022.xlsx (edition 2022; also there: 2023)"), std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("EIA930_BALANCE_2022_Jan_Jun.csv (edition 2022; also there: 2024)"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("of 2022 one half alone"), std::string::npos) << ran.err;
}

TEST_F(Cli, AnImportIsARecord) {
  const std::string import =
      "import-grid " + path("grid") + " --replace --country NOR --gppd " +
      file(
          "gppd.csv",
          "country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel\n"
          "NOR,Norway,Kvilldal,GEODB0001,1240,59.5,6.6,Hydro\nNOR,Norway,Other,GEODB0002,10,59.5,6.7,Coal\n");
  const auto json = nlohmann::json::parse(run(import + " --json").out);
  EXPECT_EQ(json.at("folder"), path("grid"));
  EXPECT_EQ(json.at("rows").at("plants.csv"), 2);
  EXPECT_EQ(json.at("capacity_mw"), 1250);
  EXPECT_EQ(json.at("coal_mw"), 10);
  const std::string csv = run(import + " --csv").out;
  EXPECT_TRUE(csv.starts_with("name,quantity,value\n"));
  EXPECT_NE(csv.find("\nplants.csv,rows,2\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ngrid,capacity_mw,1250\n"), std::string::npos) << csv;
}

}  // namespace
}  // namespace trainyard
