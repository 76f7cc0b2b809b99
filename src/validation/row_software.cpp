#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/counted.h"
#include "catalog/catalog.h"
#include "trainyard/catalog.h"
#include "trainyard/nearest.h"
#include "validation/row_cells.h"
#include "validation/run_names.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr WholeRange kRanks{1, 100'000};                 // of adapters
constexpr RealRange kImbalance{1, 100'000};              // no device gets more, whatever is asked
constexpr const char* kUsualSoftware = "megatron-core";  // where an accelerator names none

/// What runs on the devices.
class SoftwareCells : RowCells {
 public:
  explicit SoftwareCells(const RowCells& cells) : RowCells(cells) {}

  void read() {
    read_kernels();
    read_software();
    read_adapter();
  }

 private:
  void read_kernels() {
    run_.attention = row_.choice<Attention>("attention", attention_words()).value_or(Attention::flash);
    run_.recompute = row_.choice<Recompute>("recompute", recompute_words()).value_or(Recompute::none);
    run_.recompute_layers = row_.whole("recompute_layers", kRunLayers);
    if (run_.recompute_layers && *run_.recompute_layers > run_.shape.blocks()) {
      row_.complain(fmt::format("recompute_layers = {} of {}", *run_.recompute_layers,
                                counted(run_.shape.blocks(), "layer")));
    }
    run_.offload_layers = row_.whole("offload_layers", kRunLayers);
    if (run_.offload_layers && *run_.offload_layers > run_.shape.blocks())
      row_.complain(fmt::format("offload_layers = {} of {}", *run_.offload_layers,
                                counted(run_.shape.blocks(), "layer")));
    read_modules();
    run_.compiled = row_.flag("compiled").value_or(false);
    run_.graphs = row_.flag("graphs");
    run_.blocking_launches = row_.flag("blocking_launches").value_or(false);
    run_.context_exchange = row_.choice<ContextExchange>("context_exchange", exchange_words());
    run_.low_attention = row_.flag("low_attention");
    run_.low_output = row_.flag("low_output");
    run_.expert_imbalance = row_.number("expert_imbalance", kImbalance).value_or(1);
    run_.activation_input = row_.choice<Precision>("activation_input", precision_words());
    run_.states = row_.choice<Precision>("states", state_words());
    run_.hides = hidden_of("hides");
    run_.exposes = hidden_of("exposes");
    for (const Hidden what : run_.exposes) {
      if (std::find(run_.hides.begin(), run_.hides.end(), what) != run_.hides.end())
        row_.complain("columns 'hides' and 'exposes' contradict each other");
    }
  }

  void read_modules() {
    for (const std::string& word : row_.words("recompute_modules")) {
      const auto module = row_.choice_of<RecomputeModule>("recompute_modules", word, module_words());
      if (module && std::find(run_.recompute_modules.begin(), run_.recompute_modules.end(), *module) ==
                        run_.recompute_modules.end())
        run_.recompute_modules.push_back(*module);
    }
    std::sort(run_.recompute_modules.begin(), run_.recompute_modules.end());
    if (!run_.recompute_modules.empty() && run_.recompute != Recompute::none)
      row_.complain("columns 'recompute' and 'recompute_modules' contradict each other");
  }

  std::vector<Hidden> hidden_of(std::string_view column) {
    std::vector<Hidden> out;
    for (const std::string& word : row_.words(column)) {
      if (column == "hides" && plain_letters(word) == "wholly") {
        run_.hides_wholly = true;
      } else if (const auto what = row_.choice_of<Hidden>(column, word, hidden_words())) {
        if (std::find(out.begin(), out.end(), *what) == out.end()) out.push_back(*what);
      }
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  void read_software() {
    const std::string key = row_.text("software");
    const std::string framework = row_.text("framework");
    run_.software = key.empty() ? software_of_framework(framework) : known_software(key);
    if (!key.empty() && run_.software.empty()) {
      row_.complain_unknown("software", key, catalog_.software.keys());
    } else if (key.empty() && !framework.empty() && run_.software.empty()) {
      row_.complain_cell("framework", framework, "names no training program that is known",
                         suggestion(framework, catalog_.software.keys()));
    }
    if (!run_.software.empty()) return;
    if (const Accelerator* found = catalog_.accelerators.find(run_.accelerator_key))
      run_.software = found->software;
    if (run_.software.empty()) run_.software = kUsualSoftware;
    assume("software '" + run_.software + "', usual on this accelerator");
  }

  /// The catalog's key, capitals and marks aside; "" where it has none.
  std::string known_software(const std::string& cell) const {
    for (const auto& [key, software] : catalog_.software) {
      if (plain_letters(key) == plain_letters(cell)) return key;
    }
    return {};
  }

  /// "lora:16", "LoRA 16", "lora16".
  void read_adapter() {
    const std::string cell = row_.text("adapter");
    const std::string plain = plain_letters(cell);
    if (cell.empty() || plain == "none" || plain == "no") return;
    constexpr std::string_view kLora = "lora";
    std::int64_t rank = 0;
    const char* end = cell.data() + cell.size();
    const char* digits = end;
    if (plain.starts_with(kLora) && plain_letters(cell.substr(0, kLora.size())) == kLora) {
      digits = cell.data() + kLora.size();
      while (digits != end && (*digits == ':' || *digits == ' ' || *digits == '=')) ++digits;
    }
    const auto [stop, code] = std::from_chars(digits, end, rank);
    if (code == std::errc{} && stop == end && rank >= kRanks.low && rank <= kRanks.high) {
      run_.adapter_rank = rank;
    } else {
      row_.complain_cell(
          "adapter", cell, "is no adapter",
          fmt::format("allowed: none, or lora:RANK with a rank of {} to {}", kRanks.low, kRanks.high));
    }
  }
};

}  // namespace

void read_software_cells(const RowCells& cells) { SoftwareCells(cells).read(); }

}  // namespace trainyard
