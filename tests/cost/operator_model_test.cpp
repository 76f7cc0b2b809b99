#include "cost/operator_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "cost/correction.h"
#include "cost/operators.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

const std::vector<std::string> kDatacenterSystems = {"a100_sxm", "h100_sxm", "h200_sxm", "b200_sxm",
                                                     "b300_sxm", "gb200",    "gb300"};

OperatorCost shipped(const std::string& system, const std::string& operation,
                     const std::string& dtype = "bf16") {
  return operator_cost(*shipped_catalog(), {system, operation, dtype});
}

TEST(OperatorModels, EveryShippedEntryCanBeEvaluated) {
  const Catalog& catalog = *shipped_catalog();
  ASSERT_GT(catalog.operators.size(), 100U);
  for (const auto& [key, entry] : catalog.operators) {
    if (entry.kernel == "steps") continue;  // library_collectives_test.cpp
    const std::string dtype = entry.dtype.empty() ? "fp16" : entry.dtype;
    EXPECT_NO_THROW(
        operator_cost(catalog, {entry.system, entry.operation, dtype, entry.kv_dtype, entry.kernel}))
        << key;
  }
}

// No product beats 2 m n k at the dense peak, nor weights that no cache holds the memory rate.
TEST(OperatorModels, NoProductBeatsTheRoofs) {
  for (const std::string& system : kDatacenterSystems) {
    const OperatorCost cost = shipped(system, "gemm");
    for (double m = 1; m <= 65536; m *= 4) {
      for (double n = 64; n <= 65536; n *= 4) {
        for (double k = 64; k <= 65536; k *= 4) {
          const double us = cost.gemm(m, n, k).si() * 1e6;
          EXPECT_GE(us * cost.context().flop_per_us * (1 + 1e-12), 2 * m * n * k);
          if (2 * n * k >= 512e6) {
            EXPECT_GE(us * cost.context().bytes_per_us * (1 + 1e-12), 2 * n * k);
          }
        }
      }
    }
  }
}

// Twice the work of a large operator takes longer, and at most a little more than twice as long.
TEST(OperatorModels, LargeOperatorsGrowWithTheirWork) {
  for (const std::string& system : kDatacenterSystems) {
    const OperatorCost gemm = shipped(system, "gemm");
    const OperatorCost attention = shipped(system, "attention");
    for (double m = 2048; m <= 65536; m *= 2) {
      const double ratio = gemm.gemm(2 * m, 8192, 8192) / gemm.gemm(m, 8192, 8192);
      EXPECT_GT(ratio, 1.5) << system << " " << m;
      EXPECT_LT(ratio, 2.4) << system << " " << m;
    }
    for (double s = 2048; s <= 16384; s *= 2) {
      const double ratio = attention.time(attention_shape(1, 2 * s, 32, 8, 128)) /
                           attention.time(attention_shape(1, s, 32, 8, 128));
      EXPECT_GT(ratio, 2) << system << " " << s;  // between linear and quadratic
      EXPECT_LT(ratio, 4.8) << system << " " << s;
    }
  }
}

TEST(OperatorModels, CollectivesHaveALatencyAndARate) {
  for (const std::string& system : kDatacenterSystems) {
    const OperatorCost cost = shipped(system, "all_reduce", "fp16");
    EXPECT_GT(cost.collective(2, Bytes(8)).si(), 1e-6) << system;
    const double ratio = cost.collective(4, Bytes(1024e6)) / cost.collective(4, Bytes(512e6));
    EXPECT_NEAR(ratio, 2, 0.1) << system;
  }
}

TEST(OperatorModels, SustainedProductsAreSlowerThanBursts) {
  const OperatorCost cost = shipped("h200_sxm", "gemm");
  const double ratio = cost.sustained(gemm_shape(8192, 8192, 8192)) / cost.gemm(8192, 8192, 8192);
  EXPECT_GT(ratio, 1.05);  // 697 against 761 TFLOP/s were measured: 1.09
  EXPECT_LT(ratio, 1.2);
  EXPECT_EQ(cost.sustained(gemm_shape(1, 4096, 4096)), cost.gemm(1, 4096, 4096));
}

TEST(OperatorModels, ExpertsOfOneRankCostLessThanThoseOfAll) {
  const OperatorCost cost = shipped("h100_sxm", "moe");
  ExpertShape shape{8192, 4096, 1536, 8, 128, 1, 1};
  const Seconds whole = cost.time(expert_shape(shape));
  shape.expert_parallel = 8;
  EXPECT_LT(cost.time(expert_shape(shape)), whole / 3);
}

