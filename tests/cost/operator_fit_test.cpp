#include "trainyard/operator_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/document.h"
#include "base/errors.h"
#include "base/fields.h"
#include "catalog/catalog.h"
#include "cost/correction.h"
#include "cost/operator_series_fit.h"
#include "cost/operators.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

constexpr const char* kOwnSystem =
    "[operator_systems.own]\nname = \"own\"\naccelerator = \"h100-sxm\"\nprocessors = 132\nsource = \"us\"\n";

Catalog catalog_with(const std::string& text) {
  Catalog catalog = *shipped_catalog();
  Findings findings;
  extend_catalog(catalog, parse_document(std::make_shared<const SourceText>(SourceText{"own.toml", text})),
                 "", findings);
  findings.throw_if_any();
  return catalog;
}

/// Products of a machine that behaves as the closed form says, with constants of its own.
OperatorSeries made_products(const Catalog& catalog, double launch_us, double memory) {
  OperatorSeries series;
  series.key = {"own", "gemm", "bf16"};
  OperatorConstants truth;
  truth.system = "own";
  truth.operation = "gemm";
  truth.dtype = "bf16";
  truth.constants = {{"launch_us", launch_us}, {"memory", memory}};
  const OperatorCost cost = operator_cost(catalog, truth, series.key);
  for (double m = 1; m <= 16384; m *= 4) {
    for (double n = 64; n <= 16384; n *= 2) {
      for (double k = 64; k <= 16384; k *= 2)
        series.rows.push_back({gemm_shape(m, n, k), cost.gemm(m, n, k).si() * 1e6});
    }
  }
  return series;
}

TEST(OperatorFit, RecoversConstantsOfASyntheticMachine) {
  const Catalog catalog = catalog_with(kOwnSystem);
  const OperatorSeries made = made_products(catalog, 4.5, 0.6);
  const OperatorConstants found = fit_operator(made.key, made.rows, operator_context(catalog, made.key));
  EXPECT_NEAR(found.constants.at("launch_us"), 4.5, 0.3);
  EXPECT_NEAR(found.constants.at("memory"), 0.6, 0.04);
  const OperatorCost cost = operator_cost(catalog, found, made.key);
  std::vector<double> errors;
  for (const OperatorRow& row : made.rows)
    errors.push_back(std::abs(cost.time(row.shape).si() * 1e6 / row.time_us - 1) * 100);
  EXPECT_LT(operator_errors(errors).p90_pct, 2);
}

TEST(OperatorFit, PrintsATableThatTheCatalogReads) {
  const Catalog catalog = catalog_with(kOwnSystem);
  OperatorTable table;
  table.series.push_back(made_products(catalog, 4.5, 0.6));
  const OperatorFits fits = fit_operators(table, catalog);
  ASSERT_EQ(fits.operators.size(), 1U);
  EXPECT_GT(fits.operators[0].held_out_large.count, 20U);
  EXPECT_LT(fits.operators[0].held_out_large.median_pct, 2);
  const Catalog read = catalog_with(kOwnSystem + operator_tables(fits, "fitted \"here\""));
  const OperatorValidation validation = validate_operators(table, read);
  ASSERT_EQ(validation.headline.size(), 1U);
  EXPECT_LT(validation.headline[0].all.median_pct, 1);
  EXPECT_EQ(read.operators.at("own-gemm-bf16").info.source, "fitted \"here\", own table");
}

// An accelerator without constants takes operators that were fitted for it without another word.
TEST(OperatorFit, IsTakenByItsAccelerator) {
  const std::string device =
      "[accelerators.mine]\nname = \"Mine\"\nvendor = \"us\"\nyear = 2025\nmemory = \"80 GB\"\nmemory_rate = "
      "\"2 TB/s\"\ntdp = \"500 W\"\nprice = \"$20K\"\nscale_up_rate = \"3.6 Tbps\"\nhost_rate = \"63 GB/s\"\n"
      "source = \"us\"\n[accelerators.mine.dense]\nbf16 = \"500 TFLOP/s\"\n"
      "[operator_systems.own]\nname = \"own\"\naccelerator = \"mine\"\nprocessors = 132\nsource = \"us\"\n";
  const Catalog catalog = catalog_with(device);
  OperatorTable table;
  table.series.push_back(made_products(catalog, 4.5, 0.6));
  OperatorSeries few = made_products(catalog, 4.5, 0.6);
  few.key.dtype = "fp16";
  few.rows.resize(5);
  table.series.push_back(few);
  const OperatorFits fits = fit_operators(table, catalog);
  ASSERT_EQ(fits.too_few.size(), 1U);
  EXPECT_EQ(fits.too_few[0].key.dtype, "fp16");
  EXPECT_EQ(fits.too_few[0].rows, 5U);
  const std::string calibration = own_calibrations(fits, catalog, "fitted here");
  const Catalog read = catalog_with(device + operator_tables(fits, "fitted here") + calibration);
  ASSERT_EQ(calibration_key(read, "mine"), "mine");
  EXPECT_EQ(read.calibrations.at("mine").operators, "own");
  EXPECT_EQ(read.calibrations.at("mine").processors, 132);
  EXPECT_EQ(own_calibrations(fits, read, "fitted here"), "");
}

