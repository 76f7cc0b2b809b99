#include "bases.h"

#include <map>
#include <memory>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard::fuzz {
namespace {

constexpr const char* kSmall = R"(title = "small"
[facility]
devices = 64
hb_domain = "dgx-h100"
[model]
name = "llama3-8b"
[mapping]
tensor = 2
pipeline = 2
[simulation]
traffic = "permutation"
bytes = "20 kB"
[site]
power = "300 MW"
radius = "60 km"
[long_haul]
bytes = "100 kB"
)";

constexpr const char* kExperts = R"(title = "experts"
[facility]
devices = 128
hb_domain = "dgx-h100"
[model]
layers = 8
hidden = 1024
heads = 16
ffn = 4096
vocabulary = 32000
sequence = 2048
experts = 16
experts_per_token = 2
expert_ffn = 1024
[mapping]
tensor = 2
pipeline = 4
expert = 8
microbatches = 8
[simulation]
traffic = "all_to_all"
bytes = "8 kB"
)";

constexpr const char* kTwo = R"(title = "two"
[facility]
devices = 64
datacenters = 2
hb_domain = "dgx-h100"
[model]
layers = 4
hidden = 512
heads = 8
ffn = 2048
vocabulary = 1000
sequence = 512
[training]
batch_tokens = 65536
[wide_area]
most_sites = 3
[long_haul]
sites = 3
bytes = "50 kB"
path_rtts = ["1 ms"]
[simulation]
traffic = "poisson"
bytes = "10 kB"
flows = 50
load = 0.5
)";

const std::map<std::string, Element> kFatTree = {
    {"design",
     {{"name", "\"small\""}, {"topology", "\"fat_tree\""}, {"radix", "8"}, {"rate", "\"400 Gbps\""}}},
    {"sweep",
     {{"name", "\"rates\""},
      {"key", "\"network.scale_out_rate\""},
      {"values", "[\"200 Gbps\", \"400 Gbps\"]"}}}};

const std::map<std::string, Element> kRails = {
    {"design", {{"name", "\"rails\""}, {"topology", "\"rail_optimized\""}, {"switch", "\"quantum-2\""}}}};

const std::map<std::string, Element> kTorus = {{"design",
                                                {{"name", "\"torus\""},
                                                 {"topology", "\"torus\""},
                                                 {"dimensions", "[4, 4, 2]"},
                                                 {"domain", "1"},
                                                 {"rate", "\"400 Gbps\""}}}};

ScenarioText parsed(const char* name, const char* text) {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{name, text}));
}

std::map<std::string, Base> all_bases() {
  std::map<std::string, Base> out;
  out.emplace("small", Base{parsed("small", kSmall), kFatTree});
  out.emplace("experts", Base{parsed("experts", kExperts), kRails});
  out.emplace("two", Base{parsed("two", kTwo), kTorus});
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    if (!shipped.leaves_free) out.emplace(shipped.name, Base{ScenarioText::load(shipped.name), {}});
  }
  return out;
}

}  // namespace

const std::vector<std::string>& base_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = {"small", "experts", "two"};
    for (const ShippedScenario& shipped : shipped_scenarios()) {
      if (!shipped.leaves_free) out.push_back(shipped.name);
    }
    return out;
  }();
  return names;
}

const Base& base(const std::string& name) {
  static const std::map<std::string, Base> bases = all_bases();
  return bases.at(name);
}

}  // namespace trainyard::fuzz
