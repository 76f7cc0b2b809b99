#include "trainyard/library_collectives.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "base/counted.h"
#include "cost/library_steps.h"
#include "cost/operator_model.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

constexpr const char* kStepsKernel = "steps";
constexpr const char* kTunerOperation = "tuner";
constexpr double kLeastBytes = 1;
constexpr double kLargestBuffer_bytes = 1e15;
constexpr std::int64_t kMostDevices = 1024;

const std::vector<std::string>& operations() {
  static const std::vector<std::string> names = {"all_reduce", "all_gather", "reduce_scatter", "alltoall"};
  return names;
}

bool names_version(const std::string& backend, const std::string& version) {
  if (version.empty()) return false;
  const std::size_t at = backend.find(version);
  if (at == std::string::npos) return false;
  const std::size_t end = at + version.size();
  const auto apart = [&](std::size_t i) {
    return i >= backend.size() || backend[i] == ' ' || backend[i] == ',';
  };
  return (at == 0 || apart(at - 1)) && apart(end);
}

const OperatorConstants* find_steps(const Catalog& catalog, const std::string& system,
                                    const std::string& operation) {
  for (const auto& [key, entry] : catalog.operators) {
    if (entry.system == system && entry.operation == operation && entry.kernel == kStepsKernel) return &entry;
  }
  return nullptr;
}

const OperatorConstants& tuner_entry(const Catalog& catalog, const std::string& system,
                                     const std::string& version) {
  const OperatorConstants* usual = nullptr;
  std::vector<std::string> systems;
  for (const auto& [key, entry] : catalog.operators) {
    if (entry.operation != kTunerOperation || entry.kernel != kStepsKernel) continue;
    if (entry.system == system && names_version(entry.backend, version)) return entry;
    if (entry.system == system && entry.backend.empty()) usual = &entry;
    if (entry.backend.empty()) systems.push_back(entry.system);
  }
  if (usual) return *usual;
  fail_input(whole("catalog: operators"),
             fmt::format("no facts of how a library runs collectives on the system '{}'", system),
             suggestion(system, systems));
}

Location place_of(const OperatorConstants& entry) {
  return whole(fmt::format("catalog: operators of {}, {}, kernel steps", entry.system, entry.operation));
}

double fact(const OperatorConstants& entry, const char* name) {
  const auto found = entry.constants.find(name);
  if (found == entry.constants.end())
    fail_input(place_of(entry), fmt::format("the constant '{}' is missing", name));
  if (!std::isfinite(found->second) || found->second < 0)
    fail_input(place_of(entry), fmt::format("the constant '{}' has to be 0 or more", name));
  return found->second;
}

double positive_fact(const OperatorConstants& entry, const char* name) {
  const double value = fact(entry, name);
  if (!(value > 0)) fail_input(place_of(entry), fmt::format("the constant '{}' has to be above 0", name));
  return value;
}

/// The constants in the order of the model; absent ones are NaN.
std::vector<double> constants_of_steps(const OperatorConstants& entry) {
  const std::vector<StepConstant>& table = step_constants(entry.operation);
  std::vector<std::string> names;
  for (const StepConstant& c : table) names.emplace_back(c.name);
  for (const auto& [name, value] : entry.constants) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail_input(place_of(entry), "no constant '" + name + "'", suggestion(name, names));
    if (!std::isfinite(value) || !(value > 0))
      fail_input(place_of(entry), "the constant '" + name + "' has to be above 0");
  }
  std::vector<double> out;
  for (const std::string& name : names) {
    const auto found = entry.constants.find(name);
    out.push_back(found == entry.constants.end() ? std::nan("") : found->second);
  }
  return out;
}

/// The largest NVLink domain of the catalog with the system's accelerator; 1024 where it has none.
std::int64_t most_devices(const Catalog& catalog, const std::string& system) {
  const OperatorSystem* found = catalog.operator_systems.find(system);
  if (!found) return kMostDevices;
  std::int64_t most = 0;
  for (const auto& [key, domain] : catalog.hb_domains)
    if (domain.accelerator == found->accelerator) most = std::max(most, domain.devices);
  return most > 0 ? std::min(most, kMostDevices) : kMostDevices;
}

/// Where what is asked stands.
Location place_of(const LibraryCall& call, const std::string& argument) {
  return call.row.source ? call.row : whole(argument);
}

}  // namespace

