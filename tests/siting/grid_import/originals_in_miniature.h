// Originals in miniature, in the form of the real ones, written into a folder of the test's own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/csv.h"
#include "trainyard/errors.h"
#include "trainyard/grid_import.h"

namespace trainyard {

inline constexpr const char* kPlants =
    "\"2023 Form EIA-860 Data - Schedule 2, 'Plant Data'\",,,,,,,,,,,,,\n"
    "Utility ID,Utility Name,Plant Code,Plant Name,City,State,County,Latitude,Longitude,NERC "
    "Region,Balancing "
    "Authority Code,Balancing Authority Name,Grid Voltage (kV),Grid Voltage 2 (kV)\n"
    "195,Alabama Power Co,3,Barry,Bucks,AL,Mobile,31.0069,-88.0103,SERC,SOCO,\"Southern Company Services, "
    "Inc. - Trans\",115,230\n"
    "99,USBR,6163,Grand Coulee,Grand Coulee,WA,Grant,47.95751,-118.97732,WECC,BPAT,Bonneville Power "
    "Administration,500,\n"
    "1,Sun,70,Uncoded Solar,Ephrata,WA,Grant,47.3,-119.5,WECC, , ,480,277\n"
    "2,TDX,1,Sand Point,Sand Point,AK,Aleutians East,55.339722,-160.497222,,,,,\n"
    "3,Tiny,50,Tiny Hydro,Yakima,WA,Yakima,46.6,-120.5,WECC,PACW,PacifiCorp West,12.47,\n"
    "4,Lost,60,Lost Works,Yakima,WA,Yakima, , ,WECC,PACW,PacifiCorp West,,\n";

inline constexpr const char* kGenerators =
    "\"2023 Form EIA-860 Data - Schedule 3, 'Generator Data' (Operable Units Only)\",,,,,,,\n"
    "Utility ID,Plant Code,Plant Name,Generator ID,Prime Mover,Nameplate Capacity (MW),Summer Capacity (MW),"
    "Status,Energy Source 1\n"
    "195,3,Barry,1,ST,153.1,55,OP,BIT\n"
    "195,3,Barry,A1,CT,\"1,170\",\"1,000.5\",OP,NG\n"
    "195,3,Barry,4,ST,403.7,362,OS,BIT\n"
    "99,6163,Grand Coulee,G1,HY,125,105,OP,WAT\n"
    "99,6163,Grand Coulee,PG7,PS,50,50,SB,WAT\n"
    "1,70,Uncoded Solar,PV1,PV,20, ,OP,SUN\n"
    "1,70,Uncoded Solar,BA1,BA,5,5,OP,MWH\n"
    "2,1,Sand Point,1,IC,2,1.8,OP,DFO\n"
    "3,50,Tiny Hydro,1,HY,0.9,0.9,OP,WAT\n"
    "4,60,Lost Works,1,ST,30,25,OP,WDS\n"
    "5,80,Not In Schedule 2,1,ST,30,25,OP,WDS\n"
    "NOTES:,,,,,,,,\n";

inline constexpr const char* kCounties =
    "USPS\tGEOID\tANSICODE\tNAME\tALAND\tINTPTLAT\tINTPTLONG                 \n"
    "AL\t01097\t00161574\tMobile County\t1\t30.684573\t-88.196568\n"
    "AK\t02013\t01419964\tAleutians East Borough\t1\t55.245\t-161.999\n"
    "WA\t53025\t01531924\tGrant County\t1\t47.213633\t-119.467788\n"
    "WA\t53047\t01531934\tOkanogan County\t1\t48.548555\t-119.739059\n";

class GridImportTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("trainyard-import-" + std::to_string(getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    input.eia860_plants = file("plants.csv", kPlants);
    input.eia860_generators = file("generators.csv", kGenerators);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  /// The miniature with one text replaced.
  static std::string changed(std::string text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
  }

  /// A field of a table: row by the text of its first field.
  static std::string cell(const GridImport& grid, const std::string& name, const std::string& key,
                          const std::string& column) {
    const auto records = parse_csv(grid.files.at(name));
    const auto& header = records.front();
    const auto at = std::find(header.begin(), header.end(), column) - header.begin();
    for (const auto& record : records)
      if (record.front() == key) return record.at(static_cast<std::size_t>(at));
    ADD_FAILURE() << name << " has no row " << key;
    return {};
  }

  /// All findings of an import that must fail.
  std::string errors() const {
    try {
      import_grid(input);
    } catch (const InputError& error) {
      std::string text;
      for (const Finding& f : error.findings()) {
        text += std::filesystem::path(f.where.source->name).filename().string() + ":" +
                std::to_string(f.where.line) + ":" + std::to_string(f.where.column) + ": " + f.message +
                " [" + f.help + "]\n";
      }
      return text;
    }
    ADD_FAILURE() << "the import did not fail";
    return {};
  }

  GridImportInput input;
  std::filesystem::path folder_;
};

}  // namespace trainyard
