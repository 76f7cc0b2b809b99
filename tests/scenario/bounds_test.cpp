// Ends of what a scenario may say: the last value that is taken, and the first that is refused, where, and
// why.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

/// 64 devices in HB domains of 8, a model of 32 layers and 8 experts.
std::string text(const std::string& sections, const std::string& model = "mixtral-8x7b") {
  std::string out = "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"" + model + "\"\n";
  // What goes into a section that is there.
  for (const char* section : {"[facility]\n", "[model]\n"}) {
    const auto at = sections.find(section);
    if (at == std::string::npos) continue;
    const std::size_t from = at + std::string(section).size();
    out.insert(out.find(section) + std::string(section).size(), sections.substr(from));
    return out + sections.substr(0, at);
  }
  return out + sections;
}

/// What is wrong: messages, one a line; "" if nothing is.
std::string wrong(const std::string& whole_text) {
  try {
    ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", whole_text})).resolve();
  } catch (const InputError& error) {
    std::string out;
    for (const Finding& f : error.findings()) out += f.message + " [" + f.help + "]\n";
    return out;
  }
  return {};
}

struct Bound {
  std::string taken;
  std::string refused;
  std::string says;
  std::string model = "mixtral-8x7b";
};

void expect_bounds(const std::vector<Bound>& bounds) {
  for (const Bound& b : bounds) {
    EXPECT_EQ(wrong(text(b.taken, b.model)), "") << b.taken;
    const std::string said = wrong(text(b.refused, b.model));
    EXPECT_NE(said.find(b.says), std::string::npos) << b.refused << ": " << said;
  }
}

TEST(Bounds, OfMappings) {
  expect_bounds({
      {"[mapping]\npipeline = 32\n", "[mapping]\npipeline = 33\n",
       "pipeline = 33 leaves stages of the model's 32 layers empty [allowed: 1 to 32]"},
      {"[mapping]\npipeline = 8\nvirtual_stages = 4\n", "[mapping]\npipeline = 8\nvirtual_stages = 3\n",
       "virtual_stages = 3 does not divide the 4 layers of a stage [allowed: 1, 2, 4]"},
      {"[mapping]\npipeline = 1\nvirtual_stages = 1\n", "[mapping]\npipeline = 1\nvirtual_stages = 2\n",
       "virtual_stages without pipeline stages"},
      {"[mapping]\nexpert = 8\n", "[mapping]\nexpert = 3\n",
       "expert = 3 does not divide the model's 8 experts [allowed: 1, 2, 4, 8]"},
      {"[mapping]\nexpert = 1\n", "[mapping]\nexpert = 2\n",
       "expert = 2, and the model has no experts [allowed: 1]", "llama3-8b"},
      {"[mapping]\ntensor = 4\nexpert_tensor = 2\n", "[mapping]\ntensor = 4\nexpert_tensor = 3\n",
       "expert_tensor = 3 does not divide tensor = 4 [allowed: 1, 2, 4]"},
      {"[mapping]\ntensor = 4\n", "[mapping]\ntensor = 4\nexpert_tensor = 1\n",
       "expert_tensor = 1, and the model has no experts [leave it out]", "llama3-8b"},
      {"[mapping]\ntensor = 8\n[assumptions]\ncompute_model = \"roofline\"\n",
       "[mapping]\ntensor = 16\n[assumptions]\ncompute_model = \"roofline\"\n",
       "tensor = 16 does not fit into an HB domain of 8 devices [allowed: 1 to 8]"},
      {"[mapping]\ncontext = 4096\n[model]\nsequence = 4096\n",
       "[mapping]\ncontext = 8192\n[model]\nsequence = 4096\n",
       "context = 8192 is more than the sequence's 4096 tokens"},
  });
}

