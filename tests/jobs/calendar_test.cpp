// Dates against those that `date -u -d ... +%s` of GNU coreutils gives.
#include <gtest/gtest.h>

#include <cmath>

#include "jobs/job_table.h"

namespace trainyard {
namespace {

TEST(Calendar, IsThatOfDate) {
  EXPECT_EQ(calendar_seconds("1970-01-01 00:00:00"), 0);
  EXPECT_EQ(calendar_seconds("2000-02-29 12:00:00"), 951825600);
  EXPECT_EQ(calendar_seconds("2000-03-01 00:00:00"), 951868800);
  EXPECT_EQ(calendar_seconds("2020-06-09 18:41:01"), 1591728061);
  EXPECT_EQ(calendar_seconds("2100-03-01 00:00:00"), 4107542400);
}

TEST(Calendar, KnowsZonesAndFractions) {
  EXPECT_EQ(calendar_seconds("2023-03-01 00:18:22+08:00"), *calendar_seconds("2023-02-28 16:18:22"));
  EXPECT_EQ(calendar_seconds("2023-03-01T00:18:22-0130"), *calendar_seconds("2023-03-01 01:48:22Z"));
  EXPECT_NEAR(*calendar_seconds("2023-03-01 00:18:22.125+00:00"),
              *calendar_seconds("2023-03-01 00:18:22") + 0.125, 1e-6);
}

TEST(Calendar, TakesNoDayThatIsNone) {
  for (const char* text :
       {"2023-02-29 00:00:00", "2023-13-01 00:00:00", "2023-00-01 00:00:00", "2023-04-31 00:00:00",
        "2023-04-30 24:00:00", "2023-04-30 12:60:00", "2023-04-30", "2023-04-30 12:00:00 PST",
        "1900-01-01 00:00:00", "-2023-04-30 12:00:00", "", "2023-04-30 12:00:00+99:00", "20230430120000"}) {
    EXPECT_FALSE(calendar_seconds(text)) << text;
  }
}

// Every day of four centuries follows the one before.
TEST(Calendar, DaysFollowEachOther) {
  double last = *calendar_seconds("1999-12-31 00:00:00");
  int days = 0;
  for (int year = 2000; year < 2400; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; day <= 31; ++day) {
        char text[32];
        std::snprintf(text, sizeof text, "%04d-%02d-%02d 00:00:00", year, month, day);
        const auto at = calendar_seconds(text);
        if (!at) continue;
        ASSERT_EQ(*at - last, 86400) << text;
        last = *at;
        ++days;
      }
    }
  }
  EXPECT_EQ(days, 146097);
}

}  // namespace
}  // namespace trainyard
