#include "validation/run_columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/counted.h"
#include "base/csv.h"
#include "base/letters.h"
#include "trainyard/nearest.h"
#include "trainyard/printable.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr std::size_t kLongestName = 1000;  // of a run or a source: tables repeat it
constexpr std::size_t kShownCell = 40;      // characters of a cell that a message repeats
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_required(std::string_view column) {
  return std::any_of(run_columns().begin(), run_columns().end(),
                     [&](const RunColumn& c) { return c.name == column && c.required(); });
}

/// What tables and programs that write them put where nothing is known.
bool is_placeholder(std::string_view cell) {
  const std::string name = lower_case(cell);
  return name == "na" || name == "n/a" || name == "nan" || name == "null" || name == "-" || name == "?" ||
         name == "unknown";
}

/// Without the ".0" that programs add to whole numbers in columns with blanks.
std::string_view without_zero_fraction(std::string_view cell) {
  const auto point = cell.find('.');
  const bool zeros = point != std::string_view::npos && point > 0 &&
                     cell.find_first_not_of('0', point + 1) == std::string_view::npos;
  return zeros ? cell.substr(0, point) : cell;
}

/// Would reach a terminal.
bool is_control(char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }

/// Holds what is no UTF-8, which a page or JSON could not say.
bool is_replaced(const std::string& cell) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  return cell.find(kReplacement) == std::string::npos &&
         printable(cell).find(kReplacement) != std::string::npos;
}

std::string shown(const std::string& cell) {
  return cell.size() <= kShownCell ? cell : cell.substr(0, kShownCell) + "...";
}

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const RunColumn& column : run_columns()) names.emplace_back(column.name);
  return names;
}

void check_repeated(const std::vector<std::string>& header, const std::vector<Location>& places) {
  std::set<std::string> seen;
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (!seen.insert(header[c]).second)
      fail_input(places[c], "column '" + shown(header[c]) + "' stands twice");
  }
}

std::vector<Location> locations(const std::shared_ptr<const SourceText>& source,
                                const std::vector<CsvPlace>& places) {
  std::vector<Location> out;
  for (const CsvPlace& place : places) out.push_back({source, place.line, place.column});
  return out;
}

}  // namespace

std::string trimmed(const std::string& cell) {
  const auto first = cell.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \t") - first + 1);
}

std::string told(const std::string& cell) {
  std::string text = trimmed(cell);
  return is_placeholder(text) ? std::string() : text;
}

std::string plain_letters(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto letter = [&](char c) { return (c >= 'a' && c <= 'z') || digit(c); };
  const std::string lower = lower_case(text);
  std::string out;
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const char c = lower[i];
    const bool sign =
        c == '-' && (i == 0 || !letter(lower[i - 1])) && i + 1 < lower.size() && digit(lower[i + 1]);
    const bool foreign = static_cast<unsigned char>(c) >= 0x80;
    if (letter(c) || c == '%' || sign || foreign) out += c;
  }
  return out;
}

