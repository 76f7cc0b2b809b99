// Counts of a mapping in words.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace trainyard {

struct MappingGap;
struct MappingInput;

/// The counts of a whole mapping: {"tensor", "8"}.
std::vector<std::pair<std::string, std::string>> mapping_counts(const MappingInput& mapping);

/// "tensor 8, pipeline 16, data 128, ..., same_layer": what a program has chosen of one; counts of 1 are left
/// out.
std::string mapping_text(const MappingInput& mapping);

/// "full", "full in 5 layers", "of mla_up_proj, mlp".
std::string recompute_text(const MappingInput& mapping);

/// "3", "3 in groups of 8 replicas".
std::string zero_text(const MappingInput& mapping);

/// What a run's best mapping has otherwise: "tensor 8->4".
std::vector<std::string> mapping_changes(const MappingGap& gap);

}  // namespace trainyard
