// The files of a grid: what is read, what is filled in, what is refused and where.
#include "siting/grid_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/errors.h"
#include "grids.h"
#include "trainyard/grid.h"

namespace trainyard {
namespace {

std::vector<Finding> refused(const GridTexts& texts) {
  try {
    parse_grid("g", texts);
  } catch (const InputError& error) {
    return error.findings();
  }
  ADD_FAILURE() << "accepted";
  return {{}};
}

/// The only finding when one text of the triangle is changed: "plants.csv:3: message".
std::string complaint(const std::string& file, const std::string& replace, const std::string& with) {
  const auto findings = refused(triangle_with(file, replace, with));
  EXPECT_EQ(findings.size(), 1U) << describe(findings);
  const Finding& f = findings.front();
  return f.where.source->name + ":" + std::to_string(f.where.line) + ": " + f.message;
}

TEST(GridFiles, RowsBecomeIndices) {
  const Grid grid = parse_grid("g", triangle());
  ASSERT_EQ(grid.plants.size(), 3U);
  EXPECT_EQ(grid.nodes[grid.plants[1].node].id, "002");
  EXPECT_EQ(grid.authorities[grid.plants[0].authority].code, "AA");
  EXPECT_EQ(grid.lines[0].from, 0U);
  EXPECT_EQ(grid.lines[0].to, 1U);
  EXPECT_EQ(grid.nodes[0].id, "001");  // text, leading zeros kept
}

TEST(GridFiles, SpareFiguresArePublishedUnlessTheySayOtherwise) {
  EXPECT_EQ(parse_grid("g", triangle()).authorities[0].published_from, SpareFigure::published);
  const Grid grid = parse_grid("g", triangle_text("balancing_authorities.csv",
                                                  "code,paper_available_mw,paper_available_from\n"
                                                  "AA,600,hours\nBB,500,\n"));
  EXPECT_EQ(grid.authorities[0].published_from, SpareFigure::hours);
  EXPECT_EQ(grid.authorities[1].published_from, SpareFigure::published);
  EXPECT_EQ(
      refused(triangle_text("balancing_authorities.csv", "code,paper_available_from\nAA,hour\nBB,\n"))[0]
          .help,
      "did you mean 'hours'?");
}

TEST(GridFiles, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(complaint("plants.csv", "Windy", "Wind\xE9 park"),
            "plants.csv:3: column 'name': is not UTF-8 text");
  EXPECT_EQ(complaint("plants.csv", "Windy", "Wind\xC0\xAF"),  // a needlessly long slash
            "plants.csv:3: column 'name': is not UTF-8 text");
  EXPECT_EQ(parse_grid("g", triangle_with("plants.csv", "Windy", "Wind\xC3\xA9")).plants[1].name,
            "Wind\xC3\xA9");
}

TEST(GridFiles, ALineThatStandsTwiceIsRefused) {
  EXPECT_EQ(complaint("lines.csv", "001,003,B2B,150,\n", "001,003,B2B,150,\n001,002,AC,300,200\n"),
            "lines.csv:4: column 'from_node': the same line as in line 2");
  // Another limit is another line.
  const GridTexts beside =
      triangle_with("lines.csv", "001,003,B2B,150,\n", "001,003,B2B,150,\n001,002,AC,310,200\n");
  EXPECT_EQ(parse_grid("g", beside).lines.size(), 4U);
}

TEST(GridFiles, AMisspeltInterconnectionIsRefused) {
  const auto findings = refused(triangle_with("substations.csv", "BB,West", "BB,Wset"));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].where.line, 4);
  EXPECT_EQ(findings[0].help, "did you mean 'West'?");
  // One that no authority is of is an area of its own.
  EXPECT_EQ(
      parse_grid("g", triangle_with("substations.csv", "BB,West", "BB,Alaska")).nodes[2].interconnection,
      "Alaska");
}