const std::vector<RunColumn>& run_columns() {
  static const std::vector<RunColumn> columns = {
      {"id", "name of the run; each stands once", ""},
      {"source", "where it was measured; groups rows in reports", "none"},
      {"model", "its name; read only where `base_model` is blank", ""},
      {"base_model",
       "catalog's model that gives what no column has: experts' widths, latent attention, norms, biases",
       "the catalog's model whose key or name stands in `model` before a comma; else GPT-2's details with a "
       "plain feed-forward layer, Llama's with a gated one"},
      {"accelerator",
       "key or name of the catalog, capitals and marks aside, with or without maker, board and memory", ""},
      {"devices", "of the whole run", ""},
      {"devices_per_hb_domain", "devices of a server or rack that share scale-up links",
       "8, or all devices if fewer"},
      {"nic_gbps_per_device", "scale-out rate of a device, one direction, Gb/s",
       "not stated: between HB domains as fast as inside"},
      {"layers", "of the model", ""},
      {"hidden", "width of the model", ""},
      {"heads", "attention heads", ""},
      {"kv_heads", "key and value heads", "as many as heads"},
      {"head_dim", "width of a head", "hidden / heads"},
      {"ffn", "width of the feed-forward layer", "4 x hidden"},
      {"gated_ffn", "0 or 1: three matrices (SwiGLU) in place of two", "by `base_model`; else 0"},
      {"activation", "of the feed-forward layer: `gelu`, `relu`, `squared_relu`, `silu`, `swiglu`, `geglu`",
       "by `base_model`; else `gelu`, gated `swiglu`"},
      {"dropout", "0 or 1: masks of dropout take memory", "by `base_model`; else 1, gated 0"},
      {"parallel_block", "0 or 1: attention and feed-forward layer side by side", "by `base_model`; else 0"},
      {"tied_embeddings", "0 or 1: the output matrix is the embedding", "by `base_model`; else 1, gated 0"},
      {"window", "tokens that sliding-window attention sees", "by `base_model`; else all before"},
      {"vocab", "vocabulary", ""},
      {"experts", "routed experts of a layer, 0: none", "by `base_model`; else 0"},
      {"mtp_layers", "modules of multi-token prediction",
       "by `base_model`, none where it is cut to fewer layers; else 0"},
      {"experts_per_token", "routed experts that a token passes", "by `base_model`; else 0"},
      {"sequence", "tokens of a sequence", ""},
      {"global_batch", "sequences of a step", ""},
      {"microbatch", "sequences of a microbatch", "by `microbatches`; else 1, with a warning"},
      {"microbatches", "microbatches of a step on each replica", "global_batch / (dp x microbatch)"},
      {"tp", "tensor-parallel devices", "1"},
      {"pp", "pipeline stages", "1"},
      {"vpp", "virtual stages (model chunks) of a device",
       "2 for `schedule` interleaved, else 1, with a warning where `pp` is above 1"},
      {"last_stage_layers",
       "layers of the last stage, where it has fewer than the others (Megatron Core's "
       "decoder-last-pipeline-num-layers)",
       "as the others; fewer where the program balances its stages"},
      {"schedule", "`1f1b`, `interleaved`, `gpipe`, `zero-bubble` (ZB-H1), `dualpipe`",
       "`interleaved` for `vpp` above 1, else `1f1b`"},
      {"dp", "replicas", "what is left of the devices"},
      {"cp", "context-parallel devices", "1"},
      {"ep", "expert-parallel devices, out of dp x cp; with `etp` below `tp` out of tensor ranks too", "1"},
      {"etp", "tensor ranks over which an expert is cut (Megatron Core's expert_tensor_parallel_size)",
       "`tp`; 1, with a warning, where `ep` does not divide dp x cp"},
      {"zero_stage", "0 to 3: what replicas share out (nothing, optimizer, gradients, weights)", "1"},
      {"zero_group",
       "replicas over which ZeRO divides, where groups of them hold copies of each other (hybrid sharding)",
       "all"},
      {"sequence_parallel", "0 or 1", "0"},
      {"recompute", "`none`, `selective`, `full`", "`none`"},
      {"recompute_layers", "layers of the model that `recompute` takes in", "all"},
      {"recompute_modules",
       "parts of each layer that are computed again, in Megatron Core's names (`core_attn`, `layernorm`, "
       "`mla_up_proj`, `mlp`, `moe`, `moe_act`, `shared_experts`), or `qkv_proj`, `out_proj`, `mlp_up`, "
       "`mlp_act`, separated by semicolons; with `recompute` `none`",
       "none"},
      {"offload_layers", "layers of the model whose activations go to the host beside each pass", "none"},
      {"precision",
       "of the matrix products: `bf16`, `fp16`, `fp8` (one scale a matrix), `mxfp8`, `fp8-block`, `fp4`, "
       "`int8`, "
       "`tf32`, `fp32`",
       "`bf16`; `fp16` on accelerators without it"},
      {"attention", "`flash`: the matrix stays on chip; `stored` (also `unfused`): it is written to memory",
       "`flash`"},
      {"activation_input",
       "inputs of activation functions as they are kept for the backward pass, as `precision`",
       "as activations"},
      {"states",
       "format of weights, gradients and optimizer states where no master copy is kept: `bf16`, `fp16`, "
       "`fp8`, "
       "`fp32`",
       "16-bit weights with a 32-bit master copy and optimizer states"},
      {"software", "key of the catalog's training programs (catalog/software.toml), whose habits count",
       "by `framework`; else the accelerator's in the catalog, with a warning"},
      {"framework", "the program as its users spell it, by the table of spellings", "nothing"},
      {"compiled", "0 or 1: a compiler fuses the elementwise operators", "0"},
      {"hides",
       "what runs beside compute although the software does not do it by itself: `tensor`, `gradients`, "
       "`pipeline`, `expert`, separated by semicolons; with `wholly`, nothing of that stays exposed",
       "nothing"},
      {"exposes", "of `tensor`, `gradients`, `pipeline`, `expert`: what waits although the software hides it",
       "nothing"},
      {"graphs", "0 or 1: kernels are launched as captured graphs",
       "as the software does; layers with experts only where it captures experts"},
      {"blocking_launches", "0 or 1: the host waits for every kernel (CUDA_LAUNCH_BLOCKING=1)", "0"},
      {"context_exchange",
       "how context-parallel ranks share keys and values: `ring`, `all_to_all`, `all_gather`",
       "as the software does"},
      {"low_attention", "0 or 1: attention's kernels take 8 bits, not 16, beside products of 8 or 4",
       "as the software does"},
      {"low_output", "0 or 1: the output matrix is multiplied in `precision`, not in 16 bits",
       "as the software does"},
      {"adapter", "`lora:16`: low-rank adapters of rank 16 beside frozen weights; `none`", "`none`"},
      {"expert_imbalance",
       "copies of tokens that the fullest of the devices that share one set of experts gets, over their mean",
       "1"},
      {"metric", "`step_time`, `tokens_per_second_per_device`, `flops_per_device`, `mfu`",
       "`step_time` where `value` is blank too"},
      {"value", "what was measured", "not measured: the run is predicted alone"},
      {"unit", "of `value`: s, ms; token/s; TFLOP/s, PFLOP/s, GFLOP/s, FLOP/s; %, fraction",
       "s, token/s, TFLOP/s or % by `metric`"},
      {"flop_convention",
       "what the FLOP of `flops_per_device` and `mfu` count: `model`, `hardware_96`, `mfu` (see below)",
       "`mfu` for the metric mfu, else `model`"},
      {"peak_tflops", "dense peak of a device by which the reported utilization divides",
       "the catalog's at the row's precision"},
      {"measured_memory_bytes", "peak memory of a device, measured", "not measured"},
      {"left_out", "why errors and fits leave the row out; it is predicted all the same",
       "nothing: the row counts"},
      {"from_memory", "0 or 1: the numbers are quoted from memory, so that the row takes no part in fits",
       "0"},
      {"confidence", "free text: how sure the numbers are", "nothing"},
      {"note", "free text that nothing reads", "nothing"}};
  return columns;
}

