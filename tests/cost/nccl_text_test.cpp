#include "cost/nccl_text.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "cost/operators.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

// The layout of nccl-tests 2.13 (src/common.cu, PRINT of the header and of a row).
std::string text_of(const std::string& redop, const std::string& busbw) {
  return "# nThread 1 nGpus 2 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20 agg "
         "iters: 1\n"
         "#\n"
         "# Using devices\n"
         "#  Rank  0 Group  0 Pid   1234 on      node1 device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
         "#  Rank  1 Group  0 Pid   1234 on      node1 device  1 [0x43] NVIDIA H100 80GB HBM3\n"
         "#\n"
         "#                                                              out-of-place                       "
         "in-place\n"
         "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "
         "algbw   busbw #wrong\n"
         "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  "
         "(GB/s)  (GB/s)\n"
         "        1024           256     float     " +
         redop + "      -1     6.12    0.20    " + busbw +
         "      0     6.07    0.17    0.17      0\n"
         "        2048           512     float     " +
         redop + "      -1     6.29    0.20    " + busbw +
         "      0     6.33    0.32    0.32    N/A\n"
         "# Out of bounds values : 0 OK\n"
         "# Avg bus bandwidth    : 0.25\n";
}

OperatorTable read(const std::string& text, const std::string& name = "out.txt") {
  return read_operator_table(text, name, *shipped_catalog());
}

TEST(NcclText, RowsRanksAndSystemAreRead) {
  const OperatorTable table = read(text_of("sum", "0.20"));
  ASSERT_EQ(table.series.size(), 1U);
  const OperatorSeries& series = table.series[0];
  EXPECT_EQ(series.key.system, "h100_sxm");
  EXPECT_EQ(series.key.operation, "all_reduce");
  EXPECT_EQ(series.key.dtype, "fp32");
  ASSERT_EQ(series.rows.size(), 2U);
  EXPECT_EQ(series.rows[0].shape, collective_shape(2, Bytes(1024)));
  EXPECT_EQ(series.rows[0].time_us, 6.12);  // out of place
}

TEST(NcclText, WrongResultsAreNoTimes) {
  std::string text = text_of("sum", "0.20");
  const std::string right = "0.20    0.20      0     6.33";
  const std::size_t at = text.find(right);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, right.size(), "0.20    0.20      7     6.33");
  try {
    read(text);
    ADD_FAILURE() << "no finding";
  } catch (const InputError& error) {
    ASSERT_EQ(error.findings().size(), 1U);
    EXPECT_EQ(error.findings()[0].where.line, 11);
    EXPECT_NE(error.findings()[0].message.find("'#wrong'"), std::string::npos);
  }
}

TEST(NcclText, BusOverAlgorithmRateTellsASum) {
  EXPECT_EQ(read(text_of("sum", "0.10")).series.at(0).key.operation, "reduce_scatter");
}

TEST(NcclText, EachRunOfATextHasItsOwnRanks) {
  std::string four = text_of("sum", "0.20");
  const std::string rank =
      "#  Rank  1 Group  0 Pid   1234 on      node1 device  1 [0x43] NVIDIA H100 80GB HBM3\n";
  four.insert(four.find(rank), rank + rank);
  const OperatorTable table = read("\xEF\xBB\xBF" + text_of("sum", "0.20") + four, "all_reduce.txt");
  ASSERT_EQ(table.series.size(), 1U);
  ASSERT_EQ(table.series[0].rows.size(), 4U);
  EXPECT_EQ(table.series[0].rows[0].shape, collective_shape(2, Bytes(1024)));
  EXPECT_EQ(table.series[0].rows[2].shape, collective_shape(4, Bytes(1024)));
}

TEST(NcclText, LaunchersMaySpeakFirst) {
  EXPECT_EQ(read("Warning: Permanently added 'node1'\n" + text_of("sum", "0.20")).series.at(0).rows.size(),
            2U);
}

TEST(NcclText, RowsThatAreCutOffAreRefused) {
  const std::string text = text_of("sum", "0.20");
  const std::size_t row = text.find("        2048");
  const std::size_t end = text.find('\n', row);
  for (std::size_t at = row + 14; at + 4 < end; ++at)  // within the last word nothing tells
    EXPECT_THROW(read(text.substr(0, at)), InputError) << text.substr(row, at - row);
  EXPECT_EQ(read(text.substr(0, end)).series.at(0).rows.size(), 2U);
}

TEST(NcclText, FileAndHeaderNameTheOperation) {
  EXPECT_EQ(read(text_of("none", "0.10"), "alltoall_perf.log").series.at(0).key.operation, "alltoall");
  EXPECT_EQ(read("# Collective test starting: all_gather_perf\n" + text_of("none", "0.10"))
                .series.at(0)
                .key.operation,
            "all_gather");
  EXPECT_THROW(read(text_of("none", "0.10"), "all_reduce.txt"), InputError);  // 'none' is no sum
  EXPECT_THROW(read(text_of("none", "0.10")), InputError);
}

/// The layout of versions of 2022 and before (as in issue 107 of nccl-tests): no root, a relative error.
TEST(NcclText, TimesStandWhereTheHeaderSays) {
  const std::string older =
      "#  Rank  0 Pid   1320 on node1 device  0 [0x00] Tesla V100-SXM2-16GB\n"
      "#  Rank  1 Pid   2066 on node2 device  0 [0x00] Tesla V100-SXM2-16GB\n"
      "#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw "
      " "
      "error\n"
      "        1024           256     float     sum     6.12    0.20    0.20  0e+00     6.07    0.17    0.17 "
      " "
      "0e+00\n";
  const OperatorTable table = read(older);
  EXPECT_EQ(table.series.at(0).key.operation, "all_reduce");
  EXPECT_EQ(table.series.at(0).rows.at(0).time_us, 6.12);
  const std::string no_check =  // and one half of the columns
      older.substr(0, older.find("#       size")) +
      "#  size  count  type  redop  root  time  algbw  busbw\n  1024  256  float  sum  -1  6.12  0.20  "
      "0.10\n";
  EXPECT_EQ(read(no_check).series.at(0).rows.at(0).time_us, 6.12);
  EXPECT_EQ(read(no_check).series.at(0).key.operation, "reduce_scatter");
}

TEST(NcclText, ATextWithoutARowIsRefusedAtItsBeginning) {
  try {
    read("nothing\n", "all_reduce_perf.log");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.findings().front().where.line, 1);
    EXPECT_EQ(e.findings().front().where.column, 1);
  }
}

TEST(NcclText, AnUnknownDeviceIsASystemOfItsOwn) {
  std::string text = text_of("sum", "0.20");
  for (std::size_t at = 0; (at = text.find("NVIDIA H100 80GB HBM3", at)) != std::string::npos;)
    text.replace(at, 21, "Some Chip-X (TM)");
  EXPECT_EQ(read(text).series.at(0).key.system, "some_chip_x_tm");
}

TEST(NcclText, RanksHaveToBeKnown) {
  const std::string text = text_of("sum", "0.20");
  EXPECT_THROW(read(text.substr(text.find("#                "))), InputError);
}

}  // namespace
}  // namespace trainyard