TEST(GridFiles, WesternIsNoMisspeltEastern) {
  const auto text = [](const char* name, const char* content) {
    return std::make_shared<const SourceText>(SourceText{name, content});
  };
  GridTexts texts = triangle_with("plants.csv", "Windy", "Windy");
  texts["balancing_authorities.csv"] =
      text("balancing_authorities.csv", "code,name,interconnection\nAA,Alpha,Eastern\nBB,Beta,Eastern\n");
  texts["substations.csv"] = text("substations.csv",
                                  "node_id,lat_deg,lon_deg,peak_load_est_mw,ba_group,interconnection\n"
                                  "001,10.0,20.0,500,AA,Eastern\n002,11.0,20.0,50,AA,\n"
                                  "003,10.0,21.0,100,BB,Western\n");
  EXPECT_EQ(parse_grid("g", texts).nodes[2].interconnection, "Western");
}

TEST(GridFiles, TheSameMeridianHasTwoNumbers) {
  EXPECT_TRUE(same_place({10, 180}, {10, -180}));
  EXPECT_TRUE(same_place({90, 20}, {90, -70}));
  EXPECT_FALSE(same_place({10, 180}, {10, 179.9999}));
}

TEST(GridFiles, WhatIsLeftOpenFollowsFromTheRest) {
  const Grid grid = parse_grid("g", triangle());
  EXPECT_EQ(grid.plants[0].firm.count(), 900);           // gas: all of it
  EXPECT_EQ(grid.plants[1].firm.count(), 0);             // wind: none
  EXPECT_EQ(grid.plants[2].coal.count(), 400);           // coal: all of it
  EXPECT_EQ(grid.nodes[grid.plants[2].node].id, "003");  // no county: the nearest
  EXPECT_EQ(grid.lines[1].reverse, grid.lines[1].forward);
  EXPECT_NEAR(grid.lines[0].length.count(), 111.195, 1e-3);  // a degree of a great circle: 6371.0088 pi / 180
  EXPECT_EQ(grid.authorities[0].installed->count(), 1200);
}

TEST(GridFiles, NamesFileRowAndColumn) {
  EXPECT_EQ(complaint("plants.csv", "10.0,20.0", "95,20.0"),
            "plants.csv:2: column 'lat_deg': 95 is out of range");
  EXPECT_EQ(complaint("plants.csv", "10.0,20.0", "10.0,-180.5"),
            "plants.csv:2: column 'lon_deg': -180.5 is out of range");
  EXPECT_EQ(complaint("plants.csv", "900,gas", "-900,gas"),
            "plants.csv:2: column 'capacity_mw': -900 is out of range");
  EXPECT_EQ(complaint("plants.csv", "900,gas", "9.00 GW,gas"),
            "plants.csv:2: column 'capacity_mw': '9.00 GW' is not a number");
  EXPECT_EQ(complaint("plants.csv", "900,gas", "inf,gas"),
            "plants.csv:2: column 'capacity_mw': 'inf' is not a number");
  EXPECT_EQ(complaint("plants.csv", "900,gas", "900,gass"),
            "plants.csv:2: column 'primary_fuel': 'gass' is not a value of it");
  EXPECT_EQ(complaint("plants.csv", "900,gas", ",gas"), "plants.csv:2: column 'capacity_mw': is empty");
  EXPECT_EQ(complaint("plants.csv", "p2,", "p1,"), "plants.csv:3: column 'plant_id': 'p1' stands twice");
  EXPECT_EQ(complaint("plants.csv", "ba_code", "ba"), "plants.csv:1: no column 'ba' in this file");
  EXPECT_EQ(complaint("plants.csv", "002\n", "2\n"),
            "plants.csv:3: column 'county_fips': substations.csv has no node '2'");
  EXPECT_EQ(complaint("substations.csv", "\n002,", "\n001,"),
            "substations.csv:3: column 'node_id': '001' stands twice");
  EXPECT_EQ(complaint("lines.csv", "001,002", "001,009"),
            "lines.csv:2: column 'to_node': substations.csv has no node '009'");
  EXPECT_EQ(complaint("lines.csv", "001,002", "001,001"),
            "lines.csv:2: column 'to_node': the line ends where it begins, in '001'");
  EXPECT_EQ(complaint("lines.csv", ",300,", ",-300,"),
            "lines.csv:2: column 'capacity_fwd_mw': -300 is out of range");
  EXPECT_EQ(complaint("lines.csv", ",300,", ",300,1,"), "lines.csv:2: 6 fields under 5 columns");
}