std::string run_columns_markdown() {
  std::string out = "| column | meaning | blank |\n| --- | --- | --- |\n";
  for (const RunColumn& column : run_columns()) {
    const std::string_view blank = column.required() ? "must be filled" : column.blank;
    out += fmt::format("| `{}` | {} | {} |\n", column.name, column.meaning, blank);
  }
  return out;
}

void check_run_header(const RunTable& table) {
  constexpr std::size_t kReported = 25;
  const std::vector<std::string>& header = table.header;
  const Location& where = table.header_place;
  Findings findings;
  const std::vector<std::string> known = column_names();
  std::size_t unknown = 0;
  for (std::size_t c = 0; c < header.size(); ++c) {
    const std::string& name = header[c];
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (++unknown > kReported) break;
    findings.add(table.column_places[c], "unknown column '" + shown(name) + "'",
                 suggestion(shown(name), known));
  }
  for (const RunColumn& column : run_columns()) {
    if (column.required() && std::find(header.begin(), header.end(), column.name) == header.end())
      findings.add(where, "column '" + std::string(column.name) + "' is missing");
  }
  findings.throw_if_any();
}

RunRow::RunRow(const std::vector<std::string>& header, std::vector<std::string> cells, Location where,
               Findings& findings, std::vector<Location> places, std::vector<std::string> names)
    : header_(header),
      cells_(std::move(cells)),
      places_(std::move(places)),
      names_(std::move(names)),
      where_(std::move(where)),
      findings_(findings) {
  for (const RunColumn& column : run_columns()) {
    if (column.required() && text(column.name).empty())
      complain_at(this->where(column.name), fmt::format("column '{}' is blank", name(column.name)),
                  "it must be filled: " + std::string(column.meaning));
  }
  for (const char* printed : {"id", "source"}) {
    const std::string cell = text(printed);
    const std::string column = fmt::format("column '{}'", name(printed));
    if (std::any_of(cell.begin(), cell.end(), is_control))
      complain_at(this->where(printed), column + " holds control characters", "");
    if (is_replaced(cell))
      complain_at(this->where(printed), column + " is no UTF-8", "save the file as UTF-8");
    if (cell.size() > kLongestName)
      complain_at(this->where(printed), fmt::format("{} has {} letters", column, cell.size()),
                  fmt::format("allowed: up to {}", kLongestName));
  }
}

