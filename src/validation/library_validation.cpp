#include "trainyard/library_validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

constexpr double kUs = 1e-6;
constexpr double kInPercent = 100;
constexpr double kLinksOfPath = 2;  // up to the switch and down
constexpr double kLeastDelay_s = 1e-9;
constexpr double kMostDelay_s = 0.1;
constexpr double kMostFlows = 65536;  // of a simulated collective of neighbours
constexpr double kStepSlack = 1e-9;

double domain_rate(const Catalog& catalog, const std::string& system) {  // bytes a second
  const OperatorSystem* found = catalog.operator_systems.find(system);
  if (!found)
    fail_input(whole("catalog: operator_systems"), "no operator system '" + system + "'",
               suggestion(system, catalog.operator_systems.keys()));
  constexpr double kBitsOfByte = 8;
  const double rate = found->scale_up_rate.si() / kBitsOfByte;
  if (!(rate > 0))
    fail_input(whole("catalog: operator_systems." + system), "no scale_up_rate to simulate its domain with",
               "give the rate of a device's links, one direction");
  return rate;
}

/// The flows of a run as a file of flows has them.
class FlowText {
 public:
  void add(std::int64_t from, std::int64_t to, double bytes, const std::string& after) {
    text_ +=
        fmt::format("{},{},{},{:.0f},0,{}\n", flows_++, from, to, std::max(1.0, std::round(bytes)), after);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_ = "id,from,to,bytes,start_s,after\n";
  std::int64_t flows_ = 0;
};

/// Every device to its neighbour, when the last step's piece is there. In-switch loops load the links as
/// much: what goes up to the switch comes down to another device.
std::string neighbour_flows(std::int64_t devices, std::int64_t steps, double bytes) {
  FlowText out;
  for (std::int64_t s = 0; s < steps; ++s) {
    for (std::int64_t d = 0; d < devices; ++d) {
      const std::int64_t before = (s - 1) * devices + (d + devices - 1) % devices;
      out.add(d, (d + 1) % devices, bytes, s == 0 ? "" : fmt::format("{}", before));
    }
  }
  return out.take();
}

std::string pair_flows(std::int64_t devices, double bytes) {
  FlowText out;
  for (std::int64_t d = 0; d < devices; ++d) {
    for (std::int64_t i = 1; i < devices; ++i)
      out.add(d, (d + i) % devices, bytes / static_cast<double>(devices - 1), "");
  }
  return out.take();
}

std::string domain_scenario(std::int64_t devices, double rate, double delay_s) {
  return fmt::format(
      "title = \"One NVLink domain\"\n[facility]\ndevices = {0}\nhb_domain = \"dgx-h100\"\n[model]\n"
      "name = \"llama3-8b\"\n[[design]]\nname = \"domain\"\ntopology = \"scale_up\"\nhosts = {0}\ndomain = "
      "{0}\n"
      "radix = {0}\nrate = \"{1:.17g} bps\"\n[simulation]\nlink_delay = \"{2:.17g} s\"\n",
      devices, rate * 8, delay_s);
}

Seconds last_received(const SimulationResult& result) {
  Picoseconds last = 0;
  for (const workload::Flow& flow : result.flows) last = std::max(last, flow.received);
  return seconds(last);
}

/// Runs that differ in nothing but names are simulated once.
class Domains {
 public:
  explicit Domains(const Catalog& catalog)
      : catalog_(catalog), shared_(std::make_shared<const Catalog>(catalog)) {}

  double time_us(const LibraryCall& call, const LibraryRun& run) {
    const auto [at, added] = known_.try_emplace(
        {call.system, call.devices, run.algorithm, run.steps, run.wire_bytes, run.step_us}, 0.0);
    if (added) at->second = steps_us(call, run);
    return run.start_us + run.tail_us + at->second;
  }

 private:
  double steps_us(const LibraryCall& call, const LibraryRun& run) const {
    // More steps than the cap are simulated together: all are alike.
    const double most = std::max(1.0, kMostFlows / static_cast<double>(call.devices));
    const double steps = std::min(std::ceil(run.steps - kStepSlack), std::floor(most));
    const double bytes = run.wire_bytes * run.steps / steps;
    const double rate = domain_rate(catalog_, call.system);
    // A link of a simulation delays by no more than a tenth of a second; the rest of a step is added behind.
    const double delay = run.step_us * run.steps / steps * kUs - bytes / rate;
    const double of_link = std::clamp(delay / kLinksOfPath, kLeastDelay_s, kMostDelay_s);
    const double rest = std::max(0.0, delay - kLinksOfPath * of_link) * steps;
    const auto count = static_cast<std::int64_t>(steps);
    const std::string flows = run.algorithm == LibraryAlgorithm::pairwise
                                  ? pair_flows(call.devices, bytes)
                                  : neighbour_flows(call.devices, count, bytes);
    const std::string scenario = domain_scenario(call.devices, rate, of_link);
    SimulationRun how;
    how.engine = SimulationEngine::flow;
    how.files.flows = std::make_shared<const SourceText>(SourceText{"flows of a collective", flows});
    const auto source = std::make_shared<const SourceText>(SourceText{"one NVLink domain", scenario});
    return last_received(simulate(ScenarioText::parse(source, shared_).resolve(), how)).si() / kUs +
           rest / kUs;
  }

