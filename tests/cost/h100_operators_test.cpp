// The passes that no table has, as one H100 took them under load (data/h100_operators.csv;
// docs/validation.md, "One H100"): backward products and attention, sums of gradients, tokens sorted by
// PyTorch's kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/csv.h"
#include "catalog/catalog.h"
#include "cost/measured_operators.h"
#include "cost/operator_clock.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/model.h"

namespace trainyard {
namespace {

struct Row {
  std::string operation, kernel;
  std::map<std::string, double> shape;
  double sustained_us = 0;
};

std::vector<Row> read_rows() {
  std::ifstream file(TRAINYARD_H100_OPERATORS);
  std::stringstream text;
  text << file.rdbuf();
  std::vector<Row> out;
  for (const std::vector<std::string>& fields : parse_csv(text.str())) {
    if (fields[0] == "operation") continue;
    Row row{.operation = fields[0], .kernel = fields[1], .shape = {}, .sustained_us = std::stod(fields[5])};
    std::istringstream words(fields[3]);
    for (std::string word; words >> word;) {
      const std::size_t at = word.find('=');
      row.shape[word.substr(0, at)] = std::stod(word.substr(at + 1));
    }
    out.push_back(row);
  }
  return out;
}

/// ln(predicted / measured), by size.
struct Errors {
  std::vector<double> all;

  void add(Seconds predicted, double measured_us) {
    all.push_back(std::log(predicted.si() * 1e6 / measured_us));
  }
  double mean_size() const {
    double sum = 0;
    for (const double e : all) sum += std::abs(e);
    return sum / static_cast<double>(all.size());
  }
  double median_size() const {
    std::vector<double> sizes;
    for (const double e : all) sizes.push_back(std::abs(e));
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2),
                     sizes.end());
    return sizes[sizes.size() / 2];
  }
};

/// With the constants of operators alone: no training run has moved them.
class OneH100 : public ::testing::Test {
 protected:
  static const Calibration& constants() { return shipped_catalog()->calibrations.at("h100-operators"); }

  static OperatorClock clock(const Calibration& c) {
    const Accelerator& a = shipped_catalog()->accelerators.at("h100-sxm");
    const FlopRate peak = a.dense.at(Precision::bf16).value();
    return {c,
            peak,
            peak,
            a.memory_rate,
            Precision::bf16,
            measured_operators(*shipped_catalog(), {.operators = c.operators,
                                                    .attention_kernel = c.attention_kernel,
                                                    .precision = Precision::bf16,
                                                    .peak = peak,
                                                    .peak_low = peak,
                                                    .memory = a.memory_rate,
                                                    .launch = c.launch})};
  }

  static Operator product_of(const Row& row) {
    Operator op;
    op.matmul = true;
    op.shape = {row.shape.at("rows"), row.shape.at("inner"), row.shape.at("columns"), 1,
                ShardedDimension::nothing};
    return op;
  }

  static Errors weight_gradients(bool accumulates, const Calibration& c) {
    Errors out;
    for (const Row& row : rows_) {
      if (row.kernel != "weight_gradient_added_fp32") continue;
      const DeviceShare share = {.gradient_bytes = 4, .accumulates = accumulates};
      out.add(clock(c).times(product_of(row), share).weight_gradient, row.sustained_us);
    }
    return out;
  }

  inline static const std::vector<Row> rows_ = read_rows();
};

TEST_F(OneH100, SustainsTheProductsOfTheTables) {
  Errors errors;
  for (const Row& row : rows_) {
    if (row.operation == "product" && row.kernel == "forward")
      errors.add(clock(constants()).times(product_of(row), {}).forward, row.sustained_us);
  }
  ASSERT_EQ(errors.all.size(), 59U);
  EXPECT_LT(errors.median_size(), 0.03);
  EXPECT_LT(errors.mean_size(), 0.04);
}

TEST_F(OneH100, WeightGradientsPayForTheSumThatTheyAddTo) {
  EXPECT_LT(weight_gradients(true, constants()).mean_size(), 0.05);
  EXPECT_GT(weight_gradients(false, constants()).mean_size(), 0.09);
  Calibration c = constants();
  c.accumulation_blend = 1;
  EXPECT_GT(weight_gradients(true, c).mean_size(), 0.06) << "they hide most of it";
}