TEST(Bounds, OfWhatIsKeptAndMovedOut) {
  expect_bounds({
      {"[mapping]\noffload_layers = 32\n", "[mapping]\noffload_layers = 33\n",
       "offload_layers = 33 of 32 layers"},
      {"[mapping]\noffload_activations = true\n",
       "[mapping]\noffload_layers = 1\noffload_activations = true\n",
       "both offload_layers and offload_activations are given"},
      {"[mapping]\nrecompute = \"full\"\nrecompute_layers = 3\n",
       "[mapping]\nrecompute = \"none\"\nrecompute_layers = 3\n", "recompute_layers, and nothing recomputes"},
      {"[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"moe_act\"]\nrecompute_layers = 3\n",
       "[mapping]\nrecompute = \"full\"\nrecompute_modules = [\"moe_act\"]\n",
       "recompute_modules with a recompute of its own"},
      {"[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"moe\"]\n",
       "[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"mlp\"]\n",
       "recompute_modules names mlp, and the model has none"},
      {"[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"mlp\"]\n",
       "[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"moe\"]\n",
       "recompute_modules names moe, and the model has none", "llama3-8b"},
      {"[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"core_attn\", \"layernorm\"]\n",
       "[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"shared_experts\"]\n",
       "recompute_modules names shared_experts, and the model has none"},
      {"[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"shared_experts\", \"mla_up_proj\", "
       "\"mlp\"]\n",
       "[mapping]\nrecompute = \"none\"\nrecompute_modules = [\"mlp\", \"mlp\"]\n", "\"mlp\" stands twice",
       "deepseek-v3"},
      {"[mapping]\nzero_stage = 1\nzero_group = 8\n", "[mapping]\nzero_stage = 0\nzero_group = 8\n",
       "zero_group with ZeRO stage 0, which divides nothing"},
      {"[mapping]\ndata = 4\ncontext = 2\nzero_group = 8\n",
       "[mapping]\ndata = 4\ncontext = 2\nzero_group = 16\n",
       "zero_group = 16 does not divide the 8 replicas (data x context) [allowed: 1, 2, 4, 8]"},
  });
}

TEST(Bounds, OfFacilitiesAndPrecisions) {
  expect_bounds({
      {"[facility]\npue_low = 1.2\npue_high = 1.2\n", "[facility]\npue_low = 1.3\npue_high = 1.2\n",
       "pue_low = 1.3 is above pue_high = 1.2"},
      {"[facility]\ncompute_share = 0.9\nnetwork_share = 0.1\n",
       "[facility]\ncompute_share = 0.9\nnetwork_share = 0.11\n",
       "compute_share + network_share = 1.01 is more than 1"},
      {"[precision]\ncompute = \"fp8\"\nscaling = \"block\"\n",
       "[precision]\ncompute = \"bf16\"\nscaling = \"block\"\n", "products in bf16 have no scales"},
      {"[precision]\ncompute = \"fp8\"\n", "[precision]\ncompute = \"fp4\"\n",
       "has no dense fp4 rate [it has: "},
      {"[training]\nbatch_tokens = 1048576\n",
       "[training]\nbatch_tokens = 1048576\n[mapping]\nmicrobatches = 3\n",
       "both training.batch_tokens and mapping.microbatches are given"},
      {"[training]\nduration = \"1 days\"\n",
       "[training]\nduration = \"1 days\"\ncompute_budget = \"1 EFLOP\"\n",
       "both duration and compute_budget are given"},
  });
}

