#include "drawn_training.h"

#include <algorithm>

#include "drawn_hardware.h"
#include "trainyard/catalog.h"
#include "trainyard/range.h"

namespace trainyard::properties {
namespace {

struct Cut {
  std::int64_t tensor;
  std::int64_t pipeline;
  std::int64_t data;
};

void draw_model(Dice& dice, Draft& draft) {
  const auto name = dice.pick<std::string>(
      {"llama2-7b", "llama3-8b", "llama2-70b", "llama3-70b", "mixtral-8x7b", "gpt3-175b", "qwen3-30b-a3b"});
  draft.section("model").text("name", name);
  if (dice.one_in(3)) draft.section("model").set("sequence", dice.pick<std::int64_t>({2048, 4096, 8192}));
  if (dice.one_in(4)) draft.section("training").set("tokens", "2e12");
}

/// What saves memory beyond a whole layer's recomputation.
void draw_parts(Dice& dice, Section& mapping, const std::string& recompute, std::int64_t zero) {
  if (recompute == "none" && dice.one_in(2)) {
    mapping.set("recompute_modules",
                dice.pick<std::string>({R"(["layernorm"])", R"(["core_attn"])",
                                        R"(["layernorm", "core_attn"])", R"(["qkv_proj", "out_proj"])"}));
  }
  if (recompute != "none" && dice.one_in(4)) mapping.set("recompute_layers", dice.between(0, 32));
  if (dice.one_in(4)) {
    mapping.set("offload_layers", dice.between(0, 32));
  } else {
    mapping.set("offload_activations", dice.one_in(6) ? "true" : "false");
  }
  if (zero > 0 && dice.one_in(4)) mapping.set("zero_group", 2);
}

void draw_mapping(Dice& dice, Draft& draft, const Cut& cut, bool steady) {
  const std::int64_t chunks = cut.pipeline > 1 && dice.one_in(3) ? 2 : 1;
  const std::int64_t zero = dice.between(0, cut.pipeline > 1 ? 2 : 3);
  const auto recompute = dice.pick<std::string>({"none", "selective", "full"});
  Section& mapping = draft.section("mapping");
  mapping.set("tensor", cut.tensor)
      .set("pipeline", cut.pipeline)
      .set("context", dice.one_in(5) ? 2 : 1)
      .set("expert", 1)
      .set("virtual_stages", chunks)
      .set("microbatch", dice.between(1, 2))
      .set("microbatches", cut.pipeline * dice.between(1, 4))
      .set("zero_stage", zero)
      .text("recompute", recompute)
      .text("placement", dice.pick<std::string>({"same_layer", "consecutive_layers"}));
  draw_parts(dice, mapping, recompute, zero);
  if (dice.one_in(2)) return;
  Section& step = draft.section("step");
  if (chunks == 1) step.text("schedule", dice.pick<std::string>({"gpipe", "1f1b", "zb_h1"}));
  step.set("tensor_overlap", dice.pick<std::string>({"0", "0.5", "0.8"})).set("prefetch", dice.between(0, 2));
  const auto overlap = dice.pick<std::string>({"bucketed", "after_batch"});
  if (!steady) step.text("gradient_overlap", overlap);
}

void draw_network(Dice& dice, Draft& draft) {
  Section& network = draft.section("network");
  network.set("scale_out_rate", draw_link_rate(dice))
      .set("scale_up_efficiency", dice.pick<std::string>({"1", "0.8"}))
      .set("scale_out_efficiency", dice.pick<std::string>({"1", "0.7"}));
  if (dice.one_in(2)) network.set("scale_up_latency", nanoseconds(dice.between(200, 5000)));
  if (dice.one_in(2)) network.set("scale_out_latency", nanoseconds(dice.between(500, 20000)));
  if (dice.one_in(3)) network.set("gradient_share", "0.5");
}

void draw_assumptions(Dice& dice, Draft& draft, bool steady) {
  const std::vector<std::string> sums = {"bandwidth", "ring", "tree", "halving_doubling", "best"};
  draft.section("assumptions")
      .text("compute_model", dice.pick<std::string>({"roofline", "roofline", "ideal"}))
      .text("step_rule", steady ? "steady_state" : "pipeline")
      .text("stage_overlap", dice.pick<std::string>({"shared_network", "slowest_stage"}))
      .text("gradient_exchange", dice.pick<std::string>({"best", "flat", "hierarchical_all_reduce",
                                                         "hierarchical_reduce_scatter"}))
      .text("all_reduce", dice.pick(sums))
      .text("exchange_in_domain", dice.pick(sums))
      .text("exchange_between_domains", dice.pick(sums))
      .text("all_to_all", dice.pick<std::string>({"bandwidth", "pairwise", "bruck", "hierarchical", "best"}));
}

}  // namespace

Draft draw_training(Dice& dice) {
  Draft draft;
  const Cut cut{dice.pick<std::int64_t>({1, 2, 4, 8}), dice.pick<std::int64_t>({1, 2, 4, 8}),
                dice.pick<std::int64_t>({2, 4, 8, 16})};
  draw_hardware(dice, draft, std::max<std::int64_t>(32, cut.tensor * cut.pipeline * cut.data));
  draw_model(dice, draft);
  const bool steady = dice.one_in(4);
  draw_mapping(dice, draft, cut, steady);
  draw_network(dice, draft);
  draw_assumptions(dice, draft, steady);
  return draft;
}

Draft draw_unmapped_training(Dice& dice) {
  Draft draft;
  draw_hardware(dice, draft, 64 * dice.between(1, 16));
  draw_model(dice, draft);
  draw_network(dice, draft);
  draw_assumptions(dice, draft, dice.one_in(4));
  return draft;
}

Draft draw_calibrated_training(Dice& dice) {
  const bool later = dice.one_in(2);
  const std::string entry = std::string("catalog.accelerators.") + (later ? "h100-sxm" : "a100-80");
  Draft draft;
  draft.section("facility")
      .set("devices", 64 * dice.between(1, 8))
      .text("hb_domain", later ? "dgx-h100" : "dgx-a100");
  draft.section("model").text(
      "name", dice.pick<std::string>({"llama3-8b", "llama2-70b", "mixtral-8x7b", "megatron-22b"}));
  draft.section(entry)
      .set("memory", gigabytes(4000))
      .set("memory_rate", gigabytes_per_second(later ? 3350 : 2039))
      .set("scale_up_rate", gbps(later ? 3600 : 2400))
      .set("host_rate", gigabytes_per_second(50))
      .text("source", "drawn");
  draft.section(entry + ".dense").set("bf16", teraflop_per_second(later ? 989 : 312));
  draft.section("network").set("scale_out_rate", gbps(100 * dice.between(1, 4)));
  const std::int64_t zero = dice.between(0, 3);
  const auto recompute = dice.pick<std::string>({"none", "selective", "full"});
  Section& mapping = draft.section("mapping");
  mapping.set("tensor", dice.pick<std::int64_t>({1, 2, 4, 8}))
      .set("pipeline", dice.pick<std::int64_t>({1, 2, 4}))
      .set("context", 1)
      .set("expert", 1)
      .set("virtual_stages", 1)
      .set("microbatch", dice.between(1, 4))
      .set("microbatches", dice.pick<std::int64_t>({4, 8, 16}))
      .set("zero_stage", zero)
      .text("recompute", recompute);
  draw_parts(dice, mapping, recompute, zero);
  return draft;
}

}  // namespace trainyard::properties
