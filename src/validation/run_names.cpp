#include "validation/run_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/letters.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// What the catalog calls an accelerator that people name shorter, once their words for maker, board and
/// memory are gone.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kShortNames = {
    {{"a100", "a100-80"},
     {"h100", "h100-sxm"},
     {"h100hbm2e500w", "h100-hbm2e"},
     {"h100500w", "h100-hbm2e"},
     {"mi250", "mi250x"},
     {"mi250xgcd", "mi250x"},
     {"b300", "b300"},
     {"trillium", "tpu-v6e"},
     {"tputrillium", "tpu-v6e"}}};

constexpr std::array<std::string_view, 24> kWordsOfNoMeaning = {
    "nvidia", "amd",  "intel", "google", "gpu",   "gpus",  "sxm",       "sxm2",
    "sxm3",   "sxm4", "sxm5",  "hgx",    "dgx",   "oam",   "instinct",  "tensor",
    "core",   "hbm2", "hbm3",  "hbm3e",  "nvl72", "cloud", "blackwell", "dlc"};

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

const std::vector<FrameworkSpelling>& framework_spellings() {
  static const std::vector<FrameworkSpelling> spellings = {
      {"torchtitan", "torchtitan", "its own program"},
      {"nanotron", "nanotron", "its own program"},
      {"aleph-alpha", "aleph-alpha-scaling", "its own program"},
      {"llama3", "llama3", "Meta's trainer"},
      {"maxtext", "maxtext", "compiled by XLA"},
      {"jax", "maxtext", "compiled by XLA"},
      {"palm", "maxtext", "compiled by XLA"},
      {"megatron-deepspeed", "megatron-deepspeed", "its own program"},
      {"deepspeed", "deepspeed", "its own program"},
      {"rocm", "nemo", "AMD's images for MLPerf train language models with NeMo"},
      {"automodel", "automodel", "NeMo AutoModel, built on FSDP"},
      {"megatron-bridge", "megatron-bridge", "its own program"},
      {"nemo", "nemo", "its own program"},
      {"megatron-2021", "megatron-2021", "Megatron-LM of 2021"},
      {"megatron-core", "megatron-core", "Megatron-LM since 2023"},
      {"megatron", "megatron-lm", "Megatron-LM of 2022"},
      {"llm-foundry", "llm-foundry", "its own program, built on FSDP"},
      {"mosaic", "llm-foundry", "llm-foundry"},
      {"fsdp", "fsdp", "its own program"},
      {"nvidia", "nemo", "NVIDIA's images for MLPerf train language models with NeMo"},
      {"ngc", "nemo", "the same images"},
      {"dell release", "nemo", "the same images"},
      {"cuda", "nemo", "of MLPerf: the image's compiler alone is named"}};
  return spellings;
}

const std::vector<SoftwareRelease>& software_releases() {
  static const std::vector<SoftwareRelease> releases = {
      {"nemo", "24.01", "24.09", "nemo-2409"},
      {"nemo", "25.09", "", "nemo-2509"},
      {"megatron-bridge", "26.04", "", "megatron-bridge-2604"}};
  return releases;
}

namespace {

/// Small letters and digits alone.
std::string plain(std::string_view text) { return joined(words_of(text)); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "YY.MM" of this century's twenties and later, with nothing of a longer version behind it.
bool is_release(std::string_view word) {
  return word.size() == 5 && word[0] >= '2' && is_digit(word[0]) && is_digit(word[1]) && word[2] == '.' &&
         is_digit(word[3]) && is_digit(word[4]) && word.substr(3) >= "01" && word.substr(3) <= "12";
}

/// The latest release that stands by itself: systems' files name images that logs correct. Ubuntu's are none.
std::string latest_release(std::string_view text) {
  const auto of_version = [](char c) { return is_digit(c) || c == '.'; };
  std::string latest;
  for (std::size_t at = 0; at < text.size();) {
    if (!of_version(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && of_version(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    while (word.ends_with('.')) word.remove_suffix(1);
    constexpr std::size_t kUbuntu = 6;
    const std::size_t before = at > 0 && text[at - 1] == ' ' ? at - 1 : at;
    const bool ubuntu = before >= kUbuntu && plain(text.substr(before - kUbuntu, kUbuntu)) == "ubuntu";
    if (!ubuntu && is_release(word)) latest = std::max(latest, std::string(word));
    at = end;
  }
  return latest;
}

}  // namespace

std::string software_of_framework(std::string_view framework) {
  const std::string wanted = plain(framework);
  for (const FrameworkSpelling& spelling : framework_spellings()) {
    if (wanted.find(plain(spelling.text)) == std::string::npos) continue;
    const std::string release = latest_release(framework);
    for (const SoftwareRelease& of : software_releases()) {
      const bool in_force = of.from <= release && (of.until.empty() || release <= of.until);
      if (of.program == spelling.software && in_force) return std::string(of.software);
    }
    return std::string(spelling.software);
  }
  return {};
}

std::string framework_spellings_text() {
  std::string out = "| `framework` holds | `software` | why |\n| --- | --- | --- |\n";
  for (const FrameworkSpelling& s : framework_spellings())
    out += fmt::format("| {} | `{}` | {} |\n", s.text, s.software, s.why);
  out +=
      "\n| of `software` | releases (the latest that `framework` names) | stand for |\n| --- | --- | --- |\n";
  for (const SoftwareRelease& r : software_releases()) {
    const std::string last = r.until.empty() ? "and later" : "to " + std::string(r.until);
    out += fmt::format("| `{}` | {} {} | `{}` |\n", r.program, r.from, last, r.software);
  }
  return out;
}

}  // namespace trainyard