TEST(Bounds, OfHeadsAndLayers) {
  const std::string dense = "llama3-8b";  // 32 layers, hidden 4096, 32 heads, 8 of keys
  expect_bounds({
      {"[model]\nkv_heads = 32\n", "[model]\nkv_heads = 64\n", "kv_heads = 64 does not divide heads = 32",
       dense},
      {"[model]\nkv_heads = 1\n", "[model]\nkv_heads = 5\n", "kv_heads = 5 does not divide heads = 32",
       dense},
      {"[model]\nheads = 24\nhead_size = 128\n", "[model]\nheads = 24\n",
       "hidden = 4096 is not a multiple of heads = 24", dense},
      {"[model]\nactivation = \"swiglu\"\ngated_ffn = true\n",
       "[model]\nactivation = \"swiglu\"\ngated_ffn = false\n", "activation = swiglu without gated_ffn",
       dense},
      {"[model]\nactivation = \"geglu\"\ngated_ffn = true\n",
       "[model]\nactivation = \"geglu\"\ngated_ffn = false\n", "activation = geglu without gated_ffn", dense},
      {"[model]\nactivation = \"relu\"\ngated_ffn = false\n",
       "[model]\nactivation = \"swiglu\"\ngated_ffn = false\n", "[gated_ffn = true gives", dense},
      {"[model]\nattention_window = 1\nchunked_window = true\n", "[model]\nchunked_window = true\n",
       "chunked_window without attention_window", dense},
      {"[model]\nattention_window = 1\nwindowed_layers = 0.99\nglobal_kv_heads = 4\n",
       "[model]\nattention_window = 1\nwindowed_layers = 1\nglobal_kv_heads = 4\n",
       "without layers of two kinds", dense},
      {"[model]\nattention_window = 1\nwindowed_layers = 0.5\nglobal_head_size = 256\n",
       "[model]\nwindowed_layers = 0.5\nglobal_head_size = 256\n", "without layers of two kinds", dense},
      {"[model]\nattention_window = 1\nwindowed_layers = 0.5\nglobal_keys_are_values = true\n",
       "[model]\nwindowed_layers = 0.5\nglobal_keys_are_values = true\n", "without layers of two kinds",
       dense},
      {"[model]\nattention_window = 1\nwindowed_layers = 0.5\nglobal_kv_heads = 16\n",
       "[model]\nattention_window = 1\nwindowed_layers = 0.5\nglobal_kv_heads = 5\n",
       "global_kv_heads = 5 does not divide heads = 32", dense},
  });
}

TEST(Bounds, OfExpertsAndLatentAttention) {
  const std::string dense = "llama3-8b";
  const std::string latent = "deepseek-v3";  // 256 experts in 8 groups; a token passes 8 of 4 groups
  std::vector<Bound> bounds = {
      {"[model]\nexperts_per_token = 8\n", "[model]\nexperts_per_token = 9\n",
       "experts_per_token = 9 of experts = 8 [allowed: 1 to 8]"},
      {"[model]\nexperts_per_token = 1\n", "[model]\nexperts_per_token = 0\n",
       "experts_per_token = 0 of experts = 8"},
      {"", "[model]\nexperts_per_token = 1\n", "experts_per_token or shared_experts without experts", dense},
      {"", "[model]\nshared_experts = 1\n", "experts_per_token or shared_experts without experts", dense},
      {"[model]\nshared_experts = 1\nshared_expert_ffn = 1024\n", "[model]\nshared_expert_ffn = 1024\n",
       "shared_expert_ffn without shared_experts"},
      {"[model]\ndense_layers = 32\n", "[model]\ndense_layers = 33\n", "dense_layers is more than layers"},
      {"[model]\nexpert_interval = 1\n", "[model]\nexpert_interval = 2\n", "expert_interval without experts",
       dense},
      {"[model]\nexpert_interval = 32\n", "[model]\nexpert_interval = 33\n",
       "expert_interval = 33 of layers = 32 leaves no layer with experts"},
      {"[model]\nexpert_interval = 2\ndense_layers = 30\n",
       "[model]\nexpert_interval = 2\ndense_layers = 31\n",
       "expert_interval = 2 of layers = 32 leaves no layer with experts"},
      {"[model]\ngroups_per_token = 8\n", "[model]\ngroups_per_token = 9\n",
       "groups_per_token = 9 of expert_groups = 8 [allowed: 1 to 8]", latent},
      {"[model]\nexpert_groups = 16\n", "[model]\nexpert_groups = 24\n",
       "expert_groups = 24 does not divide experts = 256", latent},
      {"[model]\nexpert_groups = 256\ngroups_per_token = 8\n",
       "[model]\nexpert_groups = 256\ngroups_per_token = 7\n",
       "experts_per_token = 8 in groups_per_token = 7, which hold 7", latent},
      {"[model]\nexpert_groups = 1\ngroups_per_token = 1\n", "[model]\nexpert_groups = 2\n",
       "expert_groups = 2 does not divide experts = 0", dense},
  };
  for (const std::string size : {"kv_lora_rank", "nope_head_size", "value_head_size"})
    bounds.push_back(
        {"[model]\n" + size + " = 1\n", "[model]\n" + size + " = 0\n", "latent attention needs", latent});
  expect_bounds(bounds);
}

}  // namespace
}  // namespace trainyard