std::size_t RunRow::index(std::string_view column) const {
  return static_cast<std::size_t>(std::find(header_.begin(), header_.end(), column) - header_.begin());
}

std::string_view RunRow::name(std::string_view column) const {
  const std::size_t at = index(column);
  return at < names_.size() && !names_[at].empty() ? std::string_view(names_[at]) : column;
}

Location RunRow::where(std::string_view column) const {
  const std::size_t at = index(column);
  return at < places_.size() && places_[at].line > 0 ? places_[at] : where_;
}

void RunRow::complain(const std::string& message, const std::string& help) {
  complain_at(where_, message, help);
}

void RunRow::complain_at(Location where, const std::string& message, const std::string& help) {
  good_ = false;
  findings_.add(std::move(where), "row '" + shown(text("id")) + "': " + message, help);
}

void RunRow::complain_cell(std::string_view column, const std::string& cell, const std::string& message,
                           const std::string& help) {
  complain_column(column, fmt::format("'{}' {}", shown(cell), message), help);
}

void RunRow::complain_column(std::string_view column, const std::string& message, const std::string& help) {
  complain_at(where(column), fmt::format("column '{}': {}", name(column), message), help);
}

void RunRow::complain_unknown(std::string_view column, const std::string& cell,
                              const std::vector<std::string>& names) {
  complain_cell(column, cell, "is not a value of it", suggestion(shown(cell), names));
}

std::string RunRow::text(std::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) return {};
  const std::string& cell = cells_[static_cast<std::size_t>(found - header_.begin())];
  return is_required(column) ? trimmed(cell) : told(cell);
}

std::optional<std::int64_t> RunRow::whole(std::string_view column, WholeRange range) {
  const std::string cell = text(column);
  if (cell.empty()) return std::nullopt;
  std::int64_t value = 0;
  const std::string_view digits = without_zero_fraction(cell);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = code == std::errc{} && end == digits.data() + digits.size();
  if (whole && value >= range.low && value <= range.high) return value;
  complain_cell(column, cell, whole ? "is out of range" : "is not a whole number",
                fmt::format("allowed: {} to {}", range.low, range.high));
  return std::nullopt;
}

std::optional<double> RunRow::number(std::string_view column, RealRange range) {
  const std::string cell = text(column);
  if (cell.empty()) return std::nullopt;
  double value = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  const bool number = code == std::errc{} && end == cell.data() + cell.size() && std::isfinite(value);
  if (number && value >= range.low && value <= range.high) return value;
  complain_cell(column, cell, number ? "is out of range" : "is not a number",
                fmt::format("allowed: {:g} to {:g}", range.low, range.high));
  return std::nullopt;
}

std::vector<std::string> RunRow::words(std::string_view column) const {
  const std::string cell = text(column);
  std::vector<std::string> out;
  std::string word;
  for (const char c : cell + ";") {
    if (c != ';' && c != ',' && c != '|' && c != '+' && c != ' ') {
      word += c;
      continue;
    }
    if (!word.empty() && lower_case(word) != "none") out.push_back(word);
    word.clear();
  }
  return out;
}

std::optional<bool> RunRow::flag(std::string_view column) { return choice<bool>(column, yes_no_words()); }

RunTable read_run_table(std::string_view text, const std::string& name) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto source = std::make_shared<const SourceText>(SourceText{name, std::string(text)});
  std::vector<CsvRow> rows = read_csv(source);
  if (rows.empty()) fail_input({source, 0, 0}, "holds no header", "see docs/validation.md");
  RunTable table;
  table.header = std::move(rows.front().fields);
  for (std::string& column : table.header) column = trimmed(column);
  table.header_place = {source, rows.front().places.front().line, 1};
  table.column_places = locations(source, rows.front().places);
  check_repeated(table.header, table.column_places);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    table.places.push_back({source, rows[i].places.front().line, 1});
    if (rows[i].fields.size() != table.header.size()) {
      fail_input(table.places.back(), fmt::format("{} under {}", counted(rows[i].fields.size(), "cell"),
                                                  counted(table.header.size(), "column")));
    }
    table.rows.push_back(std::move(rows[i].fields));
    table.cell_places.push_back(locations(source, rows[i].places));
  }
  return table;
}

}  // namespace trainyard
