#include "validation/mlperf_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/letters.h"
#include "trainyard/catalog.h"
#include "validation/run_names.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr std::array<std::string_view, 5> kOwnColumns = {"round", "submitter", "system", "benchmark",
                                                         "step_time_s"};

/// Columns that mean the same under the same name.
constexpr std::array<std::string_view, 22> kSame = {"model",
                                                    "devices",
                                                    "devices_per_hb_domain",
                                                    "layers",
                                                    "hidden",
                                                    "heads",
                                                    "kv_heads",
                                                    "ffn",
                                                    "vocab",
                                                    "sequence",
                                                    "global_batch",
                                                    "microbatch",
                                                    "microbatches",
                                                    "tp",
                                                    "pp",
                                                    "vpp",
                                                    "dp",
                                                    "cp",
                                                    "ep",
                                                    "sequence_parallel",
                                                    "precision",
                                                    "note"};

constexpr double kGiga = 1e9;

/// XLA's policies of MaxText name the outputs of products that are kept (MaxText, layers/decoders.py,
/// get_remat_policy): what else the backward pass needs is computed again. Megatron Core's name what is.
std::optional<std::string> policy_modules(const std::string& policy) {
  if (policy == "minimal_with_context" || policy == "minimal_flash") return "layernorm;mlp_act";
  if (policy == "save_dot_with_context_except_mlp") return "layernorm;mlp_up";
  if (policy == "minimal" || policy == "save_dot_except_logits") return "layernorm;core_attn;mlp_act";
  if (policy == "save_dot_except_mlpwi" || policy == "save_dot_except_mlp" ||
      policy == "save_dot_except_logits_ffn1")
    return "layernorm;core_attn;mlp_up";
  for (const auto& [word, module] : module_words())
    if (policy == word) return policy;
  return std::nullopt;
}

/// The rate of a device's network interfaces in the catalog's HB domains of it, or of another accelerator
/// with the same constants: the first in the order of keys.
struct UsualNic {
  double gigabits = 0;
  std::string domain;
};
std::optional<UsualNic> usual_nic(const std::string& accelerator, const Catalog& catalog) {
  const std::string constants = calibration_key(catalog, accelerator);
  std::optional<UsualNic> related;
  for (const auto& [key, domain] : catalog.hb_domains) {
    const Nic* nic = catalog.nics.find(domain.nic);
    if (!nic) continue;
    const UsualNic usual{nic->rate.si() * domain.nics_per_device / kGiga, key};
    if (domain.accelerator == accelerator) return usual;
    const bool same_constants =
        !constants.empty() && calibration_key(catalog, domain.accelerator) == constants;
    if (same_constants && !related) related = usual;
  }
  return related;
}

/// "full block 21 layers" is 21.
std::optional<std::int64_t> layers_in(const std::string& text) {
  const auto at = text.find_first_of("0123456789");
  if (at == std::string::npos || text.find(" layers") == std::string::npos) return std::nullopt;
  std::int64_t layers = 0;
  const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), layers);
  return code == std::errc{} ? std::optional(layers) : std::nullopt;
}

/// "delayed scaling; fp8 attention", "attention in fp8", not "fp8 attention off".
bool names_low_attention(const std::string& detail) {
  constexpr std::array<std::string_view, 3> kPhrases = {"fp8 attention", "attention in fp8", "attention fp8"};
  constexpr std::array<std::string_view, 3> kNot = {"no ", "not ", "without "};
  constexpr std::array<std::string_view, 4> kOff = {" off", ": off", " not", " disabled"};
  const std::string_view text = detail;
  for (const std::string_view phrase : kPhrases) {
    for (auto at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
      const std::string_view before = text.substr(0, at);
      const std::string_view after = text.substr(at + phrase.size());
      const auto ends = [&](std::string_view word) { return before.ends_with(word); };
      const auto begins = [&](std::string_view word) { return after.starts_with(word); };
      if (std::none_of(kNot.begin(), kNot.end(), ends) && std::none_of(kOff.begin(), kOff.end(), begins))
        return true;
    }
  }
  return false;
}

/// Turns rows of the published table into rows of measured runs.
class Translator {
 public:
  Translator(const std::vector<std::string>& header, const Catalog& catalog) : catalog_(catalog) {
    for (std::size_t i = 0; i < header.size(); ++i) columns_[header[i]] = i;
    for (const RunColumn& column : run_columns()) {
      places_[std::string(column.name)] = header_.size();
      header_.emplace_back(column.name);
    }
  }

