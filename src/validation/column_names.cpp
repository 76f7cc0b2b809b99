#include "validation/column_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "validation/run_columns.h"

namespace trainyard {
namespace {

constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"facility.hb_domain", "devices_per_hb_domain"},
    {"mapping.tensor", "tp"},
    {"mapping.pipeline", "pp"},
    {"mapping.virtual_stages", "vpp"},
    {"mapping.data", "dp"},
    {"mapping.context", "cp"},
    {"mapping.expert", "ep"},
    {"mapping.expert_tensor", "etp"},
    {"model.name", "base_model"},
    {"model.vocabulary", "vocab"},
    {"model.head_size", "head_dim"},
    {"model.attention_window", "window"},
    {"network.scale_out_rate", "nic_gbps_per_device"},
    {"precision.compute", "precision"},
    {"training.adapter_rank", "adapter"},
    {"training.batch_tokens", "global_batch"},
};

constexpr std::string_view kSections[] = {"facility", "training", "model",    "mapping",
                                          "network",  "step",     "precision"};

bool is_of_key(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// What rows call a setting; itself where none says it.
std::string_view column_of(std::string_view setting) {
  for (const auto& [scenario, column] : kRenamed) {
    if (setting == scenario) return column;
  }
  const std::string_view key = setting.substr(setting.find('.') + 1);
  const auto& columns = run_columns();
  const bool known = std::any_of(columns.begin(), columns.end(),
                                 [&](const RunColumn& column) { return column.name == key; });
  return known ? key : setting;
}

/// The setting that begins a text, "mapping.tensor"; "" where none does.
std::string_view setting_at(std::string_view text) {
  for (const std::string_view section : kSections) {
    if (!text.starts_with(section) || text.size() <= section.size() || text[section.size()] != '.') continue;
    std::size_t end = section.size() + 1;
    while (end < text.size() && is_of_key(text[end])) ++end;
    return end > section.size() + 1 ? text.substr(0, end) : std::string_view();
  }
  return {};
}

}  // namespace

std::string in_columns(const std::string& message) {
  std::string out;
  const std::string_view text = message;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins = i == 0 || !(is_of_key(text[i - 1]) || text[i - 1] == '.');
    const std::string_view setting = begins ? setting_at(text.substr(i)) : std::string_view();
    out += setting.empty() ? text.substr(i, 1) : column_of(setting);
    i += std::max<std::size_t>(1, setting.size());
  }
  return out;
}

}  // namespace trainyard
