#include "validation/run_words.h"

#include "scenario/choices/mapping.h"
#include "trainyard/catalog_records.h"
#include "trainyard/measured_runs.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario/training.h"

namespace trainyard {

const Words<bool>& yes_no_words() {
  static const Words<bool> words = {{"0", false},  {"1", true},   {"false", false}, {"true", true},
                                    {"no", false}, {"yes", true}, {"0.0", false},   {"1.0", true}};
  return words;
}

const Words<Activation>& activation_words() {
  using A = Activation;
  static const Words<A> words = {
      {"gelu", A::gelu},     {"relu", A::relu},   {"squared_relu", A::squared_relu}, {"silu", A::silu},
      {"swiglu", A::swiglu}, {"geglu", A::geglu}, {"relu2", A::squared_relu},        {"swish", A::silu}};
  return words;
}

const Words<Attention>& attention_words() {
  static const Words<Attention> words = {{"flash", Attention::flash},
                                         {"stored", Attention::stored},
                                         {"unfused", Attention::stored},
                                         {"fused", Attention::flash},
                                         {"flash-attention", Attention::flash},
                                         {"flash-attention-2", Attention::flash},
                                         {"sdpa", Attention::flash},
                                         {"flash-attention-3", Attention::flash},
                                         {"cudnn", Attention::flash},
                                         {"standard", Attention::stored}};
  return words;
}

const Words<Recompute>& recompute_words() {
  static const Words<Recompute> words = {{"none", Recompute::none},  {"selective", Recompute::selective},
                                         {"full", Recompute::full},  {"no", Recompute::none},
                                         {"false", Recompute::none}, {"0", Recompute::none}};
  return words;
}

const Words<Precision>& precision_words() {
  using P = Precision;
  static const Words<P> words = {{"bf16", P::bf16},       {"fp16", P::fp16},     {"fp8", P::fp8},
                                 {"fp4", P::fp4},         {"int8", P::int8},     {"tf32", P::tf32},
                                 {"fp32", P::fp32},       {"bfloat16", P::bf16}, {"float16", P::fp16},
                                 {"bf16-mixed", P::bf16}, {"float8", P::fp8},    {"mxfp8", P::fp8},
                                 {"fp8-mx", P::fp8},      {"fp8-block", P::fp8}, {"fp8-subchannel", P::fp8},
                                 {"fp8-cs", P::fp8},      {"nvfp4", P::fp4},     {"mxfp4", P::fp4},
                                 {"float32", P::fp32}};
  return words;
}

const Words<Precision>& state_words() {
  using P = Precision;
  static const Words<P> words = {{"bf16", P::bf16}, {"fp16", P::fp16}, {"fp8", P::fp8}, {"fp32", P::fp32}};
  return words;
}

const Words<ContextExchange>& exchange_words() {
  using E = ContextExchange;
  static const Words<E> words = {
      {"all_to_all", E::all_to_all}, {"all_gather", E::all_gather}, {"ring", E::ring}};
  return words;
}

const Words<Fp8Scaling>& scaling_words() {
  using S = Fp8Scaling;
  static const Words<S> words = {
      {"mxfp8", S::mx}, {"fp8-mx", S::mx}, {"fp8-block", S::block}, {"fp8-subchannel", S::block}};
  return words;
}

const Words<RunSchedule>& schedule_words() {
  using S = RunSchedule;
  static const Words<S> words = {{"1f1b", S::one_forward_one_backward},
                                 {"interleaved", S::interleaved},
                                 {"gpipe", S::gpipe},
                                 {"interleaved-1f1b", S::interleaved},
                                 {"1f1b-interleaved", S::interleaved},
                                 {"zb-h1", S::zero_bubble},
                                 {"zero-bubble", S::zero_bubble},
                                 {"dualpipe", S::dualpipe}};
  return words;
}

const Words<RecomputeModule>& module_words() {
  static const Words<RecomputeModule> words = [] {
    Words<RecomputeModule> out;
    for (const Choice<RecomputeModule>& choice : Choices<RecomputeModule>::kAll)
      out.emplace_back(choice.name, choice.value);
    return out;
  }();
  return words;
}

const Words<Hidden>& hidden_words() {
  static const Words<Hidden> words = {{"tensor", Hidden::tensor},
                                      {"gradients", Hidden::gradients},
                                      {"pipeline", Hidden::pipeline},
                                      {"expert", Hidden::expert}};
  return words;
}

const Words<FlopConvention>& flop_words() {
  static const Words<FlopConvention> words = {{"model", FlopConvention::model},
                                              {"hardware_96", FlopConvention::hardware_96},
                                              {"mfu", FlopConvention::mfu}};
  return words;
}

const Words<RunMetric>& metric_words() {
  static const Words<RunMetric> words = [] {
    Words<RunMetric> out;
    for (const RunMetric metric :
         {RunMetric::step_time, RunMetric::tokens_per_device, RunMetric::flops_per_device, RunMetric::mfu}) {
      out.emplace_back(metric_name(metric), metric);
    }
    out.insert(out.end(), {{"step_time_s", RunMetric::step_time},
                           {"iteration_time", RunMetric::step_time},
                           {"tokens_per_second_per_gpu", RunMetric::tokens_per_device},
                           {"flops_per_gpu", RunMetric::flops_per_device},
                           {"tflops_per_gpu", RunMetric::flops_per_device},
                           {"tflops_per_device", RunMetric::flops_per_device}});
    return out;
  }();
  return words;
}

Words<double> unit_words(RunMetric metric) {
  switch (metric) {
    case RunMetric::step_time:
      return {{"s", 1}, {"ms", 1e-3}, {"sec", 1}, {"seconds", 1}};
    case RunMetric::tokens_per_device:
      return {{"token/s", 1},      {"tokens/s", 1},       {"tok/s", 1},          {"tokens/sec", 1},
              {"tokens/s/GPU", 1}, {"tokens/sec/GPU", 1}, {"token/s/device", 1}, {"tokens/s/device", 1}};
    case RunMetric::flops_per_device:
      return {{"TFLOP/s", 1e12},    {"PFLOP/s", 1e15},        {"GFLOP/s", 1e9},
              {"FLOP/s", 1},        {"TFLOP/s/GPU", 1e12},    {"TFLOP/sec", 1e12},
              {"TFLOPS/GPU", 1e12}, {"TFLOP/s/device", 1e12}, {"TFLOP", 1e12}};
    case RunMetric::mfu:
      return {{"%", 0.01}, {"fraction", 1}, {"percent", 0.01}};
  }
  return {};
}

}  // namespace trainyard
