// Collectives of a library: simulated beside the closed form, both beside measurements.
#include "trainyard/library_validation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "catalog/catalog.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/operator_table.h"

namespace trainyard {
namespace {

TEST(LibraryValidation, SimulatedStepsTakeWhatTheClosedFormSays) {
  for (const char* system : {"a100_sxm", "h100_sxm", "b200_sxm"}) {
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "alltoall"}) {
      for (const double bytes : {2048.0, 5e5, 3e7, 1e9}) {
        const LibraryCall call{system, operation, 8, bytes};
        const LibraryRun best = library_run(*shipped_catalog(), call);
        for (const LibraryRun& run : library_candidates(*shipped_catalog(), call)) {
          const double simulated = simulated_library_time(*shipped_catalog(), call, run).si() * 1e6;
          // Protocols beyond their sizes may ask more than the link has, which only the simulation sees.
          const bool usual = run.algorithm == best.algorithm && run.protocol == best.protocol;
          EXPECT_NEAR(simulated / run.time_us(), 1, usual ? 0.015 : 0.05)
              << system << " " << operation << " " << bytes << " " << to_string(run.protocol);
        }
      }
    }
  }
}

TEST(LibraryValidation, MoreStepsThanFlowsAreSimulatedTogether) {
  const LibraryCall call{"h100_sxm", "all_reduce", 8, 1e15};
  const LibraryRun run = library_run(*shipped_catalog(), call);
  EXPECT_NEAR(simulated_library_time(*shipped_catalog(), call, run).si() * 1e6 / run.time_us(), 1, 0.02);
}

std::string measured_file() { return std::filesystem::path(TRAINYARD_OPERATOR_TABLES) / "nccl.csv.gz"; }

TEST(LibraryValidation, MediansByOperationAndSizeAreWithinAFewPercent) {
  if (!std::filesystem::exists(measured_file())) GTEST_SKIP() << "no measured collectives";
  const OperatorTable table = read_operator_tables({measured_file()}, *shipped_catalog());
  const LibraryValidation validation = validate_library(table, *shipped_catalog());
  ASSERT_GE(validation.sizes.size(), 80U);
  std::size_t far = 0, far_held_out = 0, held_out = 0;
  for (const LibraryJudgement& j : validation.sizes) {
    EXPECT_LT(std::abs(j.all.median_pct), 5) << j.operation << j.bytes;
    EXPECT_LT(std::abs(j.simulated.median_pct), 5) << j.operation << j.bytes;
    EXPECT_LT(j.all.median_absolute_pct, 5.5) << j.operation << j.bytes;
    far += j.all.median_absolute_pct > 5 || j.simulated.median_absolute_pct > 5 ? 1 : 0;
    held_out += j.held_out.count > 0 ? 1 : 0;
    far_held_out += j.held_out.median_absolute_pct > 5 ? 1 : 0;
  }
  EXPECT_LE(far, 3U);
  EXPECT_GE(held_out, 30U);
  EXPECT_LE(far_held_out, 3U);
  EXPECT_FALSE(validation.unknown.empty());  // PCIe systems
}

std::string refusal_of(const std::string& name, const std::string& text, bool fit) {
  try {
    const OperatorTable table = read_operator_table(text, name, *shipped_catalog());
    fit ? void(fitted_library_tables(table, *shipped_catalog(), "own"))
        : void(validate_library(table, *shipped_catalog()));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LibraryValidation, RowsOfMoreDevicesThanADomainHasAreRefusedInTheirPlace) {
  const std::string table =
      "system,operation,dtype,devices,bytes,time_us\nh100_sxm,all_reduce,fp16,8,1024,20\n"
      "h100_sxm,all_reduce,fp16,4096,1024,20\n";
  for (const bool fit : {false, true}) {
    const std::string said = refusal_of("own.csv", table, fit);
    EXPECT_NE(said.find("own.csv:3:1: error: 4096 devices"), std::string::npos) << said;
    EXPECT_NE(said.find("allowed: 2 to "), std::string::npos) << said;
  }
}

TEST(LibraryValidation, WhoAsksMeansWholeElements) {
  const LibraryCall call{"h100_sxm", "all_reduce", 8, 1025, 2};
  EXPECT_THROW(weigh_library_runs(*shipped_catalog(), call, {}, ""), InputError);
}

TEST(LibraryValidation, ConstantsOfAnUnknownSystemAreAskedFor) {
  OperatorTable table;
  table.series.push_back({{"l40s", "all_reduce", "fp16"}, "nccl", "", "", false, {{{2, 1024}, 5}}});
  EXPECT_THROW(validate_library(table, *shipped_catalog()), InputError);
}

}  // namespace
}  // namespace trainyard
