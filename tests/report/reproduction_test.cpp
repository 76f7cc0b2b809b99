#include "report/reproduction.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "trainyard/errors.h"

namespace trainyard {
namespace {

/// Rows that wait for siting and the packet-level network; this list may only shrink.
bool may_be_missing(const std::string& id) {
  for (const char* prefix : {"hn.fct.roce", "hn.fct.single_path", "hn.exposed."}) {
    if (id.starts_with(prefix)) return true;
  }
  return false;
}

TEST(Reproduction, EveryRowThatCanBeComputedIsWithinItsTolerance) {
  for (const ReproducedRow& row : reproduce("all")) {
    if (may_be_missing(row.id)) continue;
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

TEST(Reproduction, MissingRowsSayWhatTheyWaitFor) {
  for (const ReproducedRow& row : reproduce("all")) {
    if (row.verdict == Verdict::missing) {
      EXPECT_NE(row.note.find("not yet: needs"), std::string::npos) << row.id;
    }
  }
}

TEST(Reproduction, PapersCanBeAskedForAlone) {
  std::set<std::string> sources;
  for (const ReproducedRow& row : reproduce("railonly23")) sources.insert(row.source);
  EXPECT_EQ(sources, std::set<std::string>{"railonly23"});
  EXPECT_THROW(reproduce("railonly32"), InputError);
}

}  // namespace
}  // namespace trainyard
