// The verbs of the program: options in, text out. They hold no modelling.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "siting/grid_import/grid_import.h"
#include "trainyard/errors.h"

namespace trainyard {

enum class Format { text, json, csv };

/// An answer that says what cannot be, with all that was found: printed, with the exit status of Infeasible.
class UnmetAnswer : public Infeasible {
 public:
  UnmetAnswer(Infeasible answer, std::string text) : Infeasible(std::move(answer)), output(std::move(text)) {}

  std::string output;
};

/// What every verb that reads a scenario takes.
struct ScenarioOptions {
  std::string scenario;
  std::vector<std::string> sets;             // --set key=value
  std::vector<std::string> catalog_folders;  // --catalog DIR
  Format format = Format::text;
};

struct PlanOptions : ScenarioOptions {
  std::string report;   // --report FILE
  std::string explain;  // --explain QUANTITY
  std::string placement_svg;
  std::string layer_svg;
};

struct SweepOptions : ScenarioOptions {
  std::vector<std::string> names;   // of the scenario's sweeps; none: all
  std::string key;                  // --key: a sweep of the command line
  std::vector<std::string> values;  // --values
  std::string quantity;             // --quantity
  std::string chart;                // --chart FILE.svg
};

struct ScalingOptions : ScenarioOptions {
  std::string chart;
};

struct RailOptions : ScenarioOptions {
  std::string chart;
  std::string batch_chart;
};

struct TrafficOptions : ScenarioOptions {
  std::string heat_map;  // .svg or .png
  long long first = 0;
  long long count = 256;
  bool rail = false;  // of the rail-only analysis in place of the plan's mapping
};

struct WideAreaOptions : ScenarioOptions {
  std::string chart;
  bool packets = false;  // simulate [long_haul] in place of the closed forms
  unsigned threads = 1;
};

struct NetworkOptions : ScenarioOptions {
  std::string design;   // one of the scenario's; empty: all
  std::string traffic;  // put this on the designs
  std::string bytes;    // that a host sends in a named traffic; empty: 1 MB
  unsigned long long seed = 1;
  std::string routing;
  std::vector<long long> route;     // from, to
  std::vector<std::string> failed;  // nodes that the route goes around
  bool optimize = false;
  std::string dot;
  std::string svg;
  std::string cables;
};

struct SimulateOptions : ScenarioOptions {
  std::string report;  // --report FILE
  std::string fct_svg;
  std::string queue_svg;
  std::string trace;                      // --trace FILE
  std::vector<std::int64_t> trace_flows;  // --trace-flows
  unsigned threads = 1;
  std::string checkpoint;          // --checkpoint FILE
  double checkpoint_every = 60;    // seconds
  std::string resume;              // --resume FILE
  std::string topology;            // --topology FILE.topo, in place of a [[design]]
  std::string connections;         // --connections FILE.cm, in place of simulation.traffic
  std::string flows;               // --flows FILE.csv, the same
  std::string network = "packet";  // --network packet | flow
  // Short for settings of [simulation]; empty: as they are.
  std::string transport;
  std::string load_balancing;
  std::string window;
  std::string queue;
  std::string mtu;
  std::string seed;
};

struct SiteOptions : ScenarioOptions {
  std::string grid;              // --grid DIR, in place of site.grid
  std::vector<std::string> at;   // --at LAT,LON
  std::optional<double> radius;  // --radius KM
  std::string report;            // --report FILE
  std::string map;               // --map FILE.svg
};

/// An answer that is printed, but shows that a check failed; exit status 1.
struct FailedCheck : std::runtime_error {
  FailedCheck(std::string answer, const char* what) : std::runtime_error(what), text(std::move(answer)) {}
  std::string text;
};

struct StepOptions : ScenarioOptions {
  std::string network = "analytic";  // --network
  std::vector<std::string> phases;   // --phases of --network packet; empty: pipeline
  std::string schedule;              // short for step.schedule; empty: as it is
  std::string trace;                 // --trace FILE
  std::string trace_from;            // --trace-from TIME; empty: the beginning
  std::string trace_length;          // --trace-length TIME or all; empty: what a browser opens well
  std::string report;                // --report FILE
};

struct ReproduceOptions {
  std::string paper = "all";
  bool quick = false;  // --quick
  std::string points;  // --points FIGURE
  std::string fig5;    // --fig5 FILE.svg
  std::string fig6;
  Format format = Format::text;
};

struct ValidateOptions {
  std::vector<std::string> runs;       // --runs FILE.csv; none: the shipped ones
  std::vector<std::string> operators;  // --operators FILE; none: runs
  std::string svg;                     // --svg FILE
  bool fit = false;                    // --fit
  bool from_operators = false;         // --from-operators: fits start from operators alone
  bool columns = false;                // --columns
  std::string scenario;                // --scenario ID
  std::string explain;                 // --explain ID
  std::vector<std::string> catalog_folders;
  Format format = Format::text;
};

struct GridImportOptions {
  std::string folder;
  GridImportInput originals;
  bool replace = false;
};

struct CatalogOptions {
  std::string kind;
  std::string key;
  std::vector<std::string> where;  // field=text
  std::vector<std::string> catalog_folders;
  Format format = Format::text;
};

struct DescribeOptions {
  std::string what;  // section or section.key; empty: all
  Format format = Format::text;
};

/// A run that a signal ended early and in order. Exit status 128 + signal, as a shell reports it.
class Interrupted : public std::runtime_error {
 public:
  Interrupted(int signal, const std::string& message) : std::runtime_error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// Each returns the text for standard output; errors are exceptions.
std::string run_plan(const PlanOptions& options);
std::string run_sweeps(const SweepOptions& options);
std::string run_scaling(const ScalingOptions& options);
std::string run_rail(const RailOptions& options);
std::string run_traffic(const TrafficOptions& options);
std::string run_wide_area(const WideAreaOptions& options);
std::string run_network(const NetworkOptions& options);
std::string run_simulation(const SimulateOptions& options);
std::string run_site(const SiteOptions& options);
std::string run_step(const StepOptions& options);
std::string run_reproduce(const ReproduceOptions& options);
std::string run_validation(const ValidateOptions& options);
std::string run_grid_import(const GridImportOptions& options);
std::string run_catalog_list(const CatalogOptions& options);
std::string run_catalog_show(const CatalogOptions& options);
std::string run_describe(const DescribeOptions& options);
std::string run_schema();
std::string run_scenarios(Format format);
std::string run_example(const std::string& name);

}  // namespace trainyard
