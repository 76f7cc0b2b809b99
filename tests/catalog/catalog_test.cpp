#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/hash.h"
#include "trainyard/catalog.h"
#include "trainyard/files.h"

namespace trainyard {
namespace {

Catalog extended(const std::string& text) {
  Catalog catalog = *shipped_catalog();
  Findings findings;
  extend_catalog(catalog, parse_document(std::make_shared<const SourceText>(SourceText{"mine.toml", text})),
                 "", findings);
  check_references(catalog, findings);
  findings.throw_if_any();
  return catalog;
}

std::string refused(const std::string& text) {
  try {
    extended(text);
  } catch (const InputError& error) {
    return describe(error.findings());
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

TEST(Catalog, ItsVersionIsTheHashOfItsFiles) {
  TextHash all;
  for (const char* kind :
       {"accelerators", "hb_domains", "calibrations", "operator_systems", "operators", "software", "nics",
        "switches", "circuit_switches", "links", "prices", "models", "failures", "assumptions"})
    all.add(read_file(std::string(TRAINYARD_SOURCE_DIR "/catalog/") + kind + ".toml"));
  EXPECT_EQ(shipped_catalog()->version(), all.digits());
}

TEST(Catalog, ShippedKindsAreReadAlone) {
  Catalog whole;
  extend_from_folder(whole, TRAINYARD_SOURCE_DIR "/catalog");
  Findings findings;
  check_references(whole, findings);
  EXPECT_TRUE(findings.empty());
  const Catalog& shipped = *shipped_catalog();
  for (const CatalogKind& kind : catalog_kinds()) {
    ASSERT_EQ(kind.keys(shipped), kind.keys(whole));
    for (const std::string& key : kind.keys(whole))
      EXPECT_EQ(kind.entry(shipped, key), kind.entry(whole, key)) << key;
  }
}

TEST(Catalog, ACopysChangesAreItsOwn) {
  Catalog mine = *shipped_catalog();
  EXPECT_TRUE(mine.nics.as_read());
  mine.nics["mine"].ports = 3;
  EXPECT_FALSE(mine.nics.as_read());
  Catalog copy = mine;
  copy.nics.at("mine").ports = 4;
  EXPECT_EQ(mine.nics.at("mine").ports, 3);
  EXPECT_EQ(copy.nics.find("mine")->ports, 4);
  EXPECT_FALSE(shipped_catalog()->nics.contains("mine"));
  EXPECT_EQ(mine.nics.size(), shipped_catalog()->nics.size() + 1);
}

TEST(Catalog, EveryEntryNamesItsSource) {
  const Catalog& catalog = *shipped_catalog();
  for (const CatalogKind& kind : catalog_kinds()) {
    EXPECT_FALSE(kind.keys(catalog).empty()) << kind.name;
    for (const std::string& key : kind.keys(catalog))
      EXPECT_FALSE(kind.info(catalog, key).source.empty()) << key;
  }
}

TEST(Catalog, AFieldsOwnSourceNamesAFieldOfTheEntry) {
  const Catalog& catalog = *shipped_catalog();
  for (const CatalogKind& kind : catalog_kinds()) {
    for (const std::string& key : kind.keys(catalog)) {
      const auto entry = kind.entry(catalog, key);
      for (const auto& [field, unused] : kind.info(catalog, key).sources) {
        EXPECT_TRUE(std::any_of(entry.begin(), entry.end(),
                                [&name = field](const auto& f) { return f.first == name; }))
            << key << "." << field;
      }
    }
  }
}

TEST(Catalog, AVendorsSumOfBothDirectionsIsTwiceTheStoredRate) {
  for (const auto& [key, a] : shipped_catalog()->accelerators) {
    if (!a.vendor_scale_up_rate || a.vendor_scale_up_rate_counts != RateCounts::both_directions ||
        key == "rubin-ultra")
      continue;
    EXPECT_DOUBLE_EQ(a.vendor_scale_up_rate->si(), 2 * a.scale_up_rate.si()) << key;
  }
}

TEST(Catalog, SparseRatesAreAboveDenseOnesAndNarrowFormatsAboveWideOnes) {
  for (const auto& [key, a] : shipped_catalog()->accelerators) {
    for (std::size_t i = 0; i < kPrecisionCount; ++i) {
      if (!a.dense.by_precision[i] || !a.sparse.by_precision[i]) continue;
      EXPECT_GT(*a.sparse.by_precision[i], *a.dense.by_precision[i]) << key;
    }
    const auto& wide = a.dense.at(Precision::bf16);
    const auto& narrow = a.dense.at(Precision::fp8);
    EXPECT_TRUE(!wide || !narrow || *narrow >= *wide) << key;
  }
}

TEST(Catalog, SwitchesSplitTheirWholeCapacityIntoAsManyPortsAsTheyHave) {
  for (const auto& [key, s] : shipped_catalog()->switches) {
    std::int64_t before = 0;
    for (const PortSplit& split : s.radix) {
      const double capacity = static_cast<double>(split.ports) * split.rate.si();
      // With the most ports, slower ones leave capacity idle.
      if (split.ports != before) {
        EXPECT_DOUBLE_EQ(capacity, s.capacity.si()) << key << " " << split.ports;
      }
      EXPECT_GE(split.ports, before) << key;
      EXPECT_LE(capacity, s.capacity.si()) << key << " " << split.ports;
      before = split.ports;
    }
  }
}

TEST(Catalog, ATomahawk5HasNoMorePortsThanItsBriefSays) {
  const Catalog& c = *shipped_catalog();
  for (const PortSplit& split : c.switches.at("tomahawk5").radix) EXPECT_LE(split.ports, 256);
  EXPECT_EQ(c.switches.at("tomahawk5-lanes").radix.back().ports, 512);
}

TEST(Catalog, HoldsWhatIsPromised) {
  const Catalog& c = *shipped_catalog();
  for (const char* key : {"v100", "a100-40", "a100-80", "h100-sxm", "h200", "gh200", "b200", "gb200", "gb300",
                          "mi300x", "tpu-v4", "tpu-v5p", "gaudi3"}) {
    EXPECT_TRUE(c.accelerators.contains(key)) << key;
  }
  for (const char* key : {"gpt3-175b", "opt-175b", "palm-540b", "llama2-70b", "llama3-405b", "mixtral-8x7b",
                          "deepseek-v3", "megatron-1t", "dense-100t", "moe-100t"}) {
    EXPECT_TRUE(c.models.contains(key)) << key;
  }
}

TEST(Catalog, AUsersTableChangesOnlyWhatItNames) {
  const Catalog c = extended("[hb_domains.nvl72-gb200]\nprice = \"$2M\"\nsource = \"a quote\"\n");
  EXPECT_EQ(c.hb_domains.at("nvl72-gb200").price.si(), 2e6);
  EXPECT_EQ(c.hb_domains.at("nvl72-gb200").power.si(), 130e3);
}

TEST(Catalog, ANewEntryMayStartFromAnother) {
  const Catalog c =
      extended("[accelerators.mine]\nbased_on = \"h100-sxm\"\nmemory = \"96 GB\"\nsource = \"a wish\"\n");
  EXPECT_EQ(c.accelerators.at("mine").memory.si(), 96e9);
  EXPECT_EQ(c.accelerators.at("mine").scale_up_rate, c.accelerators.at("h100-sxm").scale_up_rate);
}

TEST(Catalog, WhatChangesAnEstimateHasASourceOfItsOwn) {
  EXPECT_TRUE(shipped_catalog()->calibrations.at("volta").estimated);
  const Catalog c = extended(
      "[calibrations.volta]\nmatmul = 0.7\nsource = \"our bench\"\n"
      "[calibrations.mine]\nbased_on = \"gaudi-operators\"\nestimated = true\nsource = \"a guess\"\n");
  EXPECT_FALSE(c.calibrations.at("volta").estimated);
  EXPECT_TRUE(c.calibrations.at("mine").estimated);
}

TEST(Catalog, PracticesMayTakeNoTimeButRepairsDo) {
  const auto at_once = [](const std::string& key) {
    return "[failures.mine]\nbased_on = \"default\"\n" + key + " = \"0 s\"\nsource = \"a wish\"\n";
  };
  for (const char* key : {"detection", "hang_detection", "straggler_detection", "restart", "hot_swap",
                          "cold_swap", "manual_time"})
    EXPECT_TRUE(extended(at_once(key)).failures.contains("mine")) << key;
  for (const char* key : {"silent_detection", "repair", "link_repair", "facility_repair"})
    EXPECT_NE(refused(at_once(key)).find(key), std::string::npos) << key;
}

TEST(Catalog, RefusesWhatItCannotTrust) {
  EXPECT_NE(refused("[accelerators.h100-sxm]\nmemory = \"96 GB\"\n").find("lacks the key 'source'"),
            std::string::npos);
  EXPECT_NE(refused("[accelerators.new]\nsource = \"x\"\n").find("lacks the key 'memory'"),
            std::string::npos);
  EXPECT_NE(refused("[acelerators.x]\nsource = \"x\"\n").find("did you mean 'accelerators'?"),
            std::string::npos);
  EXPECT_NE(
      refused("[accelerators.h100-sxm]\nmemry = \"1 GB\"\nsource = \"x\"\n").find("did you mean 'memory'?"),
      std::string::npos);
  EXPECT_NE(refused("[hb_domains.dgx-h100]\nnic = \"cx7-40\"\nsource = \"x\"\n").find("did you mean"),
            std::string::npos);
  EXPECT_NE(refused("[accelerators.new]\nbased_on = \"h101-sxm\"\nsource = \"x\"\n")
                .find("did you mean 'h100-sxm'?"),
            std::string::npos);
  EXPECT_NE(refused("[models.gpt3-175b]\nheads = 95\nsource = \"x\"\n").find("not a multiple"),
            std::string::npos);
  EXPECT_NE(refused("[accelerators.h100-sxm]\nsource = \"\"\n").find("is empty"), std::string::npos);
  EXPECT_NE(refused("accelerators = 3\n").find("takes a table"), std::string::npos);
}

TEST(Catalog, AnEmptyOrMissingFolderIsNamed) {
  Catalog catalog = *shipped_catalog();
  EXPECT_THROW(extend_from_folder(catalog, "/no/such/folder"), InputError);
}

}  // namespace
}  // namespace trainyard
