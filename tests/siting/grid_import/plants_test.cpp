#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <random>
#include <regex>
#include <string>
#include <utility>

#include "base/spreadsheet.h"
#include "base/workbook.h"
#include "siting/grid_import/fuels.h"
#include "siting/grid_import/originals_in_miniature.h"
#include "siting/grid_import/table.h"

namespace trainyard {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// By hand: Barry is 55 MW coal + 1000.5 gas, without the 362 MW out of service (OS); Grand Coulee 105 hydro +
// 50 pumped; the solar plant 20 (nameplate, summer is blank) + 5 battery, nothing firm, 480 V taken for 0.48
// kV. Alaska, below 1 MW, without coordinates and without a site: left out.
TEST_F(GridImportTest, PlantsAreTheSumsOfTheirGenerators) {
  EXPECT_EQ(
      import_grid(input).files.at("plants.csv"),
      "plant_id,name,state,lat_deg,lon_deg,capacity_mw,nameplate_mw,firm_mw,coal_mw,largest_unit_mw,"
      "primary_fuel,ba_code,ba_source,grid_kv,county_fips,source\n"
      "3,Barry,Alabama,31.0069,-88.0103,1055.5,1323.1,1055.5,55,1000.5,gas,SOCO,eia860_2023,230,3,EIA-860 "
      "2023\n"
      "6163,Grand Coulee,Washington,47.95751,-118.97732,155,175,155,0,105,hydro,BPAT,eia860_2023,500,6163,"
      "EIA-860 2023\n"
      "70,Uncoded Solar,Washington,47.3,-119.5,25,25,0,0,20,solar,BPAT,nearest_in_state,0.48,70,EIA-860 "
      "2023\n");
}

TEST_F(GridImportTest, WhatIsLeftOutIsNamedWithItsRow) {
  const auto notes = import_grid(input).notes;
  EXPECT_THAT(notes.at("plants outside the contiguous states"),
              ElementsAre(HasSubstr("plants.csv:6: plant 1,")));
  EXPECT_THAT(notes.at("plants below 1 MW"), ElementsAre(HasSubstr("plants.csv:7: plant 50,")));
  EXPECT_THAT(notes.at("plants left out for want of coordinates"),
              ElementsAre(HasSubstr("plants.csv:8: plant 60,")));
  EXPECT_THAT(notes.at("plants left out that schedule 2 does not have"), ElementsAre("plant 80, 25.0 MW"));
  EXPECT_THAT(notes.at("generators whose status does not count"),
              ElementsAre(HasSubstr("generators.csv:5: OS")));
  EXPECT_THAT(notes.at("grid voltages taken as volts"), SizeIs(2));
}

TEST_F(GridImportTest, StatusesThatCountCanBeChosen) {
  input.statuses = {"OP", "SB", "OA", "OS"};
  EXPECT_EQ(cell(import_grid(input), "plants.csv", "3", "coal_mw"), "417");  // 55 + 362
  input.statuses = {"OPP"};
  EXPECT_THAT(errors(), HasSubstr("'OPP' is not a status [did you mean 'OP'?]"));
}

TEST_F(GridImportTest, AuthoritiesAreSummedFromPlants) {
  const GridImport grid = import_grid(input);
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "BPAT", "installed_mw"), "180");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "BPAT", "firm_mw"), "155");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "BPAT", "interconnection"), "Western");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "SOCO", "interconnection"), "Eastern");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "SOCO", "name"),
            "Southern Company Services, Inc. - Trans");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "SOCO", "capacity_period"), "2023");
}

TEST_F(GridImportTest, TheEnergyAtlasReplacesGenerators) {
  input.eia860_generators.clear();
  input.energy_atlas =
      file("atlas.csv",
           "\xEF\xBB\xBFX,Y,Plant_Code,Plant_Name,County,StateName,Install_MW,Total_MW,Coal_MW,NG_MW,Crude_"
           "MW,Hydro_MW,"
           "HydroPS_MW,Nuclear_MW,Solar_MW,Wind_MW,Bio_MW,Geo_MW,Bat_MW,Other_MW,Period,Latitude,Longitude\n"
           "1,1,3,Barry,Mobile,Alabama,1323.1,1055.5,55,1000.5,,,,,,,,,,,202108,31.0069,-88.0103\n");
  const GridImport grid = import_grid(input);
  EXPECT_EQ(cell(grid, "plants.csv", "3", "firm_mw"), "1055.5");
  EXPECT_EQ(cell(grid, "plants.csv", "3", "ba_code"), "SOCO");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "SOCO", "capacity_period"), "2021-08");
  input.energy_atlas = file("atlas.csv", "x,y\n1,2\n");
  EXPECT_THAT(errors(), HasSubstr("is not the table Power Plants of EIA's US Energy Atlas"));
}

