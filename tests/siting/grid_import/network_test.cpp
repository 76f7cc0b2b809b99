#include "siting/grid_import/originals_in_miniature.h"

namespace trainyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kInterfaces =
    "Interface,r,rr,MW_f0,MW_r0,MW_f1,MW_r1\n"
    "p53025||p53047,p53025,p53047,300.5,200,0,0\n"
    "p01097||p53025,p01097,p53025,10,40,0,0\n";

// Import of Grant is 200 (backward from Okanogan) + 10 (forward from Mobile), without the largest 10; export
// 300.5
// + 40. Okanogan has no plants: its authority is that of the nearest county with some.
TEST_F(GridImportTest, InterfacesAreSummedOverCounties) {
  input.counties = file("c.txt", kCounties);
  input.interfaces = file("i.csv", kInterfaces);
  input.dc_interfaces =
      file("d.csv", "r,rr,trtype,MW,Project(s),Notes\np53047,p01097,LCC,100,\"Long, HVDC\",\n");
  const GridImport grid = import_grid(input);
  const auto node = [&](const char* id, const char* column) {
    return cell(grid, "substations.csv", id, column);
  };
  EXPECT_EQ(grid.rows.at("substations.csv"), 3);
  EXPECT_EQ(node("53025", "import_mw"), "210");
  EXPECT_EQ(node("53025", "import_n1_mw"), "10");
  EXPECT_EQ(node("53025", "export_mw"), "340.5");
  EXPECT_EQ(node("53025", "generation_mw"), "180");
  EXPECT_EQ(node("53025", "max_kv"), "500");
  EXPECT_EQ(node("53025", "ba_group"), "BPAT");
  EXPECT_EQ(node("53047", "ba_group"), "BPAT");
  EXPECT_EQ(node("53047", "interconnection"), "Western");
  EXPECT_EQ(node("01097", "interconnection"), "Eastern");
  EXPECT_EQ(node("01097", "peak_load_est_mw"), "");
  EXPECT_EQ(cell(grid, "plants.csv", "3", "county_fips"), "01097");
  EXPECT_THAT(grid.files.at("lines.csv"), HasSubstr("53025,53047,AC,,300.5,200,149.8,\n"));
  EXPECT_THAT(grid.files.at("lines.csv"), HasSubstr("53047,01097,LCC,,100,100,"));
  EXPECT_THAT(grid.files.at("lines.csv"), HasSubstr(",\"Long, HVDC\"\n"));
  EXPECT_THAT(grid.files.at("SOURCES.txt"), HasSubstr("Alliance for Sustainable Energy"));
}

TEST_F(GridImportTest, WrongInterfacesAreNamed) {
  input.counties = file("c.txt", kCounties);
  const auto with = [&](const std::string& what, const std::string& other) {
    input.interfaces = file("i.csv", changed(kInterfaces, what, other));
    return errors();
  };
  EXPECT_THAT(with(",p01097,p53025,", ",p1,p2,"), HasSubstr("i.csv:3:2: column 'r': 'p1' is not a county"));
  EXPECT_THAT(with(",p01097,p53025,", ",p53047,p53025,"),
              HasSubstr("AC interface 53047 - 53025 stands twice"));
  EXPECT_THAT(with(",p01097,p53025,", ",p53025,p53025,"), HasSubstr("interface of county 53025 with itself"));
  EXPECT_THAT(with(",p01097,p53025,", ",p09001,p53025,"), HasSubstr("county 09001 is not in the gazetteer"));
  EXPECT_THAT(with("300.5", "-300.5"), HasSubstr("-300.5 MW is out of range"));
  EXPECT_THAT(with("MW_f0", "MW_f"), HasSubstr("no column 'MW_f0'"));
}

