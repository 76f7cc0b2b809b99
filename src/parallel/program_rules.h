// What training programs ask of a mapping beyond what a model and its devices do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

struct MappingPlan;
struct Scenario;

/// Interleaving takes microbatches in rounds of as many as there are stages (Megatron-LM).
bool in_whole_rounds(const MappingPlan& mapping);

/// Every set of experts is spread over whole replicas, or context ranks of them.
bool in_whole_replicas(const MappingPlan& mapping);
/// "4 replicas"; "4 context ranks" where sets of experts take those one by one.
std::string expert_places_text(const MappingPlan& mapping, std::int64_t count);

/// In words for the user: both rules where a mapping breaks them, and what it takes that the scenario's
/// training program does not offer (catalog/software.toml).
std::vector<std::string> program_warnings(const Scenario& scenario, const MappingPlan& mapping);

}  // namespace trainyard