void check_call(const Catalog& catalog, const LibraryCall& call) {
  if (std::find(operations().begin(), operations().end(), call.operation) == operations().end())
    fail_input(place_of(call, "operation"), "no operation '" + call.operation + "'",
               suggestion(call.operation, operations()));
  if (!has_library_facts(catalog, call.system)) {
    std::vector<std::string> systems;
    for (const auto& [key, entry] : catalog.operators)
      if (entry.operation == kTunerOperation && entry.kernel == kStepsKernel && entry.backend.empty())
        systems.push_back(entry.system);
    fail_input(place_of(call, call.dashes + "system"),
               fmt::format("no facts of how a library runs collectives on the system '{}'", call.system),
               suggestion(call.system, systems));
  }
  const std::int64_t most = most_devices(catalog, call.system);
  if (call.devices < 2 || call.devices > most)
    fail_input(place_of(call, call.dashes + "devices"), counted(call.devices, "device"),
               fmt::format("allowed: 2 to {}, an NVLink domain of '{}'", most, call.system));
  if (!(call.bytes >= kLeastBytes) || call.bytes > kLargestBuffer_bytes)
    fail_input(place_of(call, call.dashes + "bytes"), fmt::format("{:g} bytes", call.bytes),
               "allowed: 1 byte to 1 PB");
}

namespace {

const OperatorConstants& steps_entry(const Catalog& catalog, const LibraryCall& call) {
  if (const OperatorConstants* found = find_steps(catalog, call.system, call.operation)) return *found;
  fail_input(whole("catalog: operators"),
             fmt::format("no constants of the steps of {} on '{}'", call.operation, call.system),
             "fit them with `trainyard validate --collectives FILE --fit` and give them with --catalog");
}

/// The constants of a call. Switches that sum have theirs of all-reduces for both passes of one.
std::vector<double> constants_of_call(const Catalog& catalog, const LibraryCall& call) {
  std::vector<double> out = constants_of_steps(steps_entry(catalog, call));
  if (call.operation != "reduce_scatter" && call.operation != "all_gather") return out;
  const OperatorConstants* both = find_steps(catalog, call.system, "all_reduce");
  if (!both) return out;
  const std::vector<double> whole = constants_of_steps(*both);
  for (const std::size_t i : constants_needed("all_reduce", LibraryAlgorithm::in_switch, {}))
    if (!std::isfinite(out[i])) out[i] = whole[i];
  return out;
}

void check_constants(const LibraryRun& run, const LibraryCall& call, const std::vector<double>& constants) {
  for (const std::size_t i : constants_needed(call.operation, run.algorithm, run.protocol)) {
    if (std::isfinite(constants[i])) continue;
    fail_input(whole("catalog: operators"),
               fmt::format("{} by {} and {} was not measured on '{}': no constant '{}'", call.operation,
                           to_string(run.algorithm), to_string(run.protocol), call.system,
                           step_constants(call.operation)[i].name),
               "another algorithm or protocol, or the constant with --catalog");
  }
}

bool grants(const LibraryWish& wish, const LibraryRun& run) {
  return (!wish.algorithm || *wish.algorithm == run.algorithm) &&
         (!wish.protocol || *wish.protocol == run.protocol);
}

LibraryRun wished_run(const std::vector<LibraryRun>& runs, const LibraryCall& call, const LibraryWish& wish) {
  const LibraryRun* best = nullptr;
  std::string may;
  for (const LibraryRun& run : runs) {
    may += fmt::format("{}{} with {}", may.empty() ? "" : ", ", to_string(run.algorithm),
                       to_string(run.protocol));
    if (grants(wish, run) && (!best || run.estimate_us < best->estimate_us)) best = &run;
  }
  if (best) return *best;
  fail_input(whole(fmt::format("{0}algorithm and {0}protocol", call.dashes)),
             fmt::format("the library does not run {} of {} on {} so", call.operation,
                         counted(call.devices, "device"), call.system),
             "it may use " + may);
}

}  // namespace

std::string to_string(LibraryAlgorithm algorithm) {
  if (algorithm == LibraryAlgorithm::in_switch) return "in_switch";
  return algorithm == LibraryAlgorithm::ring ? "ring" : "pairwise";
}