// BPAT's peak of 101 MW over Grant (3/4 of the people) and Okanogan (1/4).
TEST_F(GridImportTest, DemandIsSharedByPopulation) {
  input.counties = file("c.txt", kCounties);
  input.eia930 = {file("b.csv",
                       "Balancing Authority,UTC Time at End of Hour,Demand (MW),Net Generation (MW),Region\n"
                       "BPAT,07/01/2024 7:00:00 AM,100,120,NW\n")};
  input.population = file("p.csv",
                          "SUMLEV,STATE,COUNTY,POPESTIMATE2022,POPESTIMATE2023\n040,53,000,9,9\n"
                          "050,53,025,1,75\n050,53,047,1,25\n050,01,097,1,400\n");
  const GridImport grid = import_grid(input);
  EXPECT_EQ(cell(grid, "substations.csv", "53025", "peak_load_est_mw"), "75");
  EXPECT_EQ(cell(grid, "substations.csv", "53047", "peak_load_est_mw"), "25");
  EXPECT_EQ(cell(grid, "substations.csv", "53047", "eia_region"), "NW");
  EXPECT_THAT(grid.notes.at("year of the population"), ElementsAre("2023"));
}

TEST_F(GridImportTest, CountiesOfOtherSpellingAreFoundAndUnknownOnesAreTheNearest) {
  input.counties =
      file("c.txt", changed(changed(kCounties, "Mobile County", "Saint Mo-Bile city"), "Okanogan",
                            "Do\xC3\xB1"
                            "a Ana"));
  input.eia860_plants = file("p.csv", changed(changed(kPlants, "AL,Mobile", "AL,St. Mo Bile City"),
                                              "WA,Grant,47.9", "WA,Elsewhere,47.9"));
  const GridImport grid = import_grid(input);
  EXPECT_EQ(cell(grid, "plants.csv", "3", "county_fips"), "01097");
  EXPECT_EQ(cell(grid, "plants.csv", "6163", "county_fips"), "53047");  // 86 km; Grant's centre is 91 km away
  EXPECT_THAT(
      grid.notes.at("plants put into the nearest county of their state: the gazetteer has none of that name"),
      ElementsAre(HasSubstr("plant 6163, 'Elsewhere', WA")));
}

TEST_F(GridImportTest, GazetteersKeepTheirLeadingZeros) {
  input.counties = file("c.txt", changed(kCounties, "01097", "1097"));
  EXPECT_THAT(errors(), HasSubstr("'1097' is not a county's FIPS code [five digits, leading zeros included"));
}

constexpr const char* kGppd =
    "country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel,generation_gwh_2018,"
    "generation_gwh_2019\n"
    "USA,United States of America,Barry,USA0000003,1055.5,31,-88,Coal,1,300\n"
    "USA,United States of America,Grand Coulee,USA0006163,155,47.9,-118.9,Hydro,1,100\n"
    "USA,United States of America,Uncoded,USA0000070,25,47.3,-119.5,Gas,1,300\n"
    "USA,United States of America,Gone,USA0009999,5,47.3,-119.5,Gas,1,7\n"
    "NOR,Norway,Kvilldal,GEODB0001,1240,59.5,6.6,Hydro,,\n"
    "NOR,Norway,Mongstad,WRI0002,280,60.8,5.0,Gas,,\n"
    "NOR,Norway,Nowhere,WRI0003,10,,,Wind,,\n";

// SOCO burns coal only: 2.31 lb/kWh x 453.59237 = 1047.8 kg/MWh. BPAT: 300 of 400 GWh gas at 0.96 lb/kWh =
// 435.449 kg/MWh gives 326.6.
TEST_F(GridImportTest, GenerationGivesCarbonIntensity) {
  input.gppd = file("g.csv", kGppd);
  const GridImport grid = import_grid(input);
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "SOCO", "co2_kg_per_mwh"), "1047.8");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "BPAT", "co2_kg_per_mwh"), "326.6");
  EXPECT_EQ(cell(grid, "states.csv", "WA", "co2_kg_per_mwh"), "326.6");
  EXPECT_EQ(cell(grid, "states.csv", "WA", "co2_year"), "2019");
  EXPECT_THAT(grid.notes.at("generation not counted in carbon intensities: plant or fuel unknown"),
              SizeIs(1));
  EXPECT_THAT(grid.files.at("SOURCES.txt"), HasSubstr("CC BY 4.0"));
}