TEST_F(GridImportTest, ColumnsThatAreMissingOrOfAnotherUnitAreNamed) {
  input.eia860_generators =
      file("g.csv", changed(kGenerators, "Summer Capacity (MW)", "Summer Capacity (kW)"));
  EXPECT_THAT(
      errors(),
      HasSubstr("g.csv:2:1: no column 'Summer Capacity (MW)' [did you mean 'Summer Capacity (kW)'?]"));
  input.eia860_generators =
      file("g.csv", changed(kGenerators, "Plant Name,Generator ID", "Status,Generator ID"));
  EXPECT_THAT(errors(), HasSubstr("column 'Status' stands twice [first in field 3]"));
  input.eia860_generators = file("g.csv", "");
  EXPECT_THAT(errors(), HasSubstr("is not EIA-860 schedule 3_1 (Generator)"));
}

TEST_F(GridImportTest, ColumnNamesMayDifferInCaseAndSpaces) {
  input.eia860_generators =
      file("g.csv", changed(kGenerators, "Summer Capacity (MW)", "\" summer  capacity\n(MW) \""));
  EXPECT_EQ(cell(import_grid(input), "plants.csv", "3", "capacity_mw"), "1055.5");
}

TEST_F(GridImportTest, EveryBadValueIsNamedWithRowColumnAndWhatIsAllowed) {
  std::string text = changed(kGenerators, "153.1,55,OP,BIT", "153.1,-55,OP,BIT");
  text = changed(text, "\"1,170\"", "many");
  text = changed(text, "125,105,OP,WAT", "125,105,OP,WATR");
  text = changed(text, "50,50,SB", "50,50,SX");
  text = changed(text, "5,5,OP,MWH", "5,99999,OP,MWH");
  text = changed(text, "1,70,Uncoded Solar,PV1", "1,7O,Uncoded Solar,PV1");
  input.eia860_generators = file("g.csv", text);
  const std::string found = errors();
  EXPECT_THAT(found,
              HasSubstr("g.csv:3:7: column 'Summer Capacity (MW)': -55 MW is out of range [allowed: 0 to "
                        "50000 MW; --skip-bad-rows leaves such rows out]"));
  EXPECT_THAT(found, HasSubstr("g.csv:4:6: column 'Nameplate Capacity (MW)': 'many' is not a number"));
  EXPECT_THAT(found,
              HasSubstr("g.csv:6:9: column 'Energy Source 1': 'WATR' is not an energy source [did you mean "
                        "'WAT'?"));
  EXPECT_THAT(found, HasSubstr("g.csv:7:8: column 'Status': 'SX' is not a status"));
  EXPECT_THAT(found, HasSubstr("g.csv:9:7: column 'Summer Capacity (MW)': 99999 MW is out of range"));
  EXPECT_THAT(found, HasSubstr("g.csv:8:2: column 'Plant Code': '7O' is not a number"));
}

TEST_F(GridImportTest, DuplicatesAreNamedWithBothRows) {
  input.eia860_generators = file("g.csv", changed(kGenerators, "Barry,A1,", "Barry,1,"));
  EXPECT_THAT(errors(),
              HasSubstr("column 'Generator ID': generator 1 of plant 3 stands twice, first in row 3"));
  input.eia860_generators = file("g.csv", kGenerators);
  input.eia860_plants = file("p.csv", changed(kPlants, ",70,Uncoded", ",3,Uncoded"));
  EXPECT_THAT(errors(), HasSubstr("p.csv:5:3: plant 3 stands twice, first in row 3"));
}