TEST(OperatorModels, ExtremeShapesStayFinite) {
  for (const auto& [key, entry] : shipped_catalog()->operators) {
    if (entry.kernel == "steps") continue;  // library_collectives_test.cpp
    const std::string dtype = entry.dtype.empty() ? "fp16" : entry.dtype;
    const OperatorCost cost =
        operator_cost(*shipped_catalog(), entry, {entry.system, entry.operation, dtype, entry.kv_dtype});
    for (const double value : {1.0, 3.0, 1e4, 1e15}) {
      ShapeValues shape{};
      for (std::size_t i = 0; i < cost.model().columns().size(); ++i)
        shape[i] = std::max(value, cost.model().columns()[i].least);
      const double time = cost.time(shape).si();
      EXPECT_TRUE(std::isfinite(time) && time > 0) << key << " " << value << " " << time;
    }
  }
}

TEST(OperatorModels, AMissingEntrySaysHowToFitIt) {
  try {
    shipped("h100_sxm", "gemm", "nvfp4");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(describe(error.findings()).find("--fit"), std::string::npos);
  }
}

TEST(Corrections, LettersAreReadBack) {
  const std::vector<CorrectionTable> tables = {{{{0, {0, 1, 2}}, {1, {0, 1}}}}};
  const std::vector<double> values = {0, 0.01, -0.26, 0.26, -1.5, 0.03};
  const std::string text = correction_text(tables, values);
  EXPECT_EQ(text, ".aZz(-150)c");
  const auto read = parse_correction(text, 6);
  ASSERT_TRUE(read);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR((*read)[i], values[i], 1e-12);
}

TEST(Corrections, DamagedTextIsRefused) {
  for (const char* text : {"abc", "abcdefg", "ab(cdef", "ab(9999999)def", "abc#ef", "(", "abcdef("})
    EXPECT_FALSE(parse_correction(text, 6)) << text;
}

// Between knots that do not rise nothing can be weighed.
TEST(Corrections, LieOnKnotsThatRise) {
  for (const std::string& operation : operation_names()) {
    for (const CorrectionTable& table : find_operator_model(operation)->tables()) {
      for (const CorrectionAxis& axis : table.axes) {
        EXPECT_LT(axis.coordinate, kMostCoordinates);
        ASSERT_GE(axis.knots.size(), 2U);
        for (std::size_t i = 1; i < axis.knots.size(); ++i)
          EXPECT_LT(axis.knots[i - 1], axis.knots[i]) << operation << " " << axis.coordinate;
      }
    }
  }
}

/// Sum of the knots of all axes, each times its place in its axis and the number of its axis.
double knots_of(const OperatorModel& model) {
  double sum = 0;
  double axis_number = 0;
  for (const CorrectionTable& table : model.tables()) {
    for (const CorrectionAxis& axis : table.axes) {
      axis_number += 1;
      for (std::size_t i = 0; i < axis.knots.size(); ++i)
        sum += axis_number * static_cast<double>(i + 1) * axis.knots[i];
    }
  }
  return sum;
}

// catalog/operators.toml holds values at knots, not the knots: where these sums change, the corrections of
// all entries have to be fitted again (trainyard validate --operators FILE --fit).
TEST(Corrections, BelongToTheKnotsTheyWereFittedOn) {
  EXPECT_NEAR(knots_of(gemm_model()), 2610, 1e-9);
  EXPECT_NEAR(knots_of(attention_model()), 17232.55, 1e-9);
  EXPECT_NEAR(knots_of(latent_attention_model()), 3047.6, 1e-9);
  EXPECT_NEAR(knots_of(expert_model()), 66203.8, 1e-9);
  EXPECT_NEAR(knots_of(collective_model()), 6284, 1e-9);
}

TEST(Corrections, AreLinearBetweenKnotsAndConstantOutside) {
  const std::vector<CorrectionTable> tables = {{{{0, {0, 2}}, {1, {0, 4}}}}};
  const std::vector<double> values = {0, 4, 2, 6};  // x + y
  EXPECT_NEAR(correction_at(tables, values, {1, 1}), 2, 1e-12);
  EXPECT_NEAR(correction_at(tables, values, {0.5, 3}), 3.5, 1e-12);
  EXPECT_NEAR(correction_at(tables, values, {9, 9}), 6, 1e-12);
  EXPECT_NEAR(correction_at(tables, values, {-9, -9}), 0, 1e-12);
}

}  // namespace
}  // namespace trainyard