TEST_F(OneH100, AttentionTakesBackwardWhatTheConstantSays) {
  Errors forward;
  Errors backward;
  for (const Row& row : rows_) {
    if (row.operation != "attention" || row.shape.at("sequence") < 4096) continue;
    Operator op;
    op.matmul = op.attention_matrix = true;
    op.role = OperatorRole::attention_scores;
    const double s = row.shape.at("sequence");
    op.shape = {s, row.shape.at("head_dim"), s, row.shape.at("heads"), ShardedDimension::nothing};
    const DeviceShare share = {.microbatch = row.shape.at("batch"),
                               .queries_per_key = row.shape.at("heads") / row.shape.at("kv_heads")};
    // The clock gives one of two products.
    const OperatorTimes times = clock(constants()).times(op, share);
    if (row.kernel == "cudnn_forward") forward.add(2 * times.forward, row.sustained_us);
    if (row.kernel == "cudnn_backward") backward.add(2 * times.input_gradient, row.sustained_us);
  }
  ASSERT_EQ(backward.all.size(), 11U);
  EXPECT_LT(forward.mean_size(), 0.08);
  EXPECT_LT(backward.mean_size(), 0.08);
}

TEST_F(OneH100, TokensThatPyTorchSortsTakeItsKernels) {
  const auto measured = [&](const std::string& kernel, const Row& like) {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.operation == "permutation" && row.kernel == kernel && row.shape == like.shape;
    });
    return found == rows_.end() ? 0 : found->sustained_us;
  };
  Errors forward;
  Errors backward;
  for (const Row& row : rows_) {
    if (row.operation != "permutation" || row.kernel != "index_select") continue;
    const double k = row.shape.at("experts_per_token");
    Operator op;
    op.role = OperatorRole::permutation;
    op.activation_elements = 2 * (1 + k) * row.shape.at("tokens") * row.shape.at("hidden");
    const OperatorTimes times = clock(constants()).times(op, {.unfused = 1, .unfused_permutation = k});
    const double weighed = measured("probabilities", row);
    forward.add(times.forward, row.sustained_us + weighed + measured("scatter_add", row));
    const double gathered = measured("gather", row) + measured("index_add", row);
    if (const double sums = measured("weight_gradient_of_probabilities", row); sums > 0)
      backward.add(times.input_gradient, gathered + weighed + sums);
  }
  ASSERT_EQ(forward.all.size(), 6U);
  ASSERT_EQ(backward.all.size(), 3U);
  EXPECT_LT(forward.mean_size(), 0.08);
  EXPECT_LT(backward.mean_size(), 0.08);
}

TEST_F(OneH100, LossOfTorchtitanTakesItsBytes) {
  const Software& program = shipped_catalog()->software.at("torchtitan");
  const std::map<std::string, double> bytes = {
      {"cross_entropy_eager", program.loss_bytes.value()},
      {"cross_entropy_compiled", program.compiled_loss_bytes.value()}};
  Errors errors;
  for (const Row& row : rows_) {
    const auto own = bytes.find(row.kernel);
    if (own == bytes.end()) continue;
    Operator op;
    op.role = OperatorRole::cross_entropy;
    op.activation_elements = op.eager_elements = 2 * row.shape.at("rows") * row.shape.at("columns");
    errors.add(clock(constants()).times(op, {.unfused = 1, .loss_bytes = own->second}).forward,
               row.sustained_us);
  }
  ASSERT_EQ(errors.all.size(), 2U);
  EXPECT_LT(errors.mean_size(), 0.04);
}

TEST_F(OneH100, RoutersThatNobodyFusedTakePyTorchsKernels) {
  std::map<std::map<std::string, double>, double> forward;
  std::map<std::map<std::string, double>, double> capacity;
  for (const Row& row : rows_) {
    if (row.kernel == "topk_map" || row.kernel == "aux") forward[row.shape] += row.sustained_us;
    if (row.kernel == "capacity") capacity[row.shape] = row.sustained_us;
  }
  Errors router;
  Errors dropping;
  for (const auto& [shape, measured] : forward) {
    if (shape.at("experts") < 128) continue;  // few experts: tokens alone decide
    Operator op;
    op.role = OperatorRole::routing;
    op.activation_elements = shape.at("tokens") * shape.at("experts");
    const OperatorTimes times = clock(constants()).times(op, {.unfused = 1, .unfused_router = true});
    router.add(times.forward, measured);
    const OperatorTimes both =
        clock(constants()).times(op, {.unfused = 1, .unfused_router = true, .dropped_tokens = true});
    dropping.add(both.forward - times.forward, capacity.at(shape));
  }
  ASSERT_EQ(router.all.size(), 4U);
  EXPECT_LT(router.mean_size(), 0.1);
  EXPECT_LT(dropping.mean_size(), 0.08);
}

}  // namespace
}  // namespace trainyard