TEST_F(GridImportTest, PlacesThatCannotBeAreRefused) {
  input.eia860_plants = file("p.csv", changed(kPlants, "31.0069,-88.0103", "31.0069,88.0103"));
  EXPECT_THAT(errors(), HasSubstr("p.csv:3:3: plant 3 of AL stands at 31.0069, 88.0103"));
  input.eia860_plants = file("p.csv", changed(kPlants, "31.0069,-88.0103", "425.2,-88.0103"));
  EXPECT_THAT(errors(), HasSubstr("p.csv:3:8: column 'Latitude': 425.2 degrees is out of range"));
  input.eia860_plants = file("p.csv", changed(kPlants, ",AL,Mobile", ",AX,Mobile"));
  EXPECT_THAT(errors(), HasSubstr("'AX' is not a state"));
}

TEST_F(GridImportTest, BadRowsAreLeftOutWhereTheUserSaysSo) {
  input.eia860_plants = file("p.csv", changed(kPlants, "31.0069,-88.0103", "425.2,-88.0103"));
  input.skip_bad_rows = true;
  const GridImport grid = import_grid(input);
  EXPECT_THAT(grid.files.at("plants.csv"), Not(HasSubstr("Barry")));
  EXPECT_THAT(grid.notes.at("rows left out because of an error"),
              ElementsAre(HasSubstr("p.csv:3: column 'Latitude'")));
  EXPECT_THAT(grid.files.at("IMPORT_LOG.txt"), HasSubstr("p.csv:3: column 'Latitude'"));
}

TEST_F(GridImportTest, ManyErrorsAreCutOff) {
  std::string text =
      "x\nPlant Code,Generator ID,Prime Mover,Nameplate Capacity (MW),Summer Capacity (MW),Status,"
      "Energy Source 1\n";
  for (int i = 0; i < 1000; ++i) text += "1,2,3,a,b,c,d\n";
  input.eia860_generators = file("g.csv", text);
  const std::string found = errors();
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 21);
  EXPECT_THAT(found, HasSubstr("further errors are not listed"));
}

TEST_F(GridImportTest, BrokenQuotesAreNamedWithTheirLine) {
  input.eia860_plants =
      file("p.csv", changed(kPlants, "Grand Coulee,Grand Coulee,WA", "\"Grand Coulee,Grand Coulee,WA"));
  EXPECT_THAT(errors(), HasSubstr("p.csv:4:14:0:0: a quote that is never closed"));
}

TEST_F(GridImportTest, NamesThatReadersOfTheFolderRefuseAreMadeReadable) {
  input.eia860_plants = file("p.csv", changed(kPlants, "3,Barry,", "3,Bar\xE9\x7Fy,"));
  EXPECT_EQ(cell(import_grid(input), "plants.csv", "3", "name"), "Bar\xEF\xBF\xBD y");
}