TEST(OperatorFit, DoesNotDependOnTheOrderOfRows) {
  const Catalog catalog = catalog_with(kOwnSystem);
  OperatorSeries made = made_products(catalog, 3, 0.8);
  const OperatorContext context = operator_context(catalog, made.key);
  const OperatorConstants forward = fit_operator(made.key, made.rows, context);
  std::reverse(made.rows.begin(), made.rows.end());
  const OperatorConstants backward = fit_operator(made.key, made.rows, context);
  EXPECT_EQ(forward.constants, backward.constants);
  EXPECT_EQ(forward.correction, backward.correction);
}

/// Large products of a machine that a lasting load slows by a quarter at the full peak.
OperatorSeries lasting_products(const Catalog& catalog, const OperatorSeries& bursts, std::size_t rows) {
  const OperatorConstants fitted =
      fit_operator(bursts.key, bursts.rows, operator_context(catalog, bursts.key));
  const OperatorCost cost = operator_cost(catalog, fitted, bursts.key);
  OperatorSeries out;
  out.key = bursts.key;
  out.sustained = true;
  for (double m = 8192; out.rows.size() < rows; m += 128) {
    const ShapeValues shape = gemm_shape(m, 8192, 8192);
    const double limited = (cost.peak_share(shape) - 0.4) / 0.6;
    out.rows.push_back({shape, cost.time(shape).si() * 1e6 * (1 + 0.25 * limited)});
  }
  return out;
}

TEST(OperatorFit, ALastingLoadIsFittedFromTwelveRowsOn) {
  const Catalog catalog = catalog_with(kOwnSystem);
  OperatorTable table;
  table.series.push_back(made_products(catalog, 3, 0.8));
  table.series.push_back(lasting_products(catalog, table.series[0], 11));
  EXPECT_TRUE(fit_operators(table, catalog).sustained.empty());
  table.series[1] = lasting_products(catalog, table.series[0], 12);
  const std::vector<SustainedFit> fits = fit_operators(table, catalog).sustained;
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_EQ(fits[0].system, "own");
  EXPECT_EQ(fits[0].rows, 12U);
  EXPECT_NEAR(fits[0].slowdown, 0.25, 1e-9);
}

TEST(OperatorFit, CollectivesNeedNoRates) {
  OperatorTable table;
  OperatorSeries series;
  series.key = {"cluster of mine", "all_gather", "bf16"};
  for (double bytes = 1024; bytes <= 512e6; bytes *= 2) {
    for (const double n : {2.0, 4.0, 8.0})
      series.rows.push_back({collective_shape(n, Bytes(bytes)), 10 + n + bytes * (n - 1) / n / 4e4});
  }
  table.series.push_back(series);
  const OperatorFits fits = fit_operators(table, *shipped_catalog());
  ASSERT_EQ(fits.operators.size(), 1U);
  EXPECT_LT(fits.operators[0].held_out_large.median_pct, 3);
  EXPECT_NEAR(fits.operators[0].entry.constants.at("rate_gb_s"), 40, 2);
}

// Times that lie above and below the closed form in turns, one row a knot. A correction c of the residual r
// costs w (r - c)^2 with the weight w = 1 / sqrt(1 + ((r - c) / 0.04)^2) of the round before, 0.01 c^2, and
// 0.1 times the square of its second difference, 4 c: in every round c = w r / (w + 0.01 + 0.1 * 16).
TEST(OperatorFit, CorrectionsWeighRowsAgainstSmoothness) {
  constexpr double kAside = 0.2;
  std::vector<OperatorRow> rows;
  for (int exponent = 8; exponent <= 30; ++exponent) {
    for (const double devices : {2.0, 4.0, 8.0}) {
      const double bytes = std::ldexp(1, exponent);
      const double moved = bytes * (devices - 1) / devices;
      const double us = 8 + (devices - 1) + std::min(moved / 20e3, 20 + moved / 200e3);
      rows.push_back(
          {collective_shape(devices, Bytes(bytes)), us * std::exp(exponent % 2 == 0 ? kAside : -kAside)});
    }
  }
  const OperatorConstants found = fit_operator({"own", "all_gather", "bf16"}, rows, OperatorContext());
  const auto correction = parse_correction(found.correction, 23 * 3);
  ASSERT_TRUE(correction);
  double wanted = 0;
  double weight = 1;
  for (int round = 0; round < 6; ++round) {
    wanted = weight * kAside / (weight + 0.01 + 0.1 * 16);
    weight = 1 / std::sqrt(1 + std::pow((kAside - wanted) / 0.04, 2));
  }
  double sum = 0;
  int count = 0;
  for (int exponent = 13; exponent <= 25; ++exponent) {  // away from the ends
    for (std::size_t devices = 0; devices < 3; ++devices, ++count)
      sum +=
          (exponent % 2 == 0 ? 1 : -1) * (*correction)[static_cast<std::size_t>(exponent - 8) * 3 + devices];
  }
  EXPECT_NEAR(sum / count, wanted, 0.01);  // in steps of 0.01
}

TEST(OperatorFit, ASystemWithoutRatesIsAnErrorThatSaysWhatToWrite) {
  OperatorTable table;
  OperatorSeries series = made_products(catalog_with(kOwnSystem), 3, 0.8);
  table.series.push_back(series);
  EXPECT_THROW(fit_operators(table, *shipped_catalog()), InputError);
}

}  // namespace
}  // namespace trainyard
