#include "report/reproduction.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "trainyard/errors.h"

namespace trainyard {
namespace {

TEST(Reproduction, EveryRowIsWithinItsTolerance) {
  for (const ReproducedRow& row : reproduce("all")) {
    ASSERT_EQ(row.verdict, Verdict::ok) << row.id << ": published " << row.published << ", computed "
                                        << row.computed.value_or(-1) << " " << row.unit;
  }
}

TEST(Reproduction, OnlyARowWithoutToleranceIsABound) {
  for (const ReproducedRow& row : reproduce("all")) {
    if (!row.computed) continue;
    EXPECT_EQ(row.relation == "=", row.tolerance_pct.has_value()) << row.id;
  }
}

// Fig. 5's stored simulation gives how much longer pipeline transfers take: HotNets '24 section 6.3.
TEST(Reproduction, SinglePathSharesSayWhatSlowedThem) {
  int rows = 0;
  for (const ReproducedRow& row : reproduce("hotnets24")) {
    if (!row.id.starts_with("hn.exposed.single_path.")) continue;
    ++rows;
    EXPECT_NE(row.note.find("7 times, computed by"), std::string::npos) << row.note;
  }
  EXPECT_EQ(rows, 2);
}

TEST(Reproduction, PapersCanBeAskedForAlone) {
  std::set<std::string> sources;
  for (const ReproducedRow& row : reproduce("railonly23")) sources.insert(row.source);
  EXPECT_EQ(sources, std::set<std::string>{"railonly23"});
  EXPECT_THROW(reproduce("railonly32"), InputError);
}

}  // namespace
}  // namespace trainyard