TEST_F(GridImportTest, FilesThatAreNoTablesAreRefused) {
  input.eia860_plants = file("p.csv", "\xFF\xFEP");
  EXPECT_THAT(errors(), HasSubstr("is UTF-16 text [save it as UTF-8]"));
  input.eia860_plants = file("p.csv", std::string(kPlants) + std::string(20'000, ','));
  EXPECT_THAT(errors(), HasSubstr("a line with too many fields"));
  input.eia860_plants = file("p.csv", kPlants + std::string(40'000, 'x'));
  EXPECT_THAT(errors(), HasSubstr("a field of more than 32767 characters"));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  input.eia860_plants = path("pipe");
  EXPECT_THAT(errors(), HasSubstr("is a device or a pipe, not a file"));
}

TEST_F(GridImportTest, OriginalsThatDoNotGoTogetherAreRefused) {
  input.counties = "c.txt";
  input.eia860_plants.clear();
  EXPECT_THAT(errors(), HasSubstr("needs --eia860-plants"));
  input = {};
  EXPECT_THAT(errors(), HasSubstr("no plants: give --eia860-plants with --eia860-generators"));
  input.eia860_plants = path("plants.csv");
  EXPECT_THAT(errors(), HasSubstr("needs --eia860-generators or --energy-atlas"));
  input.eia860_generators = path("absent.csv");
  EXPECT_THAT(errors(), HasSubstr("cannot be opened for reading"));
  input.eia860_generators = path("generators.csv");
  input.interfaces = "i.csv";
  EXPECT_THAT(errors(), HasSubstr("needs --counties"));
  input.interfaces.clear();
  input.window = "2024-01-01/2024-02-01";
  EXPECT_THAT(errors(), HasSubstr("--window and --adjusted are about its hours"));
}

// The sources that an acknowledgement is due to, with the date that stands in the file.
TEST_F(GridImportTest, SourcesNameInputsAndWhatTheirOwnersAskFor) {
  const std::string sources = import_grid(input).files.at("SOURCES.txt");
  EXPECT_THAT(sources,
              AllOf(HasSubstr("plants.csv: "), HasSubstr("columns not used: Utility ID; Utility Name; City"),
                    HasSubstr("Source: U.S. Energy Information Administration (Form EIA-860, schedule 3_1; "
                              "2023 Form EIA-860 Data"),
                    HasSubstr("status OP SB OA"), Not(HasSubstr("BSD"))));
}

// 2024-02-29 23:59:59 UTC is 1709251199 s after 1970 (date -u -d '2024-02-29 23:59:59' +%s).
TEST_F(GridImportTest, FilesAreOfTheDayThatTheyWereWrittenByUtc) {
  const timespec times[] = {{1709251199, 0}, {1709251199, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, input.eia860_plants.c_str(), times, 0), 0);
  EXPECT_THAT(import_grid(input).files.at("SOURCES.txt"),
              HasSubstr("plants.csv: " + std::to_string(std::string(kPlants).size()) +
                        " bytes, file of 2024-02-29, FNV-1a "));
}

// --- workbooks ---

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

/// A workbook as Excel writes it: numbers as they are, texts shared; a second sheet before the wanted one.
void write_workbook(const std::string& path, const std::string& sheet, const std::string& csv) {
  std::string rows;
  std::string strings;
  int count = 0;
  int row = 0;
  for (const auto& record : parse_csv(csv)) {
    rows += "<row r=\"" + std::to_string(++row) + "\">";
    for (std::size_t i = 0; i < record.size(); ++i) {
      if (record[i].empty()) continue;
      const std::string place = std::string(1, static_cast<char>('A' + i)) + std::to_string(row);
      if (grid_import::table_number(record[i]) && record[i].find(',') == std::string::npos) {
        rows += "<c r=\"" + place + "\"><v>" + record[i] + "</v></c>";
      } else {
        rows += "<c r=\"" + place + "\" t=\"s\"><v>" + std::to_string(count++) + "</v></c>";
        strings += "<si><r><t>" + escaped(record[i].substr(0, 1)) + "</t></r><r><t>" +
                   escaped(record[i].substr(1)) + "</t></r></si>";
      }
    }
    rows += "</row>";
  }
  write_parts(path,
              {{"xl/workbook.xml", "<workbook xmlns:r=\"r\"><sheets><sheet name=\"" + sheet +
                                       "\" sheetId=\"2\" r:id=\"rId2\"/><sheet name=\"Other\" sheetId=\"1\" "
                                       "r:id=\"rId1\"/></sheets></workbook>"},
               {"xl/_rels/workbook.xml.rels",
                "<Relationships><Relationship Id=\"rId1\" Target=\"worksheets/sheet1.xml\"/><Relationship "
                "Id=\"rId2\" "
                "Target=\"worksheets/sheet2.xml\"/></Relationships>"},
               {"xl/worksheets/sheet1.xml", "<worksheet><sheetData/></worksheet>"},
               {"xl/worksheets/sheet2.xml", "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"},
               {"xl/sharedStrings.xml", "<sst>" + strings + "</sst>"}});
}

TEST_F(GridImportTest, AWorkbookReadsAsItsSheetDoes) {
  const std::string from_csv = import_grid(input).files.at("plants.csv");
  write_workbook(path("plants.xlsx"), "Plant", kPlants);
  write_workbook(path("generators.xlsx"), "Operable", kGenerators);
  input.eia860_plants = path("plants.xlsx");
  input.eia860_generators = path("generators.xlsx");
  EXPECT_EQ(import_grid(input).files.at("plants.csv"), from_csv);
}

TEST_F(GridImportTest, DamagedWorkbooksAreRefused) {
  write_workbook(path("plants.xlsx"), "Plant", kPlants);
  std::ifstream whole_file(path("plants.xlsx"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole_file), {}};
  for (const std::size_t kept : {std::size_t{4}, bytes.size() / 4, bytes.size() / 2}) {
    input.eia860_plants = file("cut.xlsx", bytes.substr(0, kept));
    EXPECT_THAT(errors(), HasSubstr("is not a whole .xlsx file")) << kept;
  }
  for (std::size_t i = 0; i < bytes.size(); i += 7) {  // no damage may crash it
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x5A);
    input.eia860_plants = file("damaged.xlsx", damaged);
    try {
      import_grid(input);
    } catch (const InputError&) {
      continue;
    }
  }
}

TEST(Spreadsheet, NamesTheSheetsThatThereAre) {
  const std::string path = testing::TempDir() + "/sheets" + std::to_string(getpid()) + ".xlsx";
  write_workbook(path, "Operable", "a,b\n1,2\n");
  std::vector<std::vector<std::string>> rows;
  read_rows(path, "Operable", [&](int, const auto& cells) {
    rows.push_back(cells);
    return true;
  });
  EXPECT_THAT(rows, ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
  EXPECT_THROW(read_rows(path, "Operabel", [](int, const auto&) { return true; }), InputError);
  std::filesystem::remove(path);
}

// --- small things ---

TEST(TableNumber, TakesThousandsInGroupsOfThreeOnly) {
  using grid_import::table_number;
  EXPECT_EQ(table_number("12,345.5"), 12345.5);
  EXPECT_EQ(table_number("-1,234,567"), -1234567);
  EXPECT_EQ(table_number("1e3"), 1000);
  EXPECT_EQ(table_number("+7"), 7);
  for (const char* wrong : {"1,23", "12,34,567", ",123", "1,2345", "1234,567.0", "1,234e", "inf", "nan",
                            "0x10", "1 2", "--1", "+-1", "", "1.2,345", "1,234.5,678"})
    EXPECT_FALSE(table_number(wrong)) << wrong;
}

/// Beside the grammar: thousands in groups of three before the point, or no commas at all.
TEST(TableNumber, IsWhatItsGrammarSays) {
  using grid_import::table_number;
  const std::regex grammar(
      R"([+-]?([0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?|[0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)");
  std::mt19937 random(5);
  const std::string alphabet = "0123456789000,,,,.-+e";
  int taken = 0;
  const auto check = [&](const std::string& text) {
    std::string plain = text;
    std::erase(plain, ',');
    const bool wanted = std::regex_match(text, grammar);
    errno = 0;
    const double value = wanted ? std::strtod(plain.c_str(), nullptr) : 0;
    if (errno == ERANGE) return;  // beyond what a double holds
    ASSERT_EQ(table_number(text).has_value(), wanted) << text;
    if (!wanted) return;
    ++taken;
    EXPECT_EQ(*table_number(text), value) << text;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    const std::size_t length = 1 + random() % 10;
    while (text.size() < length) text += alphabet[random() % alphabet.size()];
    check(text);
  }
  // Numbers with all their commas, and with one of them moved.
  for (int i = 0; i < 2000; ++i) {
    std::string text = std::to_string(random() % 1'000'000'000);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
    if (random() % 2 == 0) text += ".5";
    if (random() % 3 == 0) text.insert(0, "-");
    check(text);
    const std::size_t comma = text.rfind(',');
    if (comma == std::string::npos || comma == 0) continue;
    std::swap(text[comma], text[comma - 1]);
    check(text);
  }
  EXPECT_GT(taken, 3000);
}

TEST(Fuels, FollowEia860sCodes) {
  using grid_import::fuel_of_eia;
  EXPECT_EQ(fuel_of_eia("WAT", "PS"), Fuel::pumped);
  EXPECT_EQ(fuel_of_eia("WAT", "HY"), Fuel::hydro);
  EXPECT_EQ(fuel_of_eia("PC", "ST"), Fuel::oil);
  EXPECT_EQ(fuel_of_eia("MWH", "BA"), Fuel::battery);
  EXPECT_FALSE(fuel_of_eia("COAL", "ST"));
}

TEST(Fuels, TiesGoToTheFirstInTheAlphabet) {
  grid_import::Capacity plant;
  plant.of(Fuel::gas) = 100;
  plant.of(Fuel::coal) = 100;
  EXPECT_EQ(plant.primary_fuel(), Fuel::coal);
}

}  // namespace
}  // namespace trainyard
