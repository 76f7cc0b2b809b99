#include "search/space/mapping_values.h"

#include <algorithm>
#include <string_view>

#include "base/fields.h"
#include "scenario/free_settings.h"
#include "scenario/sections.h"

namespace trainyard {
namespace {

using Copy = void (*)(MappingInput&, const MappingInput&);

template <auto member>
void copy_count(MappingInput& to, const MappingInput& from) {
  to.*member = from.*member;
}

template <auto member, bool MappingOpen::*flag>
void copy_open_count(MappingInput& to, const MappingInput& from) {
  to.*member = from.*member;
  to.open.*flag = from.open.*flag;
  to.absent.*flag = false;
}

Copy copy_of(std::string_view key) {
  using M = MappingInput;
  using O = MappingOpen;
  static constexpr std::pair<std::string_view, Copy> kCounts[] = {
      {"mapping.tensor", copy_count<&M::tensor>},
      {"mapping.pipeline", copy_count<&M::pipeline>},
      {"mapping.data", copy_count<&M::data>},
      {"mapping.context", copy_open_count<&M::context, &O::context>},
      {"mapping.expert", copy_open_count<&M::expert, &O::expert>},
      {"mapping.expert_tensor", copy_count<&M::expert_tensor>},
      {"mapping.virtual_stages", copy_open_count<&M::virtual_stages, &O::virtual_stages>},
      {"mapping.microbatch", copy_open_count<&M::microbatch, &O::microbatch>},
      {"mapping.microbatches", copy_count<&M::microbatches>},
      {"mapping.zero_stage", copy_open_count<&M::zero_stage, &O::zero_stage>},
      {"mapping.recompute", copy_open_count<&M::recompute, &O::recompute>},
  };
  for (const auto& [name, copy] : kCounts) {
    if (name == key) return copy;
  }
  return nullptr;
}

/// What [mapping] says with this one setting; nothing where it is refused.
std::optional<MappingInput> read(std::string_view key, const Value& value) {
  Table table;
  table.members.push_back({std::string(key.substr(key.find('.') + 1)), value.where(), value});
  MappingInput out;
  Findings findings;
  read_fields(out, table, mapping_fields(), "mapping", findings);
  return findings.empty() ? std::optional(out) : std::nullopt;
}

}  // namespace

MappingValues::MappingValues(const FreeSettings& free) {
  for (std::size_t s = 0; s < free.settings().size(); ++s) {
    const std::string& key = free.settings()[s].key;
    Count count{copy_of(key), {}};
    for (const Value& value : free.values(s)) {
      if (count.copy) count.values.push_back(read(key, value));
    }
    // Whether a batch is given in microbatches is more than a count.
    const auto unsaid = [](const auto& read) { return read && !read->microbatches; };
    if (key == "mapping.microbatches" && std::any_of(count.values.begin(), count.values.end(), unsaid))
      count.copy = nullptr;
    counts_.push_back(std::move(count));
  }
}

std::vector<bool> MappingValues::held() const {
  std::vector<bool> out;
  for (std::size_t s = 0; s < counts_.size(); ++s) out.push_back(holds(s));
  return out;
}

bool MappingValues::apply(std::span<const std::size_t> choice, MappingInput& mapping) const {
  for (std::size_t s = 0; s < counts_.size(); ++s) {
    if (counts_[s].copy && !apply(s, choice[s], mapping)) return false;
  }
  return true;
}

bool MappingValues::apply(std::size_t setting, std::size_t value, MappingInput& mapping) const {
  const auto& read = counts_[setting].values[value];
  if (read) counts_[setting].copy(mapping, *read);
  return read.has_value();
}

}  // namespace trainyard
