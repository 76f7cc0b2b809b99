#include "trainyard/measured_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/embedded.h"
#include "base/errors.h"
#include "model/recompute_modules.h"
#include "trainyard/catalog.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/training.h"
#include "validation/column_names.h"
#include "validation/mlperf_runs.h"
#include "validation/run_files.h"
#include "validation/run_names.h"
#include "validation/run_reader.h"
#include "validation/run_scenario.h"
#include "validation/scenario_run.h"

namespace trainyard {
namespace {

constexpr const char* kMeasured = "data/measured_runs.csv";
constexpr const char* kHeldOut = "data/held_out_runs.csv";
constexpr std::size_t kReportedRows = 25;  // rows with findings, after which reading stops

std::string_view embedded_text(std::string_view name) {
  for (const EmbeddedFile& file : run_files()) {
    if (file.name == name) return file.text;
  }
  broken_invariant("files of runs are compiled in", __FILE__, __LINE__, std::string(name));
}

/// Keys of the accelerators that the shipped runs, on which constants are fitted, were measured on.
const std::set<std::string>& measured_accelerators() {
  static const std::set<std::string> keys = [] {
    std::set<std::string> out;
    const RunTable table = read_run_table(embedded_text(kMeasured), kMeasured);
    const auto column = std::find(table.header.begin(), table.header.end(), "accelerator");
    const auto at = static_cast<std::size_t>(column - table.header.begin());
    for (const auto& cells : table.rows) out.insert(accelerator_key(cells[at], *shipped_catalog()));
    return out;
  }();
  return keys;
}

/// What single cells allow may be no scenario together.
void check_scenario(RunRow& row, const MeasuredRun& run, const Catalog& catalog) {
  try {
    run_scenario(run, catalog);
  } catch (const InputError& error) {
    for (const Finding& finding : error.findings())
      row.complain(in_columns(finding.message), in_columns(finding.help));
  }
}

/// Reads every row of a file that a user wrote for us: one that cannot be read refuses the file.
RunFile read_own(RunTable table, const Catalog& catalog) {
  check_run_header(table);
  RunFile out;
  RunReader reader(catalog, measured_accelerators());
  Findings findings;
  std::set<std::string> ids;
  std::size_t bad = 0;
  for (std::size_t i = 0; i < table.rows.size() && bad < kReportedRows; ++i) {
    RunRow row(table.header, std::move(table.rows[i]), table.places[i], findings,
               std::move(table.cell_places[i]));
    MeasuredRun run = reader.read(row);
    if (!ids.insert(run.id).second) row.complain("another row has this id");
    if (row.good()) check_scenario(row, run, catalog);
    if (!row.good()) ++bad;
    out.runs.push_back(std::move(run));
  }
  findings.throw_if_any();
  return out;
}

/// Reads what it can of a table that others publish.
RunFile read_published(MlperfTable table, const Catalog& catalog) {
  RunFile out;
  RunReader reader(catalog, measured_accelerators());
  std::set<std::string> ids;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    MlperfRow& source = table.rows[i];
    Findings findings;
    RunRow row(table.header, std::move(source.cells), source.where, findings, std::move(source.places),
               std::move(source.names));
    for (const UnknownWord& word : source.unknown) row.complain_unknown(word.column, word.cell, word.allowed);
    MeasuredRun run = reader.read(row);
    if (!ids.insert(run.id).second) row.complain("another row has this id");
    run.published = true;
    run.assumed.insert(run.assumed.end(), source.assumed.begin(), source.assumed.end());
    if (row.good()) {
      out.runs.push_back(std::move(run));
      continue;
    }
    const auto found = findings.all();
    out.skipped.insert(out.skipped.end(), found.begin(), found.end());
  }
  if (!out.runs.empty() || out.skipped.empty()) return out;
  out.skipped.resize(std::min(out.skipped.size(), kReportedRows));
  throw InputError(out.skipped);
}

}  // namespace

RunFile read_run_file(std::string_view text, const std::string& name, const Catalog& catalog) {
  if (is_scenario_file(name)) return {{scenario_run(text, name, catalog)}, {}};
  RunTable table = read_run_table(text, name);
  RunFile out = is_mlperf_table(table.header)
                    ? read_published(from_mlperf(std::move(table), catalog), catalog)
                    : read_own(std::move(table), catalog);
  if (out.runs.empty())
    fail_input({std::make_shared<const SourceText>(SourceText{name, {}}), 0, 0}, "holds no runs");
  return out;
}

std::vector<MeasuredRun> read_measured_runs(std::string_view text, const std::string& name,
                                            const Catalog& catalog) {
  return read_run_file(text, name, catalog).runs;
}