  using Key = std::tuple<std::string, std::int64_t, LibraryAlgorithm, double, double, double>;
  const Catalog& catalog_;
  std::shared_ptr<const Catalog> shared_;
  std::map<Key, double> known_;
};

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

LibraryErrors library_errors(const std::vector<double>& signed_pct) {
  if (signed_pct.empty()) return {};
  std::vector<double> absolute;
  for (const double e : signed_pct) absolute.push_back(std::abs(e));
  return {signed_pct.size(), middle_of(signed_pct), middle_of(absolute)};
}

struct Gathered {
  std::vector<double> fitted, held_out, simulated_fitted, simulated_held_out;

  void add(bool held, double closed, double simulated) {
    (held ? held_out : fitted).push_back(closed);
    (held ? simulated_held_out : simulated_fitted).push_back(simulated);
  }
};

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

LibraryJudgement judgement(std::string name, std::string operation, double bytes, const Gathered& g) {
  return {std::move(name),
          std::move(operation),
          bytes,
          library_errors(g.fitted),
          library_errors(g.held_out),
          library_errors(joined(g.fitted, g.held_out)),
          library_errors(g.simulated_fitted),
          library_errors(g.simulated_held_out),
          library_errors(joined(g.simulated_fitted, g.simulated_held_out))};
}

class Judge {
 public:
  explicit Judge(const Catalog& catalog) : catalog_(catalog), domains_(catalog) {}

  void add(const OperatorSeries& series) {
    const OperatorKey& key = series.key;
    if (!has_library_steps(catalog_, key.system, key.operation)) return skip(series);
    for (const OperatorRow& row : series.rows) {
      const LibraryCall call = library_call(series, row);
      const LibraryRun run = library_run(catalog_, call);
      const double closed = (run.time_us() / row.time_us - 1) * kInPercent;
      const double simulated = (domains_.time_us(call, run) / row.time_us - 1) * kInPercent;
      const bool held = is_library_held_out(key.operation, row.shape);
      sizes_[{key.operation, call.bytes}].add(held, closed, simulated);
      systems_[{key.operation, key.system}].add(held, closed, simulated);
    }
  }

  LibraryValidation take() {
    LibraryValidation out;
    for (const auto& [key, g] : sizes_) out.sizes.push_back(judgement("", key.first, key.second, g));
    for (const auto& [key, g] : systems_) out.systems.push_back(judgement(key.second, key.first, 0, g));
    for (const auto& [key, rows] : unknown_) out.unknown.push_back({key.first, key.second, rows});
    return out;
  }

 private:
  void skip(const OperatorSeries& series) {
    unknown_[{series.key.system, series.key.operation}] += series.rows.size();
  }

  const Catalog& catalog_;
  Domains domains_;
  std::map<std::pair<std::string, double>, Gathered> sizes_;
  std::map<std::pair<std::string, std::string>, Gathered> systems_;
  std::map<std::pair<std::string, std::string>, std::size_t> unknown_;
};

/// Tables name the version that they were measured with, whatever it is; who asks means one that differs.
void check_version(const Catalog& catalog, const LibraryCall& call, const std::string& dashes) {
  if (call.version.empty()) return;
  const std::vector<std::string> known = library_versions(catalog, call.system);
  if (std::find(known.begin(), known.end(), call.version) != known.end()) return;
  fail_input(whole(dashes + "version " + call.version),
             "the catalog knows no installation of that version on '" + call.system + "'",
             known.empty() ? "it knows one kind there, whatever the version: leave it out"
                           : suggestion(call.version, known));
}

/// Tables may round; who asks means whole elements.
void check_elements(const LibraryCall& call, const std::string& dashes) {
  if (std::fmod(call.bytes, call.element_bytes) == 0) return;
  fail_input(
      whole(dashes + "bytes"),
      fmt::format("{:g} bytes are no whole number of elements of {:g} bytes", call.bytes, call.element_bytes),
      fmt::format("a multiple of the bytes of {}dtype", dashes));
}

}  // namespace

Seconds simulated_library_time(const Catalog& catalog, const LibraryCall& call, const LibraryRun& run) {
  return Seconds(Domains(catalog).time_us(call, run) * kUs);
}

std::vector<WeighedLibraryRun> weigh_library_runs(const Catalog& catalog, const LibraryCall& call,
                                                  const LibraryWish& wish, const std::string& dashes) {
  check_version(catalog, call, dashes);
  check_elements(call, dashes);
  const LibraryRun taken = library_run(catalog, call, wish);
  const bool wished = wish.algorithm || wish.protocol || wish.channels;
  std::vector<WeighedLibraryRun> out;
  for (const LibraryRun& run : wished ? std::vector{taken} : library_candidates(catalog, call)) {
    out.push_back({run, simulated_library_time(catalog, call, run),
                   run.algorithm == taken.algorithm && run.protocol == taken.protocol});
  }
  return out;
}

LibraryValidation validate_library(const OperatorTable& table, const Catalog& catalog) {
  Judge judge(catalog);
  for (const OperatorSeries& series : table.series) {
    if (series.key.kernel.empty()) judge.add(series);
  }
  LibraryValidation out = judge.take();
  if (out.sizes.empty())
    fail_input(
        whole("--collectives"), "the catalog has the steps of none of these collectives",
        "fit them with --fit, after facts of the system (operation = \"tuner\") in a folder of --catalog");
  return out;
}

}  // namespace trainyard
