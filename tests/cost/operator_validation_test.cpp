#include "trainyard/operator_validation.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "cost/operators.h"
#include "trainyard/catalog.h"
#include "trainyard/files.h"
#include "trainyard/operator_fit.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

OperatorTable measured(const std::string& file) {
  const fs::path path = fs::path(TRAINYARD_OPERATOR_TABLES) / file;
  return read_operator_table(read_file(path.string()), path.string(), *shipped_catalog());
}

bool have_tables() { return fs::exists(fs::path(TRAINYARD_OPERATOR_TABLES) / "nccl.csv.gz"); }

TEST(OperatorErrors, MedianAndPercentileInterpolate) {
  const OperatorErrors errors = operator_errors({5, 1, 2, 4, 3, 6, 7, 8, 9, 10, 0});
  EXPECT_EQ(errors.count, 11U);
  EXPECT_NEAR(errors.median_pct, 5, 1e-12);
  EXPECT_NEAR(errors.p90_pct, 9, 1e-12);
  EXPECT_EQ(operator_errors({}).count, 0U);
}

TEST(OperatorValidation, HeadlineIsTheBackendThatWasFitted) {
  OperatorTable table;
  const auto add = [&](const std::string& backend, bool sustained, double us) {
    table.series.push_back(
        {{"h200_sxm", "gemm", "bf16"}, backend, "1", "", sustained, {{gemm_shape(8192, 8192, 8192), us}}});
  };
  add("vllm", false, 1);
  add("trtllm", false, 1500);
  add("trtllm", true, 1600);
  const OperatorValidation validation = validate_operators(table, *shipped_catalog());
  ASSERT_EQ(validation.headline.size(), 1U);
  EXPECT_EQ(validation.headline[0].backend, "trtllm");
  EXPECT_EQ(validation.headline[0].all.count, 1U);
  EXPECT_LT(validation.headline[0].all.median_pct, 20);
  EXPECT_EQ(validation.series.size(), 3U);
}

TEST(OperatorValidation, AnUnknownSystemSaysHowToFit) {
  OperatorTable table;
  table.series.push_back({{"h100_smx", "gemm", "bf16"}, "", "", "", false, {{gemm_shape(64, 64, 64), 5}}});
  try {
    validate_operators(table, *shipped_catalog());
    FAIL();
  } catch (const InputError& error) {
    const std::string text = describe(error.findings());
    EXPECT_NE(text.find("did you mean 'h100_sxm'"), std::string::npos) << text;
    EXPECT_NE(text.find("--fit"), std::string::npos) << text;
  }
}

TEST(OperatorValidation, AnUnknownSystemIsShownInItsTable) {
  try {
    validate_operators(read_operator_table("system,dtype,m,n,k,time_us\n\nmine,bf16,64,64,64,5\n", "own.csv",
                                           *shipped_catalog()),
                       *shipped_catalog());
    FAIL();
  } catch (const InputError& error) {
    const std::string text = describe(error.findings());
    EXPECT_TRUE(text.starts_with("own.csv:3:1: error: no constants of gemm in bf16 on 'mine'")) << text;
  }
}

// Constants fitted on four fifths of the collectives and of latent attention hold on the other fifth.
TEST(OperatorValidation, ShapesLeftOutArePredicted) {
  if (!have_tables()) GTEST_SKIP() << "no measured tables at " << TRAINYARD_OPERATOR_TABLES;
  std::vector<double> medians;
  for (const char* file : {"nccl.csv.gz", "mla_context.csv.gz"}) {
    for (const OperatorFit& fit : fit_operators(measured(file), *shipped_catalog()).operators) {
      // Eight GPUs over PCIe and switches of unknown topology are no cluster to train on.
      if (fit.entry.system == "l40s" || fit.entry.system == "rtx_pro_6000_server") continue;
      medians.push_back(fit.held_out_large.median_pct);
    }
  }
  const OperatorErrors errors = operator_errors(medians);
  EXPECT_GT(errors.count, 30U);
  EXPECT_LT(errors.median_pct, 5);
}

// The shipped constants on the tables that they were fitted on: median 5%, 90th percentile 15% of large
// shapes.
TEST(OperatorValidation, ShippedConstantsHoldOnMeasuredAttention) {
  if (!have_tables()) GTEST_SKIP() << "no measured tables at " << TRAINYARD_OPERATOR_TABLES;
  const OperatorValidation validation =
      validate_operators(measured("attention_context.csv.gz"), *shipped_catalog());
  EXPECT_GT(validation.headline.size(), 10U);
  for (const JudgedOperators& j : validation.headline) {
    EXPECT_LT(j.large.median_pct, 5) << j.key.system << " " << j.key.dtype;
    EXPECT_LT(j.large.p90_pct, 15) << j.key.system << " " << j.key.dtype;
  }
}

}  // namespace
}  // namespace trainyard
