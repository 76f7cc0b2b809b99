#include "step/run_defaults.h"

#include <array>
#include <charconv>
#include <utility>

#include "base/csv.h"
#include "base/embedded.h"
#include "base/errors.h"
#include "base/letters.h"
#include "step/run_files.h"

namespace trainyard {
namespace {

std::optional<std::int64_t> count_of(const std::string& cell) {
  if (cell.empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  TY_ASSERT(code == std::errc{} && end == cell.data() + cell.size(), "run_defaults.csv: " + cell);
  return value;
}

struct DefaultsRow {
  std::string source;  // lower case
  std::optional<std::int64_t> layers;
  std::optional<std::int64_t> hidden;
  PublishedDefaults facts;
};

std::vector<DefaultsRow> shipped_defaults() {
  constexpr std::size_t kColumns = 7;
  std::vector<DefaultsRow> rows;
  for (const EmbeddedFile& file : run_files()) {
    if (file.name != "data/run_defaults.csv") continue;
    for (const auto& cells : parse_csv(file.text)) {
      TY_ASSERT(cells.size() == kColumns, "run_defaults.csv has seven columns");
      if (cells[0] == "source") continue;
      rows.push_back({lower_case(cells[0]),
                      count_of(cells[1]),
                      count_of(cells[2]),
                      {count_of(cells[3]), count_of(cells[4]), count_of(cells[5])}});
    }
  }
  return rows;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSpellings = {
    {{"A100-80GB-SXM", "a100-80"},
     {"H100-80GB-SXM", "h100-sxm"},
     {"H100-96GB-HBM2e-500W", "h100-hbm2e"},
     {"B200-SXM", "b200"},
     {"TPU-v4", "tpu-v4"}}};

// FlashAttention (Dao et al. 2022) is younger than the first three.
constexpr std::array<SourceKind, 6> kKinds = {{{"sc 2021", RunFramework::megatron, Attention::stored},
                                               {"mlsys 2023", RunFramework::megatron, Attention::stored},
                                               {"chowdhery", RunFramework::palm, Attention::stored},
                                               {"palm", RunFramework::palm, Attention::stored},
                                               {"torchtitan", RunFramework::torchtitan, Attention::flash},
                                               {"llama 3 herd", RunFramework::llama3, Attention::flash}}};

}  // namespace

PublishedDefaults published_defaults(std::string_view source, const ModelShape& shape) {
  static const std::vector<DefaultsRow> rows = shipped_defaults();
  const std::string name = lower_case(source);
  for (const DefaultsRow& row : rows) {
    const bool matches = name.find(row.source) != std::string::npos &&
                         row.layers.value_or(shape.layers) == shape.layers &&
                         row.hidden.value_or(shape.hidden) == shape.hidden;
    if (matches) return row.facts;
  }
  return {};
}

SourceKind kind_of_source(std::string_view source) {
  const std::string name = lower_case(source);
  for (const SourceKind& kind : kKinds) {
    if (name.find(kind.part_of_source) != std::string::npos) return kind;
  }
  return {};
}

std::string accelerator_key(std::string_view name, const Catalog& catalog) {
  const std::string wanted = lower_case(name);
  for (const auto& [spelling, key] : kSpellings) {
    if (lower_case(spelling) == wanted && catalog.accelerators.contains(std::string(key)))
      return std::string(key);
  }
  for (const auto& [key, accelerator] : catalog.accelerators) {
    if (lower_case(key) == wanted || lower_case(accelerator.info.name) == wanted) return key;
  }
  return {};
}

std::vector<std::string> accelerator_names(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const auto& [spelling, key] : kSpellings) names.emplace_back(spelling);
  for (const auto& [key, accelerator] : catalog.accelerators) names.push_back(key);
  return names;
}

const ModelShape* known_model(std::string_view name, const Catalog& catalog) {
  const std::string wanted = lower_case(name.substr(0, name.find(',')));
  for (const auto& [key, shape] : catalog.models) {
    if (lower_case(key) == wanted || lower_case(shape.info.name) == wanted) return &shape;
  }
  return nullptr;
}

}  // namespace trainyard