std::string to_string(LibraryProtocol protocol) {
  if (protocol == LibraryProtocol::ll) return "LL";
  return protocol == LibraryProtocol::ll128 ? "LL128" : "Simple";
}

double element_bytes_of(const std::string& dtype, const std::string& dashes) {
  if (const OperandFormat* format = find_operand_format(dtype)) return format->activation_bytes;
  std::vector<std::string> names;
  for (const OperandFormat& known : operand_formats()) names.emplace_back(known.name);
  fail_input(whole(dashes + "dtype"), "no type '" + dtype + "'", suggestion(dtype, names));
}

LibraryFacts library_facts(const Catalog& catalog, const std::string& system, const std::string& version) {
  const OperatorConstants& e = tuner_entry(catalog, system, version);
  LibraryFacts out;
  out.channels = positive_fact(e, "channels");
  out.graph_channels = positive_fact(e, "graph_channels");
  out.channel_rate_gb_s = positive_fact(e, "channel_rate_gb_s");
  out.ll_rate_gb_s = positive_fact(e, "ll_rate_gb_s");
  out.ll128_channel_rate_gb_s = fact(e, "ll128_channel_rate_gb_s");
  out.in_switch_channels = fact(e, "in_switch_channels");
  out.in_switch_rate_gb_s = fact(e, "in_switch_rate_gb_s");
  if (out.in_switch_channels > 0) positive_fact(e, "in_switch_rate_gb_s");
  out.p2p_channels = positive_fact(e, "p2p_channels");
  out.p2p_ll_bytes = fact(e, "p2p_ll_bytes");
  return out;
}

std::vector<std::string> library_versions(const Catalog& catalog, const std::string& system) {
  std::vector<std::string> out;
  for (const auto& [key, entry] : catalog.operators) {
    if (entry.operation != kTunerOperation || entry.kernel != kStepsKernel || entry.system != system)
      continue;
    std::istringstream words(entry.backend);  // "nccl 2.27.5, 2.28.9"
    for (std::string word; words >> word;) {
      if (word.ends_with(',')) word.pop_back();
      if (names_version(entry.backend, word) && word.find_first_of("0123456789") == 0) out.push_back(word);
    }
  }
  return out;
}

bool has_library_facts(const Catalog& catalog, const std::string& system) {
  return find_steps(catalog, system, kTunerOperation) != nullptr;
}

bool has_library_steps(const Catalog& catalog, const std::string& system, const std::string& operation) {
  return find_steps(catalog, system, operation) != nullptr;
}

LibraryCall library_call(const OperatorSeries& series, const OperatorRow& row) {
  return {.system = series.key.system,
          .operation = series.key.operation,
          .devices = std::llround(row.shape[0]),
          .bytes = row.shape[1],
          .element_bytes = element_bytes_of(series.key.dtype),
          .version = series.version,
          .dashes = {},
          .row = {series.where.source, row.line, 1}};
}

LibraryRun library_run(const Catalog& catalog, const LibraryCall& call, const LibraryWish& wish) {
  check_call(catalog, call);
  const LibraryFacts facts = library_facts(catalog, call.system, call.version);
  const std::vector<double> constants = constants_of_call(catalog, call);
  LibraryRun run =
      wished_run(wish.algorithm ? possible_runs(facts, call) : tuner_runs(facts, call), call, wish);
  if (wish.channels) {
    run.channels = static_cast<double>(*wish.channels);
    run.estimate_is_time = false;  // the tuner's is of its own channels
  }
  check_constants(run, call, constants);
  time_run(run, facts, call, constants);
  return run;
}

std::vector<LibraryRun> library_candidates(const Catalog& catalog, const LibraryCall& call) {
  check_call(catalog, call);
  const LibraryFacts facts = library_facts(catalog, call.system, call.version);
  const std::vector<double> constants = constants_of_steps(steps_entry(catalog, call));
  std::vector<LibraryRun> out;
  for (LibraryRun run : tuner_runs(facts, call)) {
    const std::vector<std::size_t> needed = constants_needed(call.operation, run.algorithm, run.protocol);
    if (!std::all_of(needed.begin(), needed.end(),
                     [&](std::size_t i) { return std::isfinite(constants[i]); }))
      continue;
    time_run(run, facts, call, constants);
    out.push_back(run);
  }
  return out;
}

}  // namespace trainyard