std::vector<MeasuredRun> shipped_runs(const Catalog& catalog) {
  return read_measured_runs(embedded_text(kMeasured), kMeasured, catalog);
}

std::vector<MeasuredRun> held_out_runs(const Catalog& catalog) {
  return read_measured_runs(embedded_text(kHeldOut), kHeldOut, catalog);
}

namespace {

/// Of what is hidden or exposed, what the run's cut has at all.
std::string hidden_text(const std::vector<Hidden>& what, const MeasuredRun& run) {
  std::string out;
  for (const Hidden hidden : what) {
    const bool absent = (hidden == Hidden::tensor && run.tensor == 1) ||
                        (hidden == Hidden::pipeline && run.pipeline == 1) ||
                        (hidden == Hidden::expert && run.expert == 1);
    if (!absent) out += fmt::format("{},", static_cast<int>(hidden));
  }
  return out;
}

std::string shape_text(const ModelShape& s) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", s.layers, s.hidden, s.heads,
                     s.kv_heads_or_all(), s.head_size_or_even(), s.ffn_or_fourfold(), s.gated_ffn,
                     s.vocabulary, s.sequence, s.parallel_block, s.experts, s.experts_per_token,
                     s.expert_ffn_or_ffn(), s.shared_experts, s.dense_layers, static_cast<int>(s.attention),
                     s.tied_embeddings, s.dropout, static_cast<int>(s.norm)) +
         fmt::format(" {} {} {} {} {} {}", s.window_in_force(), s.windowed_layers, s.mtp_layers,
                     s.expert_groups, s.groups_per_token, s.activation == Activation::squared_relu) +
         fmt::format(" {} {} {} {} {} {} {} {}", s.qk_norm, s.capped_logits, s.chunked_window,
                     s.expert_interval, s.shared_ffn_or_expert(), s.global_head_or_same(),
                     s.global_kv_or_same(), s.global_keys_are_values);
}

}  // namespace

std::string configuration_of(const MeasuredRun& r) {
  constexpr std::int64_t kNone = -1;
  if (!r.scenario_text.empty()) return r.scenario_settings;
  std::string out = shape_text(r.shape);
  const bool leaves = r.devices > r.devices_per_hb_domain;
  out +=
      fmt::format("|{} {} {} {}", r.accelerator_key, r.devices, leaves ? r.devices_per_hb_domain : r.devices,
                  leaves ? r.nic_rate.value_or(BitRate(0)).si() : 0);
  out += fmt::format("|{} {} {} {} {} {} {} {}", r.global_batch, r.microbatch, r.tensor, r.pipeline,
                     r.virtual_stages, r.data, r.context, r.expert);
  out += fmt::format("|{} {} {} {} {} {} {} {}", r.zero_stage, r.sequence_parallel,
                     static_cast<int>(r.recompute), r.recompute_layers.value_or(kNone),
                     static_cast<int>(r.precision), static_cast<int>(r.scaling),
                     static_cast<int>(r.attention), static_cast<int>(r.schedule));
  const auto stated = [](std::optional<bool> fact) { return fact ? static_cast<int>(*fact) : kNone; };
  out += fmt::format("|{} {} {} {} {} {} {} {} {}", r.software, r.compiled, hidden_text(r.hides, r),
                     r.hides_wholly, hidden_text(r.exposes, r), stated(r.graphs), stated(r.low_attention),
                     stated(r.low_output), r.adapter_rank.value_or(kNone));
  if (!r.recompute_modules.empty()) out += fmt::format("|modules {}", module_bits(r.recompute_modules));
  if (r.blocking_launches) out += "|blocking";
  if (r.context_exchange) out += fmt::format("|exchange {}", static_cast<int>(*r.context_exchange));
  if (r.expert_imbalance > 1) out += fmt::format("|imbalance {}", r.expert_imbalance);
  if (r.offload_layers) out += fmt::format("|offload {}", *r.offload_layers);
  if (r.zero_group) out += fmt::format("|group {}", *r.zero_group);
  if (r.expert_tensor && *r.expert_tensor != r.tensor) out += fmt::format("|etp {}", *r.expert_tensor);
  if (r.last_stage_layers) out += fmt::format("|last {}", *r.last_stage_layers);
  if (r.activation_input) out += fmt::format("|{}", static_cast<int>(*r.activation_input));
  if (r.states) out += fmt::format("|states {}", static_cast<int>(*r.states));
  return out + fmt::format("|{}", r.peak.value_or(FlopRate(0)).si());
}

}  // namespace trainyard
