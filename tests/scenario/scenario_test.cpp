
#include "trainyard/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "scenario/free_settings.h"
#include "scenario/section_list.h"
#include "scenario/sections.h"
#include "scenario/simulation_readers.h"
#include "scenario/transport_sections.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/scenario_text.h"
#include "trainyard/transports.h"

namespace trainyard {
namespace {

const std::string kSmall =
    "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[mapping]\ntensor = "
    "2\n";

ScenarioText parse(const std::string& text) {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", text}));
}

std::vector<Finding> refused(const std::string& text) {
  try {
    parse(text).resolve();
  } catch (const InputError& error) {
    return error.findings();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {{}};
}

TEST(Scenario, FillsInEveryDefault) {
  const Scenario s = parse(kSmall).resolve();
  EXPECT_EQ(s.facility.compute_share, 0.70);
  EXPECT_EQ(s.mapping.zero_stage, 1);
  EXPECT_EQ(s.model.shape.layers, 32);
  EXPECT_EQ(s.assumptions.peak, PeakKind::dense);
}

TEST(Scenario, EveryShippedOneResolves) {
  EXPECT_GE(shipped_scenarios().size(), 8u);
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    EXPECT_FALSE(shipped.title.empty()) << shipped.name;
    if (shipped.leaves_free) {
      EXPECT_NO_THROW(ScenarioText::load(shipped.name).free()) << shipped.name;
    } else {
      EXPECT_NO_THROW(ScenarioText::load(shipped.name).resolve()) << shipped.name;
    }
  }
}

TEST(Scenario, ChangesAreWhatAFileWithThemSays) {
  ScenarioText changed = parse(kSmall);
  changed.set("mapping.tensor=4");
  const ScenarioText written = parse(
      "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[mapping]\ntensor "
      "= 4\n");
  EXPECT_EQ(scenario_hash(changed.resolve()), scenario_hash(written.resolve()));
  EXPECT_EQ(scenario_hash(parse(kSmall).resolve({parse_assignment("mapping.tensor=4", "test")})),
            scenario_hash(written.resolve()));
}

TEST(Scenario, TheHashIsOfTheQuestionNotOfTheText) {
  const std::string original = scenario_hash(parse(kSmall).resolve());
  EXPECT_EQ(scenario_hash(parse("# a comment\n" + kSmall + "zero_stage = \"auto\"\n").resolve()), original);
  EXPECT_NE(scenario_hash(parse(kSmall + "zero_stage = 1\n").resolve()), original);
  EXPECT_NE(scenario_hash(parse(kSmall + "zero_stage = 2\n").resolve()), original);
}

TEST(Scenario, LeavesTheMappingThatItDoesNotMentionOpen) {
  const MappingInput silent = parse(kSmall).resolve().mapping;
  EXPECT_EQ(silent.open, MappingOpen::all());
  EXPECT_EQ(silent.absent, MappingOpen::all());
  const MappingInput said =
      parse(kSmall + "context = \"auto\"\nvirtual_stages = 1\nrecompute = \"full\"\n").resolve().mapping;
  EXPECT_TRUE(said.open.context);
  EXPECT_FALSE(said.absent.context);
  EXPECT_FALSE(said.open.virtual_stages);
  EXPECT_FALSE(said.open.recompute);
  EXPECT_EQ(said.recompute, Recompute::full);
  EXPECT_TRUE(said.absent.expert);
}

TEST(Scenario, AutoIsAmongTheSettings) {
  const Scenario s = parse(kSmall + "microbatch = 2\n").resolve();
  std::map<std::string, std::string> settings;
  for (const auto& [key, text] : scenario_settings(s)) settings[key] = text;
  EXPECT_EQ(settings["mapping.virtual_stages"], "\"auto\"");
  EXPECT_EQ(settings["mapping.recompute"], "\"auto\"");
  EXPECT_EQ(settings["mapping.microbatch"], "2");
}

TEST(Scenario, OpenSettingsAreCheckedAsOthers) {
  EXPECT_FALSE(refused(kSmall + "virtual_stages = \"many\"\n").empty());
  EXPECT_FALSE(refused(kSmall + "virtual_stages = 0\n").empty());
  EXPECT_NE(refused(kSmall + "recompute = \"ful\"\n").front().help.find("full"), std::string::npos);
}

TEST(Scenario, ACatalogEntryOfItsOwnChangesTheHash) {
  const std::string with_entry =
      kSmall + "[catalog.accelerators.h100-sxm]\nmemory = \"96 GB\"\nsource = \"a wish\"\n";
  const Scenario s = parse(with_entry).resolve();
  EXPECT_EQ(s.catalog->accelerators.at("h100-sxm").memory.si(), 96e9);
  EXPECT_EQ(s.catalog->accelerators.at("h100-sxm").memory_rate.si(), 3.35e12);  // the rest is kept
  EXPECT_NE(scenario_hash(s), scenario_hash(parse(kSmall).resolve()));
}

TEST(Scenario, TheHashTellsEntriesApartThatShowTheSameFourDigits) {
  const auto hash = [](const char* rate) {
    return scenario_hash(parse(kSmall + "[catalog.accelerators.h100-sxm]\nsource = \"a measurement\"\n" +
                               "[catalog.accelerators.h100-sxm.dense]\nbf16 = \"" + rate + "\"\n")
                             .resolve());
  };
  EXPECT_NE(hash("812.34 TFLOP/s"), hash("812.31 TFLOP/s"));
  EXPECT_EQ(hash("812.5 TFLOP/s"), hash("0.8125 PFLOP/s"));
}

TEST(Scenario, ModelFieldsLieOverTheNamedEntry) {
  ScenarioText text = parse(kSmall);
  text.set("model.layers=16");
  const ModelShape shape = text.resolve().model.shape;
  EXPECT_EQ(shape.layers, 16);
  EXPECT_EQ(shape.hidden, 4096);  // Llama 3 8B's own
}

/// The first finding of a shipped scenario with changes; empty: it is taken.
std::string why_refused(const char* scenario, const std::vector<const char*>& changes) {
  ScenarioText text = ScenarioText::load(scenario);
  for (const char* change : changes) text.set(change);
  try {
    text.resolve();
  } catch (const InputError& error) {
    return error.findings().front().message;
  }
  return {};
}

TEST(Scenario, ExpertsAreCutOverEqualSharesOfTheTensorRanks) {
  EXPECT_EQ(why_refused("deepseek-v3", {"mapping.tensor=4", "mapping.expert_tensor=2"}), "");
  EXPECT_NE(why_refused("deepseek-v3", {"mapping.tensor=4", "mapping.expert_tensor=3"})
                .find("expert_tensor = 3 does not divide tensor = 4"),
            std::string::npos);
  EXPECT_NE(why_refused("llama3-405b", {"mapping.expert_tensor=1"}).find("the model has no experts"),
            std::string::npos);
}

// Eight of 256 experts within four of eight groups.
TEST(Scenario, GroupsOfExpertsHoldWhatATokenPasses) {
  const auto why = [](const std::vector<const char*>& changes) {
    return why_refused("deepseek-v3", changes);
  };
  const auto says = [&](const std::vector<const char*>& changes, const char* words) {
    EXPECT_NE(why(changes).find(words), std::string::npos) << why(changes);
  };
  EXPECT_EQ(why({"model.expert_groups=16"}), "");
  says({"model.expert_groups=7"}, "does not divide experts = 256");
  says({"model.groups_per_token=9"}, "of expert_groups = 8");
  says({"model.expert_groups=256", "model.groups_per_token=4"}, "experts_per_token = 8");
}

TEST(Scenario, NamesUnknownSectionsAndKeys) {
  EXPECT_EQ(refused(kSmall + "[netwrk]\n").front().help, "did you mean 'network'?");
  EXPECT_EQ(refused(kSmall + "offload_activation = true\n").front().help,
            "did you mean 'offload_activations'?");
  EXPECT_EQ(
      refused(
          "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\nlayer = 3\n")
          .front()
          .help,
      "did you mean 'layers'?");
}

TEST(Scenario, ContradictionsAreErrors) {
  const std::string facility = "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n";
  const std::string model = "[model]\nname = \"llama3-8b\"\n";
  const std::string sized = "[model]\nparameters = 7e9\nvocabulary = 50000\nsequence = 4096\n";
  for (const std::string& bad : {
           facility + "budget = \"$1M\"\n" + model,
           facility + "pue_low = 1.5\n" + model,
           facility + "compute_share = 0.95\n" + model,
           facility + model + "parameters = 1e9\n",
           facility + "[model]\nname = \"llama3-8b\"\nheads = 31\n",
           facility + "[model]\nlayers = 3\n",
           facility + sized + "layers = 3\n",
           facility + sized + "hidden = 4096\n",
           facility + sized + "activation = \"swiglu\"\n",
           facility + sized + "experts = 8\n",
           facility + sized + "kv_heads = 3\nheads = 32\n",
           facility + sized + "global_head_size = 64\n",
           facility + sized + "[mapping]\npipeline = 1000\n",
           facility + sized + "[mapping]\noffload_layers = 1000\n",
           facility + model + "[training]\nbatch_tokens = 1e6\n[mapping]\nmicrobatches = 3\n",
           facility + model + "[training]\nduration = \"1 days\"\ncompute_budget = \"1 EFLOP\"\n",
           facility + model + "[mapping]\nexpert = 2\n",
           facility + model + "[mapping]\npipeline = 33\n",
           facility + model + "[mapping]\npipeline = 8\nvirtual_stages = 3\n",
           facility + model + "[mapping]\npipeline = 8\nlast_stage_layers = 5\n",
           facility + model + "[mapping]\npipeline = 8\nlast_stage_layers = 0\n",
           facility + model + "[mapping]\npipeline = 1\nlast_stage_layers = 5\n",
           facility + model + "[precision]\ncompute = \"fp4\"\n",
           facility + model + "[mapping]\nrecompute_modules = [\"moe_act\"]\n",
           facility + model + "[mapping]\nrecompute_modules = [\"mla_up_proj\"]\n",
           facility + model + "[mapping]\nrecompute_modules = [\"mlp\", \"mlp\"]\n",
           facility + model + "[mapping]\nrecompute = \"full\"\nrecompute_modules = [\"mlp\"]\n",
           facility + model + "[mapping]\nrecompute = \"auto\"\nrecompute_modules = [\"mlp\"]\n",
           facility + model + "[mapping]\nrecompute = \"none\"\nrecompute_layers = 3\n",
           facility + model + "[mapping]\noffload_layers = 33\n",
           facility + model + "[mapping]\noffload_layers = 3\noffload_activations = true\n",
           facility + model + "[mapping]\nzero_stage = 0\nzero_group = 8\n",
           facility + model + "[mapping]\ndata = 12\ncontext = 1\nzero_group = 8\n",
           facility + model + "[[sweep]]\nname = \"a\"\nkey = \"network.scale_out_rate\"\n",
       }) {
    EXPECT_FALSE(refused(bad).empty()) << bad;
  }
}

/// Whatever verb reads the text.
TEST(Scenario, SectionsThatNobodyUsesAreChecked) {
  const auto message = [](const std::string& rest) { return refused(kSmall + rest).front().message; };
  EXPECT_EQ(message("[[tier]]\ntier = 99\n"), "'tier.tier' is 99");
  EXPECT_EQ(message("[[tier]]\ntier = 1\n[[tier]]\ntier = 1\n"), "tier 1 again");
  EXPECT_EQ(message("[[tier]]\ntier = 0\nrate = \"1 Gbps\"\n"), "links of hosts have the rate of the design");
  for (const char* limit : {"x", "power", "<= 30 MW", "power <=", "power < 30 MW"})
    EXPECT_EQ(message(std::string("[search]\nlimits = [\"") + limit + "\"]\n"),
              std::string("\"") + limit + "\" is no limit");
  const std::string design = "[[design]]\nname = \"a\"\n";
  EXPECT_EQ(message(design + "[simulation]\ndesign = \"b\"\n"), "the scenario has no design 'b'");
  EXPECT_EQ(message(design + "[schedule]\ndesign = \"b\"\n"), "the scenario has no design 'b'");
}

/// It is no way to say nothing, but where the settings say so (schedule.design).
TEST(Scenario, AnEmptyTextIsNoName) {
  const auto first = [](const std::string& rest) { return refused(kSmall + rest).front(); };
  const std::string designs = "[[design]]\nname = \"a\"\n[[design]]\nname = \"b\"\n";
  const Finding simulated = first(designs + "[simulation]\ndesign = \"\"\n");
  EXPECT_EQ(simulated.message, "the scenario has no design ''");
  EXPECT_EQ(simulated.help, "allowed: a, b");
  EXPECT_GT(simulated.where.line, 0);
  EXPECT_EQ(first("[simulation]\ndesign = \"\"\n").message, "the scenario has no design ''");
  EXPECT_EQ(first(designs + "baseline = \"\"\n").message, "no design ''");
  EXPECT_EQ(first("[site]\ngrid = \"\"\n").message, "'' names no folder");
  EXPECT_NO_THROW(parse(kSmall + designs + "[schedule]\ndesign = \"\"\n").resolve());
  const std::vector<Finding> domain = refused("[facility]\ndevices = 8\nhb_domain = \"\"\n");
  ASSERT_FALSE(domain.empty());
  EXPECT_EQ(domain.front().message, "the catalog has no HB domain ''");
  EXPECT_EQ(domain.front().where.line, 3);
}

TEST(Scenario, AnEmptyTextSaysWhatIsMissing) {
  const auto findings = refused("");
  EXPECT_GE(findings.size(), 3u);
  EXPECT_NE(findings[0].help.find("budget"), std::string::npos);
}

TEST(Sweep, SpreadsItsRange) {
  const Scenario s =
      parse(kSmall +
            "[[sweep]]\nname = \"a\"\nkey = \"network.scale_out_rate\"\nfrom = \"100 Gbps\"\nto = \"400 "
            "Gbps\"\npoints = 3\n")
          .resolve();
  EXPECT_EQ(s.sweeps.front().values, (std::vector<std::string>{"100 Gbps", "200 Gbps", "400 Gbps"}));
}

/// Ends of a logarithmic range; a linear one may begin at zero or below. The end that is wrong is named, the
/// first of two.
TEST(Sweep, OnALogarithmicScaleHasPositiveEnds) {
  const auto sweep = [](const std::string& from, const std::string& to, const char* log_scale) {
    return "[[sweep]]\nname = \"a\"\nkey = \"assumptions.overlap\"\nfrom = \"" + from + "\"\nto = \"" + to +
           "\"\npoints = 3\nlog_scale = " + log_scale + "\n";
  };
  const std::string positive = "from and to must be positive when log_scale is true";
  for (const auto& [from, to] : {std::pair("0", "4"), std::pair("4", "0"), std::pair("-1", "4"),
                                 std::pair("4", "-1"), std::pair("0", "0")}) {
    const std::string text = kSmall + sweep(from, to, "true");
    const Finding finding = refused(text).front();
    EXPECT_EQ(finding.message, positive) << from << " " << to;
    const std::size_t at = text.rfind(from == std::string("4") ? "\nto" : "\nfrom");
    EXPECT_EQ(finding.where.line,
              2 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'))
        << from << " " << to;
    if (from == std::string(to)) continue;  // one value three times
    EXPECT_EQ(parse(kSmall + sweep(from, to, "false")).resolve().sweeps.front().values.size(), 3u)
        << from << " " << to;
  }
}

TEST(Schema, IsJsonAndListsEverySection) {
  const auto schema = nlohmann::json::parse(scenario_schema());
  for (const SectionInfo& section : scenario_sections()) {
    EXPECT_TRUE(schema.at("properties").contains(section.name)) << section.name;
  }
  EXPECT_EQ(schema.at("properties").at("facility").at("required").at(0), "hb_domain");
  const auto& mapping = schema.at("properties").at("mapping").at("properties");
  EXPECT_EQ(mapping.at("virtual_stages").at("anyOf").at(0).at("type").dump(), R"(["integer","string"])");
  EXPECT_EQ(mapping.at("recompute").at("anyOf").at(0).at("enum").back(), "auto");
}

TEST(Schema, LetsEverySettingBeLeftToASearch) {
  const auto schema = nlohmann::json::parse(scenario_schema());
  EXPECT_TRUE(schema.at("definitions").at("left_free").at("properties").contains("search"));
  for (const SectionInfo& section : scenario_sections()) {
    const auto& table = schema.at("properties").at(section.name);
    for (const auto& [name, field] : (section.repeated ? table.at("items") : table).at("properties").items())
      EXPECT_EQ(field.at("anyOf").at(1).at("$ref"), "#/definitions/left_free") << section.name << "." << name;
  }
}

TEST(Fields, AllHaveASentence) {
  for (const SectionInfo& section : scenario_sections()) {
    for (const FieldInfo& field : section.fields)
      EXPECT_FALSE(field.sentence.empty()) << section.name << "." << field.name;
  }
}

TEST(Fields, OfSimulationsSayWhatUsesThem) {
  for (const FieldInfo& field : field_infos(simulation_fields()))
    EXPECT_NE(field.readers & simulation_reader::kAll, 0U) << field.name;
}

TEST(Sections, ThatSomeVerbsAloneReadSayWhich) {
  const std::vector<std::string> names = section_names();
  for (const SectionReaders& section : section_readers()) {
    EXPECT_FALSE(section.verbs.empty()) << section.name;
    EXPECT_EQ(std::count(names.begin(), names.end(), section.name), 1) << section.name;
  }
  const TransportsInput transports;
  each_transport_section(transports, [](const char* name, const auto&, const auto&) {
    for (const SectionReaders& section : section_readers())
      EXPECT_TRUE(section.name != name || section.of_packets) << name;
  });
}

}  // namespace
}  // namespace trainyard