TEST(GridFiles, AnUnknownUnitIsAnUnknownColumn) {
  const auto findings = refused(triangle_with("plants.csv", "capacity_mw", "capacity_gw"));
  ASSERT_EQ(findings.size(), 2U) << describe(findings);
  EXPECT_EQ(findings[0].help, "did you mean 'capacity_mw'?");
  EXPECT_EQ(findings[1].message, "column 'capacity_mw' is missing");
}

TEST(GridFiles, AMissingOrEmptyFileIsNamed) {
  GridTexts texts = triangle();
  texts.erase("lines.csv");
  EXPECT_EQ(refused(texts).front().message, "the grid has no lines.csv");
  EXPECT_EQ(refused(triangle_text("plants.csv", "")).front().message, "is empty");
  EXPECT_EQ(refused(triangle_text("plants.csv", "plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel\n"))
                .front()
                .message,
            "has no rows");
  EXPECT_THROW(read_grid("/nonexistent/grid"), InputError);
}

TEST(GridFiles, AnUnlistedAuthorityIsAWarning) {
  const Grid grid = parse_grid("g", triangle_with("plants.csv", "gas,AA", "gas,ZZ"));
  ASSERT_EQ(grid.warnings.size(), 2U);  // and no states.csv
  EXPECT_NE(grid.warnings[1].find("'ZZ'"), std::string::npos);
}

TEST(GridFiles, AByteOrderMarkAndWindowsLineEndsAreRead) {
  GridTexts texts = triangle();
  std::string text = "\xef\xbb\xbf";
  for (const char c : texts.at("plants.csv")->text)
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parse_grid("g", triangle_text("plants.csv", text)).plants.size(), 3U);
}

TEST(GridFiles, BrokenQuotesAreNamedWithTheirLine) {
  EXPECT_EQ(complaint("plants.csv", "Windy", "\"Windy"), "plants.csv:3: a quote that is never closed");
  EXPECT_EQ(complaint("plants.csv", "Windy", "\"Win\"dy"), "plants.csv:3: text after a closing quote");
  EXPECT_EQ(complaint("plants.csv", "Windy", "\"Win\ndy\""),
            "plants.csv:3: column 'name': has control characters or line ends in it");
}

TEST(GridFiles, Utf16IsRefused) {
  EXPECT_EQ(refused(triangle_text("plants.csv", "\xff\xfep")).front().message, "is UTF-16 text");
}

TEST(GridFiles, NamesOfAThousandCharactersAreTheLongest) {
  const std::string longest(1000, 'x');
  EXPECT_EQ(parse_grid("g", triangle_with("plants.csv", "Windy", longest)).plants[1].name, longest);
  EXPECT_EQ(complaint("plants.csv", "Windy", longest + "x"),
            "plants.csv:3: column 'name': has 1001 characters");
}

TEST(GridFiles, AValueWithoutEndIsNotRepeatedInTheMessage) {
  const std::string endless(1 << 20, 'x');
  EXPECT_EQ(complaint("plants.csv", "Windy", endless), "plants.csv:3: column 'name': has 1048576 characters");
  for (const char* value : {"300,wind", "capacity_mw"}) {
    for (const Finding& f : refused(triangle_with("plants.csv", value, endless)))
      EXPECT_LT(f.message.size() + f.help.size(), 300U);
  }
}

TEST(GridFiles, ManyUnknownColumnsAreTwentyFindingsOrOne) {
  const auto header = [](int columns) {
    std::string text = "plant_id";
    for (int i = 1; i < columns; ++i) text += ",c" + std::to_string(i);
    return text + "\n";
  };
  EXPECT_EQ(refused(triangle_text("plants.csv", header(1000))).size(), 20U);
  const auto findings = refused(triangle_text("plants.csv", header(1001)));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().message, "a line with too many fields");
}

