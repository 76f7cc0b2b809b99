#include "step/run_defaults.h"

#include <algorithm>
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

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

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

/// What the catalog calls an accelerator that people name shorter, once their words for maker, board and
/// memory are gone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kShortNames = {
    {{"a100", "a100-80"},
     {"h100", "h100-sxm"},
     {"h100hbm2e500w", "h100-hbm2e"},
     {"h100500w", "h100-hbm2e"},
     {"mi250", "mi250x"},
     {"mi250xgcd", "mi250x"},
     {"b300", "gb300"},
     {"trillium", "tpu-v6e"}}};

constexpr std::array<std::string_view, 22> kWordsOfNoMeaning = {
    "nvidia", "amd", "intel", "google",   "gpu",    "gpus", "sxm",  "sxm2", "sxm3",  "sxm4",  "sxm5",
    "hgx",    "dgx", "oam",   "instinct", "tensor", "core", "hbm2", "hbm3", "hbm3e", "nvl72", "cloud"};

// FlashAttention (Dao et al. 2022) is younger than the first three. The first that fits counts.
constexpr std::array<SourceKind, 22> kKinds = {
    {{"sc 2021", RunFramework::megatron_2021, Attention::stored},
     {"nsdi 2024", RunFramework::megatron_2021, Attention::flash},
     {"megascale", RunFramework::megatron_2021, Attention::flash},
     {"megatron-deepspeed", RunFramework::megatron_2021, Attention::stored},
     {"mlsys 2023", RunFramework::megatron, Attention::stored},
     {"chowdhery", RunFramework::palm, Attention::stored},
     {"palm", RunFramework::palm, Attention::stored},
     {"simumax", RunFramework::megatron, Attention::flash},
     {"torchtitan", RunFramework::torchtitan, Attention::flash},
     {"llama 3 herd", RunFramework::llama3, Attention::flash},
     {"nemo", RunFramework::nemo, Attention::flash},
     {"megatron bridge", RunFramework::nemo, Attention::flash},
     {"megatron-bridge", RunFramework::nemo, Attention::flash},
     {"megatron core", RunFramework::megatron_core, Attention::flash},
     {"megatron-core", RunFramework::megatron_core, Attention::flash},
     {"mlperf", RunFramework::nemo, Attention::flash},
     {"examples/llama", RunFramework::nemo, Attention::flash},
     {"llm-foundry", RunFramework::fsdp, Attention::flash},
     {"mosaic", RunFramework::fsdp, Attention::flash},
     {"deepspeed", RunFramework::fsdp, Attention::flash},
     {"fsdp", RunFramework::fsdp, Attention::flash},
     {"pytorch", RunFramework::fsdp, Attention::flash}}};

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

namespace {

/// Whether the last year that a text names is one in which training programs had no FlashAttention yet.
bool is_before_flash(std::string_view text) {
  constexpr std::size_t kDigits = 4;
  constexpr int kFirstYear = 2017;
  constexpr int kLastYear = 2022;
  bool before = false;
  for (std::size_t at = 0; at + kDigits <= text.size(); ++at) {
    const std::string_view year = text.substr(at, kDigits);
    if (!year.starts_with("20") || !is_number(year)) continue;
    const int value = std::stoi(std::string(year));
    before = value >= kFirstYear && value <= kLastYear;
  }
  return before;
}

}  // namespace

SourceKind kind_of_source(std::string_view source) {
  const std::string name = lower_case(source);
  for (const SourceKind& kind : kKinds) {
    if (name.find(kind.part_of_source) != std::string::npos) return kind;
  }
  SourceKind unknown;
  if (is_before_flash(name)) unknown.attention = Attention::stored;
  return unknown;
}

namespace {

/// Words and numbers of a name, in small letters.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : lower_case(name)) {
    const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (part) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// "80gb", or the "80" and the "gb" of "80 GB".
bool is_capacity(std::string_view word) {
  return word == "gb" || is_number(word) ||
         (word.ends_with("gb") && is_number(word.substr(0, word.size() - 2)));
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += word;
  return out;
}

/// The words that tell accelerators apart.
std::string core_name(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  std::erase_if(words, [](const std::string& word) {
    const bool empty =
        std::find(kWordsOfNoMeaning.begin(), kWordsOfNoMeaning.end(), word) != kWordsOfNoMeaning.end();
    return empty || is_capacity(word);
  });
  return joined(words);
}

}  // namespace

std::string accelerator_key(std::string_view name, const Catalog& catalog) {
  const std::string whole = joined(words_of(name));
  const std::string core = core_name(name);
  if (core.empty()) return {};
  for (const auto& [key, accelerator] : catalog.accelerators) {
    if (joined(words_of(key)) == whole || joined(words_of(accelerator.info.name)) == whole) return key;
  }
  const bool small_a100 = core == "a100" && whole.find("40gb") != std::string::npos;
  if (small_a100 && catalog.accelerators.contains("a100-40")) return "a100-40";
  for (const auto& [spelling, key] : kShortNames) {
    if (spelling == core && catalog.accelerators.contains(std::string(key))) return std::string(key);
  }
  for (const auto& [key, accelerator] : catalog.accelerators) {
    if (joined(words_of(key)) == core) return key;
  }
  return {};
}

std::vector<std::string> accelerator_names(const Catalog& catalog) {
  std::vector<std::string> names;
  for (const auto& [key, accelerator] : catalog.accelerators) names.push_back(key);
  return names;
}

const ModelShape* known_model(std::string_view name, const Catalog& catalog) {
  const std::string wanted = joined(words_of(name.substr(0, name.find(','))));
  if (wanted.empty()) return nullptr;
  for (const auto& [key, shape] : catalog.models) {
    if (joined(words_of(key)) == wanted || joined(words_of(shape.info.name)) == wanted) return &shape;
  }
  return nullptr;
}

}  // namespace trainyard
