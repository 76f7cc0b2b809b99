// Scenarios whose counts of [mapping] are free.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

/// Clusters, models and programs of all kinds of costs, every count of [mapping] free.
inline std::vector<std::string> free_counts() {
  const std::string free =
      "tensor = { search = [1, 2, 4, 8, 16] }\npipeline = { search = [1, 2, 3, 4, 8, 16, 32, 61] }\n"
      "data = { search = [\"auto\", 4, 64] }\ncontext = { search = [1, 2, 4] }\n"
      "virtual_stages = { search = [1, 2, 3] }\nmicrobatch = { search = [1, 2, 8] }\n"
      "zero_stage = { search = [0, 1, 2, 3] }\nrecompute = { search = \"all\" }\n";

  std::string sharded = free;  // whose weights are copied around gathers
  sharded.replace(sharded.find("[0, 1, 2, 3]"), 12, "[3]");
  sharded.replace(sharded.find("[1, 2, 4, 8, 16]"), 16, "[1]");
  sharded.replace(sharded.find("[1, 2, 8]"), 9, "[1]");
  sharded.replace(sharded.find("search = \"all\""), 14, "search = [\"full\"]");

  return {
      "[facility]\ndevices = 16384\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-405b\"\n[training]\n"
      "batch_tokens = 16777216\n[mapping]\n" +
          free,
      "[facility]\ndevices = { search = [2048, 256] }\nhb_domain = \"nvl72-gb200\"\n[model]\n"
      "name = \"deepseek-v3\"\n[mapping]\nexpert = { search = [1, 8, 32, 64, 7] }\n" +
          free,
      "[facility]\ndevices = 4096\nhb_domain = \"dgx-a100\"\ndatacenters = 2\n[model]\nname = "
      "\"llama3-70b\"\n"
      "[network]\nwide_area_rate = \"100 Gbps\"\n[mapping]\nplacement = \"consecutive_layers\"\n" +
          free,
      "[facility]\ndevices = 1024\nhb_domain = { search = [\"dgx-h100\", \"dgx-b200\"] }\n[model]\n"
      "name = \"llama3-8b\"\n[assumptions]\ncompute_model = \"ideal\"\n[training]\nsoftware = \"fsdp\"\n"
      "[mapping]\noffload_activations = true\nmicrobatches = { search = [1, 8, 100] }\n" +
          free,
      "[facility]\ndevices = 1024\nhb_domain = \"dgx-h100\"\n[model]\nname = "
      "\"mixtral-8x7b\"\n[assumptions]\n"
      "compute_model = \"roofline\"\nembedding_placement = \"spread\"\n[mapping]\nexpert = { search = [1, 2, "
      "8] }\n" +
          free,
      "[facility]\ndevices = 64\nhb_domain = \"dgx-b200\"\n[model]\nname = \"mixtral-8x7b\"\nsequence = "
      "2048\n"
      "[training]\nsoftware = \"torchtitan\"\nbatch_tokens = 1048576\n[mapping]\nexpert = { search = [1] "
      "}\n" +
          sharded,
  };
}

}  // namespace trainyard