/// A folder with the triangle, of which a test spoils one file.
class GridFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    for (const auto& [name, source] : triangle()) std::ofstream(folder_ / name) << source->text;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string message() const {
    try {
      read_grid(folder_.string());
    } catch (const InputError& error) {
      return error.findings().front().message;
    }
    return "";
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("grid-folder-" + std::to_string(getpid()));
};

TEST_F(GridFolder, IsReadWhole) { EXPECT_EQ(message(), ""); }

TEST_F(GridFolder, ALinkThatLeadsNowhereIsNotAMissingFile) {
  std::filesystem::create_symlink("states.csv", folder_ / "states.csv");
  EXPECT_NE(message().find("cannot be opened"), std::string::npos) << message();
  std::filesystem::remove(folder_ / "states.csv");
  std::filesystem::create_symlink("nothing", folder_ / "cities.csv");
  EXPECT_NE(message().find("cannot be opened"), std::string::npos) << message();
}

TEST_F(GridFolder, FoldersPipesAndDevicesAreNotRead) {
  std::filesystem::create_directory(folder_ / "states.csv");
  EXPECT_EQ(message(), "is a folder, not a file");
  std::filesystem::remove(folder_ / "states.csv");
  ASSERT_EQ(mkfifo((folder_ / "states.csv").c_str(), 0600), 0);
  EXPECT_EQ(message(), "is a device or a pipe, not a file");
  std::filesystem::remove(folder_ / "states.csv");
  std::filesystem::create_symlink("/dev/zero", folder_ / "states.csv");
  EXPECT_EQ(message(), "is a device or a pipe, not a file");
}

TEST(GridFiles, NoDamageIsFollowedByACrash) {
  std::mt19937 random(1);
  const std::string bytes = ",\n\"\r-.0e9x\xff";
  for (int round = 0; round < 3000; ++round) {
    GridTexts texts = triangle();
    auto changed = texts.begin();
    std::advance(changed, static_cast<long>(random() % texts.size()));
    std::string text = changed->second->text;
    for (auto edit = random() % 3 + 1; edit > 0; --edit)
      text[random() % text.size()] = bytes[random() % bytes.size()];
    changed->second = std::make_shared<const SourceText>(SourceText{changed->first, text});
    try {
      const Grid grid = parse_grid("g", texts);
      for (const GridPlant& p : grid.plants) EXPECT_LT(p.node, grid.nodes.size());
      for (const GridLine& l : grid.lines) EXPECT_NE(l.from, l.to);
    } catch (const InputError& error) {
      EXPECT_FALSE(error.findings().empty());
      EXPECT_FALSE(describe(error.findings()).empty());
    }
  }
}

// HotNets '24 Table 1.
TEST(ShippedGrid, HoldsTableOneAsPublished) {
  const Grid grid = shipped_grid();
  std::map<std::string, double> published;
  for (const Authority& a : grid.authorities) {
    if (a.published) published[a.code] = a.published->count();
  }
  EXPECT_EQ(published,
            (std::map<std::string, double>{{"PJM", 9915}, {"SRP", 2634}, {"NEVP", 2209}, {"BPAT", 2143}}));
}

TEST(ShippedGrid, EveryRowNamesItsSource) {
  const Grid grid = shipped_grid();
  EXPECT_TRUE(grid.shipped);
  EXPECT_TRUE(grid.warnings.empty());
  EXPECT_GE(grid.plants.size(), 30U);
  for (const GridPlant& p : grid.plants) EXPECT_FALSE(p.source.empty()) << p.name;
  for (const GridNode& n : grid.nodes) EXPECT_FALSE(n.source.empty()) << n.name;
  for (const GridLine& l : grid.lines) EXPECT_FALSE(l.source.empty()) << l.name;
  for (const Authority& a : grid.authorities) EXPECT_FALSE(a.source.empty()) << a.code;
  for (const GridState& s : grid.states) EXPECT_FALSE(s.source.empty()) << s.code;
}

}  // namespace
}  // namespace trainyard
