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
  EXPECT_NE(read_all(path("grid/plants.csv")).find("GEODB0001,Kvilldal,NOR,59.5,6.6,1240,"),
            std::string::npos);
  const Ran wrong = run("import-grid " + path("other") + " --gppd " + database + " --country NRO");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("did you mean 'NOR'?"), std::string::npos) << wrong.err;
  EXPECT_FALSE(std::filesystem::exists(path("other")));
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
