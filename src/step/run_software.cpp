#include "step/run_software.h"

namespace trainyard {

const SoftwareTraits& software_traits(RunFramework framework) {
  // Megatron-LM from 2022 on, as Korthikanti et al. describe it.
  static const SoftwareTraits megatron{.interleaving = 0.5};
  // As Narayanan et al. 2021 measured it: chunks of interleaved stages wait for their sends.
  static const SoftwareTraits megatron_2021{
      .interleaving = 0, .wide_gathers = false, .repeated_gathers = true};
  // Megatron Core since 2023: what its users overlap by default.
  static const SoftwareTraits megatron_core{
      .hidden_gradients = true, .hidden_tensor = true, .hidden_context = true};
  // The same under NeMo and Megatron Bridge: CUDA graphs too, gradients in 16 bits.
  static const SoftwareTraits nemo{.hidden_gradients = true,
                                   .hidden_tensor = true,
                                   .hidden_context = true,
                                   .graphs = true,
                                   .gradient_bytes = 2};
  static const SoftwareTraits torchtitan{.interleaving = 0, .unfused = 1, .attention_on_newer = 0.62};
  static const SoftwareTraits fsdp{.hidden_gradients = true,
                                   .unfused = 0.5,
                                   .attention_on_ampere = 0.68,
                                   .attention_on_newer = 0.36,
                                   .repeated_gathers = true};
  static const SoftwareTraits llama3{};
  // XLA runs a step as one program.
  static const SoftwareTraits palm{.graphs = true};
  switch (framework) {
    case RunFramework::megatron:
      return megatron;
    case RunFramework::megatron_2021:
      return megatron_2021;
    case RunFramework::megatron_core:
      return megatron_core;
    case RunFramework::nemo:
      return nemo;
    case RunFramework::torchtitan:
      return torchtitan;
    case RunFramework::fsdp:
      return fsdp;
    case RunFramework::llama3:
      return llama3;
    case RunFramework::palm:
      return palm;
  }
  return megatron;
}

std::string_view framework_name(RunFramework framework) {
  for (const auto& [name, value] : framework_names()) {
    if (value == framework) return name;
  }
  return "";
}

const std::vector<std::pair<std::string_view, RunFramework>>& framework_names() {
  static const std::vector<std::pair<std::string_view, RunFramework>> names = {
      {"megatron", RunFramework::megatron},
      {"megatron-2021", RunFramework::megatron_2021},
      {"nemo", RunFramework::nemo},
      {"torchtitan", RunFramework::torchtitan},
      {"fsdp", RunFramework::fsdp},
      {"llama3", RunFramework::llama3},
      {"palm", RunFramework::palm},
      {"megatron-lm", RunFramework::megatron},
      {"megatron-core", RunFramework::megatron_core},
      {"megatron-bridge", RunFramework::nemo},
      {"pytorch", RunFramework::fsdp},
      {"deepspeed", RunFramework::fsdp},
      {"llm-foundry", RunFramework::fsdp},
      {"maxtext", RunFramework::palm},
      {"jax", RunFramework::palm}};
  return names;
}

}  // namespace trainyard