TEST_F(GridImportTest, TheDatabaseAloneGivesPlantsOfACountry) {
  input = {};
  input.gppd = file("g.csv", kGppd);
  input.country = "NOR";
  const GridImport grid = import_grid(input);
  EXPECT_EQ(grid.rows.at("plants.csv"), 2);
  EXPECT_EQ(cell(grid, "plants.csv", "GEODB0001", "primary_fuel"), "hydro");
  EXPECT_EQ(cell(grid, "plants.csv", "GEODB0001", "ba_code"), "NOR");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "NOR", "name"), "Norway");
  EXPECT_EQ(grid.rows.at("substations.csv"), 2);
  EXPECT_THAT(grid.notes.at("plants left out for want of coordinates"),
              ElementsAre(HasSubstr("g.csv:8: WRI0003")));
  input.country = "NRO";
  EXPECT_THAT(errors(), HasSubstr("has no plants of country 'NRO' [did you mean 'NOR'?]"));
}

TEST_F(GridImportTest, WrongPlantsOfTheDatabaseAreNamed) {
  input.gppd = file("g.csv", changed(changed(kGppd, ",Coal,", ",Coall,"), "-118.9,Hydro", "-218.9,Hydro"));
  EXPECT_THAT(errors(),
              HasSubstr("g.csv:2:8: column 'primary_fuel': 'Coall' is not a fuel of the database [did you "
                        "mean 'Coal'?"));
  EXPECT_THAT(errors(), HasSubstr("g.csv:3:7: column 'longitude': -218.9 degrees is out of range"));
  input.gppd = file("g.csv", changed(kGppd, "USA0006163", "USA0000003"));
  EXPECT_THAT(errors(), HasSubstr("column 'gppd_idnr': USA0000003 stands twice, first in row 2"));
}

TEST_F(GridImportTest, PricesAndCitiesComeIn) {
  input.prices =
      file("p.csv",
           "Average Price (Cents/kilowatthour) by State by Provider,,,\nYear,State,Industry Sector "
           "Category,Residential,Industrial,Total\n2022,WA,Total Electric Industry,10,6.1,9\n2023,WA,Total "
           "Electric Industry,10,6.25,9\n2023,WA,Restructured Retail Service Providers,10,1,9\n2023,US,"
           "Total Electric Industry,10,8,9\n");
  const auto city = [](const std::string& name, const std::string& country, const std::string& people) {
    return "1\t" + name + "\t" + name + "\t\"x\t47.6\t-122.3\tP\tPPL\t" + country + "\t\tWA\t\t\t\t" +
           people + "\t\t9\tz\td\n";
  };
  input.cities = file("c.txt", city("Yakima", "US", "99999") + city("Spokane", "US", "100000") +
                                   city("Lyon", "FR", "999999") + city("Tokyo", "JP", "9000000"));
  const GridImport grid = import_grid(input);
  EXPECT_EQ(cell(grid, "states.csv", "WA", "industrial_price_usd_per_mwh"), "62.5");
  EXPECT_EQ(cell(grid, "states.csv", "WA", "price_year"), "2023");
  EXPECT_EQ(grid.files.at("cities.csv"),
            "name,country,admin,lat_deg,lon_deg,population\nTokyo,JP,WA,47.6,-122.3,9000000\nSpokane,US,WA,"
            "47.6,-122.3,"
            "100000\n");
}

// --- the folder ---

TEST_F(GridImportTest, TheFolderIsWrittenWholeOrNotAtAll) {
  const GridImport grid = import_grid(input);
  const std::string out = path("grid");
  write_grid_folder(out + "/", grid, false);
  for (const auto& [name, text] : grid.files) {
    std::ifstream written(out + "/" + name);
    std::stringstream read;
    read << written.rdbuf();
    EXPECT_EQ(read.str(), text) << name;
  }
  EXPECT_THROW(write_grid_folder(out, grid, false), InputError);
  write_grid_folder(out, grid, true);
  std::filesystem::create_directories(path("mine"));
  file("mine/plants.csv", "keep me");
  EXPECT_THROW(write_grid_folder(path("mine"), grid, true), InputError);
  EXPECT_TRUE(std::filesystem::exists(path("mine/plants.csv")));
  EXPECT_THROW(write_grid_folder(path("plants.csv"), grid, true), InputError);
  EXPECT_THROW(write_grid_folder("", grid, true), InputError);
  EXPECT_THROW(write_grid_folder(path("plants.csv") + "/below", grid, true), InputError);
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace trainyard