  const std::vector<std::string>& header() const { return header_; }

  /// Row `i` of the table.
  MlperfRow row(const RunTable& table, std::size_t i) {
    from_ = &table.rows[i];
    from_places_ = &table.cell_places[i];
    out_ = {};
    out_.cells.resize(header_.size());
    out_.places.resize(header_.size());
    out_.names.resize(header_.size());
    out_.where = table.places[i];
    for (const std::string_view same : kSame) set(same, cell(same), same);
    set("id", raw("round") + "/" + raw("submitter") + "/" + raw("system") + "/" + raw("benchmark"), "system");
    set("source", "MLPerf Training " + raw("round") + ", " + raw("benchmark"), "round");
    benchmark();
    hardware();
    program();
    recomputation();
    measurement();
    return std::move(out_);
  }

 private:
  std::string raw(std::string_view column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() ? std::string() : trimmed((*from_)[found->second]);
  }
  std::string cell(std::string_view column) const { return told(raw(column)); }
  void set(std::string_view column, std::string text) {
    out_.cells[places_.find(column)->second] = std::move(text);
  }
  /// `from`: the column of the table that messages name.
  void set(std::string_view column, std::string text, std::string_view from) {
    const std::size_t at = places_.find(column)->second;
    out_.cells[at] = std::move(text);
    out_.names[at] = from;
    const auto found = columns_.find(from);
    if (found != columns_.end()) out_.places[at] = (*from_places_)[found->second];
  }
  void assume(std::string fact) { out_.assumed.push_back(std::move(fact)); }

  void benchmark() {
    const std::string name = raw("benchmark");
    set("base_model", "", "benchmark");
    std::vector<std::string> benchmarks;
    for (const MlperfBenchmark& known : mlperf_benchmarks()) {
      benchmarks.emplace_back(known.name);
      if (known.name != name) continue;
      set("base_model", std::string(known.base_model));
      set("gated_ffn", std::string(known.gated_ffn));
      set("adapter", std::string(known.adapter));
      set("dropout", std::string(known.dropout));
      set("etp", std::string(known.etp));
    }
    if (!name.empty() && std::find(benchmarks.begin(), benchmarks.end(), name) == benchmarks.end())
      out_.unknown.push_back({"base_model", name, std::move(benchmarks)});
  }

  void hardware() {
    const std::string name = cell("accelerator");
    const bool known = !accelerator(name).empty();
    const std::string used = known || cell("accelerator_short").empty() ? name : cell("accelerator_short");
    set("accelerator", used, "accelerator");
    const std::string rate = cell("nic_gbps_per_device");
    set("nic_gbps_per_device", rate, "nic_gbps_per_device");
    const bool one_domain = cell("devices") == cell("devices_per_hb_domain");
    if (!rate.empty() || one_domain) return;
    if (const auto& usual = nic(accelerator(used))) {
      set("nic_gbps_per_device", fmt::format("{}", usual->gigabits));
      assume(fmt::format("{:g} Gb/s a device between HB domains, as the catalog's '{}'", usual->gigabits,
                         usual->domain));
    }
  }

  const std::string& accelerator(const std::string& name) {
    const auto known = accelerators_.find(name);
    if (known != accelerators_.end()) return known->second;
    return accelerators_[name] = accelerator_key(name, catalog_);
  }
  const std::optional<UsualNic>& nic(const std::string& key) {
    const auto known = nics_.find(key);
    if (known != nics_.end()) return known->second;
    return nics_[key] = usual_nic(key, catalog_);
  }

  /// The software by its spelling, and what the row says that it did or did not do.
  void program() {
    const std::string own = cell("software");  // not of the published table
    set("software", own.empty() ? software_of_framework(cell("framework")) : own,
        own.empty() ? "framework" : "software");
    set("zero_stage", cell("zero"), "zero");
    exchange();
    std::string hides;
    std::string exposes;
    const auto habit = [&](std::string_view column, const std::string& what) {
      const auto says = said(column, yes_no_words());
      if (says) (*says ? hides : exposes) += what + ";";
    };
    habit("tp_comm_overlap", "tensor");
    habit("overlap_grad", "gradients");
    set("hides", hides);
    set("exposes", exposes);
    if (names_low_attention(lower_case(cell("precision_detail")))) set("low_attention", "1");
    Words<bool> graph_words = yes_no_words();
    graph_words.emplace_back("partial", true);
    if (const auto graphs = said("cuda_graphs", graph_words)) set("graphs", *graphs ? "1" : "0");
    // The images that NVIDIA submits with and others take over capture them.
    const bool images = software_of_framework(cell("framework")).starts_with("nemo");
    if (images && cell("cuda_graphs").empty()) set("graphs", "1");
  }

