#include <fmt/core.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>

#include "siting/grid_import/hourly.h"
#include "siting/grid_import/originals.h"
#include "siting/grid_import/originals_in_miniature.h"

namespace trainyard {
namespace {

using grid_import::clean_and_measure;
using grid_import::Hour;
using grid_import::HourlyFigures;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Hour> hours(const std::vector<std::pair<double, double>>& demand_and_generation) {
  std::vector<Hour> list;
  for (const auto& [demand, generation] : demand_and_generation)
    list.push_back({static_cast<std::int64_t>(list.size()), demand, generation});
  return list;
}

// By hand. Demand 100 90 110 9000 -5 80: median of the positive 100, limit 500, so 9000 and -5 go. Generation
// 120 150 0 130 140 900: median of the positive 140, limit 700, so 0 and 900 go. What is left:
//   D   100  90 110   -   -  80      max 110
//   NG  120 150   - 130 140   -      max 150
// max NG - max D = 40; NG - D of whole hours 20, 60: 60; firm 200 - 110 = 90.
TEST(Hours, AreCleanedAndGiveThreeFigures) {
  const HourlyFigures f = clean_and_measure(
      hours({{100, 120}, {90, 150}, {110, 0}, {9000, 130}, {-5, 140}, {80, 900}}), 500, 200);
  EXPECT_EQ(f.demand_dropped, 2);
  EXPECT_EQ(f.generation_dropped, 2);
  EXPECT_EQ(f.raw_peak_demand_mw, 9000);
  EXPECT_EQ(f.peak_demand_mw, 110);
  EXPECT_EQ(f.peak_utc_hour, 2);
  EXPECT_EQ(f.mean_demand_mw, 95);
  EXPECT_EQ(f.peak_generation_mw, 150);
  EXPECT_EQ(f.peaks_apart_mw, 40);
  EXPECT_EQ(f.same_hour_mw, 60);
  EXPECT_EQ(f.firm_surplus_mw, 90);
  EXPECT_TRUE(figures_differ(f));  // 90 > 2 x 40
}

// 144 MW is one percent above its neighbours, but more than 1.1 x 130 MW.
TEST(Hours, GenerationAboveWhatIsInstalledIsAnError) {
  std::vector<std::pair<double, double>> flat(9, {50, 143});
  flat[4].second = 144;
  EXPECT_EQ(clean_and_measure(hours(flat), 130, 130).peak_generation_mw, 143);
  EXPECT_EQ(clean_and_measure(hours(flat), std::nullopt, std::nullopt).peak_generation_mw, 144);
}

// An importer needs more than it has installed, in most hours or in its highest only.
TEST(Hours, DemandIsNotHeldAgainstThePlants) {
  const HourlyFigures f = clean_and_measure(hours({{40, 30}, {45, 30}, {50, 30}, {44, 30}}), 40, 40);
  EXPECT_EQ(f.demand_dropped, 0);
  EXPECT_EQ(f.peak_demand_mw, 50);
  EXPECT_EQ(f.peaks_apart_mw, -20);
}

/// What is left of the highest demand when the series is cleaned.
std::optional<double> peak_of(const std::vector<double>& demand) {
  std::vector<std::pair<double, double>> list;
  for (const double mw : demand) list.emplace_back(mw, 1);
  return clean_and_measure(hours(list), std::nullopt, std::nullopt).peak_demand_mw;
}

// Hours of EIA-930 around errors, as reported: Salt River Project on 2023-07-22, Florida Power & Light on
// 2023-11-15, Imperial Irrigation District on 2024-09-06 (no error: its highest hour, 3.4 medians of the two
// years).
TEST(Hours, ThatLeapUpAndBackAreErrors) {
  EXPECT_EQ(peak_of({7135, 7443, 9283, 7990, 8065, 8103, 7971}), 8103);
  EXPECT_EQ(peak_of({16908, 17249, 16860, 16254, 72201, 71967, 71779, 12373, 11670}), 17249);
  EXPECT_EQ(peak_of({1095, 1127, 1165, 1177, 1148, 1094}), 1177);
}

TEST(Hours, LeapsEndWithTheSeventhHour) {
  for (std::size_t length = 1; length <= 8; ++length) {
    std::vector<double> demand(40, 100);
    std::fill_n(demand.begin() + 10, length, 160.0);
    EXPECT_EQ(peak_of(demand), length <= 6 ? 100 : 160) << length;
  }
}

// Beside a missing hour nothing says whether the series leapt.
TEST(Hours, BesideMissingOnesAreKept) {
  std::vector<Hour> list = hours({{100, 1}, {160, 1}, {100, 1}, {100, 1}});
  EXPECT_EQ(clean_and_measure(list, std::nullopt, std::nullopt).peak_demand_mw, 100);
  list[2].demand_mw.reset();
  EXPECT_EQ(clean_and_measure(list, std::nullopt, std::nullopt).peak_demand_mw, 160);
  list = hours({{100, 1}, {160, 1}, {100, 1}, {100, 1}});
  for (std::size_t i = 2; i < list.size(); ++i) list[i].utc_hour += 1;
  EXPECT_EQ(clean_and_measure(list, std::nullopt, std::nullopt).peak_demand_mw, 160);
}

TEST(Hours, WithoutValuesHaveNoFigures) {
  const HourlyFigures f = clean_and_measure({{0, std::nullopt, std::nullopt}, {1, 0, -3}}, 10, 10);
  EXPECT_FALSE(f.peak_demand_mw || f.peaks_apart_mw || f.same_hour_mw || f.firm_surplus_mw ||
               f.mean_demand_mw);
  EXPECT_EQ(f.demand_dropped, 1);
  EXPECT_FALSE(figures_differ(f));
}

TEST(Hours, FiguresDifferBeyondTwiceOrAcrossZero) {
  HourlyFigures f;
  f.peaks_apart_mw = 100;
  f.same_hour_mw = 200;
  EXPECT_FALSE(figures_differ(f));
  f.firm_surplus_mw = 201;
  EXPECT_TRUE(figures_differ(f));
  f.firm_surplus_mw = -1;
  EXPECT_TRUE(figures_differ(f));
  f.peaks_apart_mw = f.same_hour_mw = -300;
  EXPECT_FALSE(figures_differ(f));  // none is to spare
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(grid_import::median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(grid_import::median({9, 1, 5}), 5);
}

// 2024-07-16 22:00 UTC is 1721167200 s after 1970 (date -u -d '2024-07-16 22:00' +%s).
TEST(HourOf, ReadsTheFormsOfEia930) {
  constexpr std::int64_t kHour = 1721167200 / 3600;
  for (const char* text :
       {"07/16/2024 10:00:00 PM", "7/16/2024 22:00", "2024-07-16 22:00:00", "2024-07-16T22:00"})
    EXPECT_EQ(grid_import::hour_of(text), kHour) << text;
  EXPECT_EQ(grid_import::hour_of("07/16/2024 12:00:00 AM"), kHour - 22);
  EXPECT_EQ(grid_import::text_of_hour(kHour), "2024-07-16 22:00:00");
  for (const char* text :
       {"", "2024-02-30 01:00", "07/16/2024 13:00:00 PM", "07/16/2024 10:30:00 PM", "07/16/2024",
        "2024-07-16 24:00", "1/1/99999999999 1:00", "2024-07-16 22:00:00+00:00:00"})
    EXPECT_FALSE(grid_import::hour_of(text)) << text;
}

/// Of half a century, beside the library's calendar; what stands behind a text is not its own.
TEST(HourOf, ReadsEveryHourOfTheCalendar) {
  std::mt19937 random(6);
  for (int i = 0; i < 3000; ++i) {
    const auto hour = static_cast<std::int64_t>(random() % (50 * 8766)) + 20 * 8766;
    const std::chrono::sys_days day(std::chrono::days(hour / 24));
    const std::chrono::year_month_day date(day);
    const int year = static_cast<int>(date.year());
    const auto month = static_cast<unsigned>(date.month());
    const auto of_month = static_cast<unsigned>(date.day());
    const auto clock = static_cast<int>(hour % 24);
    const int twelve = clock % 12 == 0 ? 12 : clock % 12;
    const std::string iso = fmt::format("{:04}-{:02}-{:02} {:02}:00:00", year, month, of_month, clock);
    EXPECT_EQ(grid_import::text_of_hour(hour), iso);
    for (const std::string& text :
         {iso, iso.substr(0, 16), fmt::format("{}/{}/{} {}:00", month, of_month, year, clock),
          fmt::format("{:02}/{:02}/{} {:02}:00:00 {}", month, of_month, year, twelve,
                      clock < 12 ? "AM" : "PM")}) {
      EXPECT_EQ(grid_import::hour_of(text), hour) << text;
      const std::string longer = text + "59";
      EXPECT_EQ(grid_import::hour_of(std::string_view(longer).substr(0, text.size())), hour) << text;
    }
    EXPECT_FALSE(
        grid_import::hour_of(fmt::format("{:04}-{:02}-{:02} {:02}:01", year, month, of_month, clock)));
    EXPECT_FALSE(grid_import::hour_of(fmt::format("{}/{}/{} {}:00:00 PM", month, of_month, year, 13)));
    EXPECT_FALSE(grid_import::hour_of(fmt::format("{}/{}/{} {}:00:00 AM", month, of_month, year, 0)));
  }
}

constexpr const char* kBalance =
    "Balancing Authority,Data Date,Hour Number,Local Time at End of Hour,UTC Time at End of Hour,Demand "
    "Forecast "
    "(MW),Demand (MW),Net Generation (MW),Total Interchange (MW),Demand (MW) (Adjusted),Net Generation (MW) "
    "(Adjusted),Region\n"
    "BPAT,06/30/2024,24,07/01/2024 12:00:00 AM,07/01/2024 7:00:00 AM,,90,120,,90,120,NW\n"
    "BPAT,07/01/2024,1,07/01/2024 1:00:00 AM,07/01/2024 8:00:00 AM,,\"1,000\",110,,95,110,NW\n"
    "BPAT,07/01/2024,2,07/01/2024 2:00:00 AM,07/01/2024 9:00:00 AM,,100,105,,100,105,NW\n"
    "BPAT,07/02/2024,2,07/02/2024 2:00:00 AM,07/02/2024 9:00:00 AM,,101,140,,101,140,NW\n"
    "NEVP,07/01/2024,2,07/01/2024 2:00:00 AM,07/01/2024 9:00:00 AM,,50,20,,50,20,NW\n";

// BPAT by hand: installed 180, firm 155. Reported: 1,000 MW is over 5 medians; max D 101, max NG 140, same
// hour 120 - 90 = 30 and 140 - 101 = 39: 39; 155 - 101 = 54.
TEST_F(GridImportTest, HoursFillTheAuthorities) {
  input.eia930 = {file("b.csv", kBalance)};
  const GridImport grid = import_grid(input);
  const auto bpat = [&](const char* column) {
    return cell(grid, "balancing_authorities.csv", "BPAT", column);
  };
  EXPECT_EQ(bpat("peak_demand_mw"), "101");
  EXPECT_EQ(bpat("peak_demand_utc"), "2024-07-02 09:00:00");
  EXPECT_EQ(bpat("peak_source"), "cleaned");
  EXPECT_EQ(bpat("raw_peak_demand_mw"), "1000");
  EXPECT_EQ(bpat("mean_demand_mw"), "97");
  EXPECT_EQ(bpat("installed_minus_peak_mw"), "79");
  EXPECT_EQ(bpat("firm_minus_peak_mw"), "54");
  EXPECT_EQ(bpat("paper_available_mw"), "39");
  EXPECT_EQ(bpat("paper_available_from"), "hours");
  EXPECT_EQ(bpat("implied_max_generation_mw"), "140");
  EXPECT_EQ(bpat("demand_window"), "2024-07-01/2024-07-02");
  EXPECT_EQ(cell(grid, "available_power.csv", "BPAT", "same_hour_mw"), "39");
  EXPECT_EQ(cell(grid, "available_power.csv", "BPAT", "demand_hours_dropped"), "1");
  EXPECT_EQ(cell(grid, "available_power.csv", "NEVP", "peaks_apart_mw"), "-30");
  EXPECT_EQ(cell(grid, "balancing_authorities.csv", "NEVP", "paper_available_mw"), "0");
  EXPECT_THAT(grid.notes.at("authorities of EIA-930 without plants"), ElementsAre("NEVP"));
  ASSERT_EQ(grid.surpluses.size(), 2);
  EXPECT_EQ(grid.surpluses[0].firm_surplus_mw, 54);
}

TEST_F(GridImportTest, AdjustedColumnsAndAWindowCanBeChosen) {
  input.eia930 = {file("b.csv", kBalance)};
  input.adjusted = true;
  EXPECT_EQ(cell(import_grid(input), "balancing_authorities.csv", "BPAT", "peak_source"), "raw");
  input.window = "2024-07-01/2024-07-01";
  EXPECT_EQ(cell(import_grid(input), "balancing_authorities.csv", "BPAT", "peak_demand_mw"), "100");
  input.window = "2025-07-01/2025-07-02";
  EXPECT_THAT(errors(), HasSubstr("holds no hour"));
  input.window = "2025-07-02/2025-07-01";
  EXPECT_THAT(errors(), HasSubstr("is not a window of time"));
}

TEST_F(GridImportTest, HoursThatStandTwiceAreNamedWithBothPlaces) {
  input.eia930 = {file("a.csv", kBalance), file("b.csv", kBalance)};
  EXPECT_THAT(errors(), HasSubstr("b.csv:2:5: hour 2024-07-01 07:00:00 UTC of BPAT stands twice, first in "));
  input.skip_bad_rows = true;
  EXPECT_EQ(cell(import_grid(input), "available_power.csv", "BPAT", "hours"), "4");
}

TEST_F(GridImportTest, BadHoursAreNamed) {
  input.eia930 = {
      file("b.csv", changed(kBalance, "07/01/2024 9:00:00 AM,,100", "07/01/2024 9:30:00 AM,,1,00"))};
  EXPECT_THAT(errors(),
              HasSubstr("b.csv:4:5: column 'UTC Time at End of Hour': '07/01/2024 9:30:00 AM' is not the end "
                        "of an hour"));
}

}  // namespace
}  // namespace trainyard