  /// What a cell says; of a word that is unknown nothing, which a warning names.
  template <class T>
  std::optional<T> said(std::string_view column, const Words<T>& words) {
    const std::string text = cell(column);
    if (text.empty()) return std::nullopt;
    std::string allowed;
    for (const auto& [word, value] : words) {
      if (plain_letters(word) == plain_letters(text)) return value;
      allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    }
    assume(
        fmt::format("column '{}' blank where it is '{}' (allowed: {})", column, text.substr(0, 40), allowed));
    return std::nullopt;
  }

  /// Logs of rounds v5.0 and v5.1 state cp_comm_type (config_common.sh and the logs of llama2_70b_lora: a2a);
  /// the images until 24.09 knew rings alone. Transformer Engine's rings know neither windows nor sinks.
  void exchange() {
    const std::string& program = out_.cells[places_.find("software")->second];
    if (!program.starts_with("nemo") || program == "nemo-2409") return;
    for (const MlperfBenchmark& known : mlperf_benchmarks())
      if (known.name == cell("benchmark")) set("context_exchange", std::string(known.context_exchange));
  }

  void recomputation() {
    const std::string whole = lower_case(cell("recompute"));
    const std::string text = whole.substr(0, whole.find(';'));
    if (whole.find("fp8 activation input store") != std::string::npos) set("activation_input", "fp8");
    if (text.starts_with("full") || text.starts_with("gradient checkpointing")) {
      set("recompute", "full");
      if (const auto layers = layers_in(text)) set("recompute_layers", std::to_string(*layers));
    } else if (const auto modules = policy_modules(text)) {
      set("recompute_modules", *modules);
    } else if (!text.empty() && text != "none") {
      set("recompute", "selective");
      assume("selective recomputation for '" + text.substr(0, 40) + "'");
    }
  }

  void measurement() {
    const std::string time = cell("step_time_s");
    set("value", time, "step_time_s");
    set("metric", "step_time");
    set("unit", "s");
    const auto timed = said("step_quality", Words<bool>{{"A", true}, {"B", true}, {"C", false}});
    if (!timed.value_or(true)) set("left_out", "the measured time includes evaluation");
  }

  const Catalog& catalog_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::vector<std::string> header_;
  std::map<std::string, std::string> accelerators_;
  std::map<std::string, std::optional<UsualNic>> nics_;
  const std::vector<std::string>* from_ = nullptr;
  const std::vector<Location>* from_places_ = nullptr;
  MlperfRow out_;
};

}  // namespace

const std::vector<MlperfBenchmark>& mlperf_benchmarks() {
  static const std::vector<MlperfBenchmark> benchmarks = {
      {"gpt3", "gpt3-175b", "0", "none", "0", "", ""},
      {"llama31_405b", "llama3-405b", "1", "none", "", "", ""},
      {"llama31_8b", "llama3-8b", "1", "none", "", "", ""},
      {"llama2_70b_lora", "llama2-70b", "1", "lora:16", "", "", "all_to_all"},
      {"gpt_oss_20b", "gpt-oss-20b", "1", "none", "", "1", "all_to_all"},
      {"deepseekv3_671b", "deepseek-v3", "1", "none", "", "1", ""}};
  return benchmarks;
}

bool is_mlperf_table(const std::vector<std::string>& header) {
  return std::all_of(kOwnColumns.begin(), kOwnColumns.end(), [&](std::string_view column) {
    return std::find(header.begin(), header.end(), column) != header.end();
  });
}

MlperfTable from_mlperf(RunTable table, const Catalog& catalog) {
  Translator translator(table.header, catalog);
  MlperfTable out;
  out.header = translator.header();
  for (std::size_t i = 0; i < table.rows.size(); ++i) out.rows.push_back(translator.row(table, i));
  return out;
}

}  // namespace trainyard
