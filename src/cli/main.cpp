// The door from the command line: flags into options, exceptions into exit statuses.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <new>

#include "base/errors.h"
#include "base/files.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "report/data/provenance.h"

namespace {

using namespace trainyard;

constexpr int kInputError = 2;
constexpr int kInfeasible = 3;
constexpr int kBroken = 1;
constexpr unsigned kMostThreads = 1024;

using Action = std::function<std::string()>;

void add_format(CLI::App& verb, Format& format) {
  auto* json = verb.add_flag_callback(
      "--json", [&format] { format = Format::json; }, "JSON, SI units in the names");
  auto* csv = verb.add_flag_callback(
      "--csv", [&format] { format = Format::csv; }, "CSV, SI units in the names");
  json->excludes(csv);
}

/// Every verb with its options; the chosen one sets `action`.
class Program {
 public:
  Program()
      : app_("Designs, prices and simulates AI training datacenters, from the power grid to the packet.") {
    app_.name("trainyard");
    app_.set_version_flag("--version", "trainyard " + program_version());
    app_.require_subcommand(1);
    add_planning();
    add_analyses();
    add_grid_import();
    add_lookups();
  }

  CLI::App& app() { return app_; }
  const Action& action() const { return action_; }

 private:
  void add_scenario(CLI::App& verb, ScenarioOptions& options) {
    reads(verb.add_option("scenario", options.scenario, "scenario file, or the name of a shipped one"))
        ->required();
    verb.add_option("--set", options.sets, "change a setting: section.key=value (repeatable)")
        ->allow_extra_args(false);
    reads(verb.add_option("--catalog", options.catalog_folders,
                          "folder of catalog files of your own (repeatable)"))
        ->allow_extra_args(false);
    add_format(verb, options.format);
  }

  /// Marks an option as one that names a file or folder that the run reads; `rewritten_by` may replace it.
  CLI::Option* reads(CLI::Option* option, const char* rewritten_by = "") {
    inputs_.push_back({option, rewritten_by});
    return option;
  }
  CLI::Option* writes(CLI::Option* option) {
    outputs_.push_back({option, ""});
    return option;
  }

  struct FileOption {
    const CLI::Option* option;
    const char* rewritten_by;
  };
  /// The files that the command line names by these options.
  static std::vector<NamedFile> files_of(const std::vector<FileOption>& options) {
    std::vector<NamedFile> files;
    for (const FileOption& file : options) {
      for (const std::string& path : file.option->results())
        files.push_back({file.option->get_name(), path, file.rewritten_by});
    }
    return files;
  }

  CLI::App* verb(const std::string& name, const std::string& sentence, Action action) {
    CLI::App* sub = app_.add_subcommand(name, sentence);
    sub->callback([this, action] {
      action_ = [this, action] {
        check_apart(files_of(inputs_), files_of(outputs_));
        return action();
      };
    });
    return sub;
  }

  void add_planning() {
    auto* plan = verb("plan", "plan a datacenter and its training run", [this] { return run_plan(plan_); });
    add_scenario(*plan, plan_);
    writes(plan->add_option("--report", plan_.report, "write a self-contained HTML report"));
    writes(plan->add_option("--placement-svg", plan_.placement_svg,
                            "draw which stage stands in which HB domain"));
    writes(plan->add_option("--layer-svg", plan_.layer_svg,
                            "draw one layer's forward and backward pass to scale"));
    plan->add_option("--explain", plan_.explain, "the formula of a quantity with the numbers filled in");

    auto* sweep = verb("sweep", "one setting over many values", [this] { return run_sweeps(sweep_); });
    add_scenario(*sweep, sweep_);
    sweep->add_option("--name", sweep_.names, "a sweep of the scenario (repeatable; default: all)")
        ->allow_extra_args(false);
    sweep->add_option("--key", sweep_.key, "sweep this setting instead, such as network.scale_out_rate");
    sweep->add_option("--values", sweep_.values, "its values, separated by commas")->delimiter(',');
    sweep->add_option("--quantity", sweep_.quantity, "quantity to chart (default: step.exposed_share)");
    writes(sweep->add_option("--chart", sweep_.chart, "write the chart as SVG"));
  }

  void add_analyses() {
    auto* scaling = verb("scaling", "loss-optimal model sizes over training time",
                         [this] { return run_scaling(scaling_); });
    add_scenario(*scaling, scaling_);
    writes(scaling->add_option("--chart", scaling_.chart, "write the chart as SVG"));

    auto* rail = verb("rail", "the right size of an HB domain (rail-only equations 1 to 3)",
                      [this] { return run_rail(rail_); });
    add_scenario(*rail, rail_);
    writes(rail->add_option("--chart", rail_.chart, "write iteration time against HB-domain size as SVG"));
    writes(rail->add_option("--batch-chart", rail_.batch_chart,
                            "write relative performance against batch size as SVG"));

    auto* traffic = verb("traffic", "which devices talk to which, and how much",
                         [this] { return run_traffic(traffic_); });
    add_scenario(*traffic, traffic_);
    traffic->add_flag("--rail", traffic_.rail,
                      "the mapping of the rail-only analysis in place of the plan's");
    writes(traffic->add_option("--heat-map", traffic_.heat_map, "write a heat map, .svg or .png"));
    traffic->add_option("--first", traffic_.first, "first device of the heat map");
    traffic->add_option("--count", traffic_.count, "devices of the heat map");

    add_wide_area();

    auto* network = verb("network", "count, price and compare network designs, or find the cheapest",
                         [this] { return run_network(network_); });
    add_scenario(*network, network_);
    auto* design = network->add_option("--design", network_.design, "only this design of the scenario");
    auto* optimize = network->add_flag("--optimize", network_.optimize,
                                       "search planes, rails, tiers and oversubscription");
    auto* load = reads(
        network->add_option("--traffic", network_.traffic,
                            "load the designs: plan, rail, a .csv of from,to,bytes, permutation, incast, "
                            "all_to_all, ring, hierarchical_all_reduce, pipeline"));
    network->add_option("--bytes", network_.bytes, "bytes that a host sends in a named traffic (1 MB)")
        ->needs(load);
    network->add_option("--seed", network_.seed, "seed of the permutation")->needs(load);
    network->add_option("--routing", network_.routing, "symmetric, minimal or valiant")->needs(load);
    auto* route =
        network->add_option("--route", network_.route, "the ways from one device to another: FROM TO")
            ->expected(2);
    network->add_option("--fail", network_.failed, "a node to go around, such as \"leaf 0\" (repeatable)")
        ->allow_extra_args(false)
        ->needs(route);
    auto* svg = writes(network->add_option("--svg", network_.svg, "draw the designs"));
    auto* dot =
        writes(network->add_option("--dot", network_.dot, "write the graph of one design for Graphviz"));
    auto* cables = writes(network->add_option("--cables", network_.cables,
                                              "write every cable of one design, port by port, as CSV"));
    for (auto* other : {design, load, route, svg, dot, cables}) optimize->excludes(other);

    add_simulation();
    add_step();

    auto* site = verb("site", "where on a power grid the datacenter can stand, and how to divide it",
                      [this] { return run_site(site_); });
    add_scenario(*site, site_);
    site->get_option("scenario")->required(false);
    reads(site->add_option("--grid", site_.grid, "folder of a power grid's files, in place of site.grid")
              ->check([](const std::string& folder) {
                return std::string(folder.empty() ? "is empty: a folder of a power grid's files is needed"
                                                  : "");
              }));
    site->add_option("--at", site_.at,
                     "look at this place only: LAT,LON in degrees (repeatable: a split over them)")
        ->allow_extra_args(false);
    site->add_option("--radius", site_.radius, "km around a place, in place of site.radius");
    writes(site->add_option("--report", site_.report, "write a self-contained HTML report with a map"));
    writes(site->add_option("--map", site_.map, "draw sites, splits and the grid on a map, as SVG"));

    auto* reproduce =
        verb("reproduce", "the papers' numbers beside ours", [this] { return run_reproduce(reproduce_); });
    reproduce->add_option("paper", reproduce_.paper, "hotnets24, railonly23 or all");
    reproduce->add_flag("--quick", reproduce_.quick,
                        "run the packet simulations now, on 1,024 hosts, in place of their stored results");
    reproduce->add_option("--points", reproduce_.points,
                          "every point of a figure as well, through simulated steps: fig3a, fig3b, fig3c or "
                          "fig3 for all");
    writes(reproduce->add_option("--fig5", reproduce_.fig5, "draw Fig. 5 of HotNets '24 as SVG"));
    writes(reproduce->add_option("--fig6", reproduce_.fig6, "draw Fig. 6 of HotNets '24 as SVG"));
    add_format(*reproduce, reproduce_.format);

    auto* validate = verb("validate", "measured training runs beside our predictions",
                          [this] { return run_validation(validate_); });
    reads(validate->add_option("--runs", validate_.runs,
                               "runs of your own, a CSV file as data/measured_runs.csv, a table of MLPerf "
                               "Training results or a scenario (.toml) with [measurement]; more than once: "
                               "all of them"))
        ->allow_extra_args(false);
    validate->add_flag(
        "--columns", validate_.columns,
        "print the columns of such a file, what blanks stand for, and the spellings of programs");
    validate->add_flag(
        "--fit", validate_.fit,
        "fit the constants of the compute model on these runs or operators and print them as catalog tables");
    validate
        ->add_flag("--from-operators", validate_.from_operators,
                   "start the fit from what operators alone reach (<key>-operators) in place of <key>-prior")
        ->needs("--fit");
    auto* operators = reads(validate->add_option(
        "--operators", validate_.operators,
        "measured times of operators in place of runs: a table (CSV, plain or gzip) of matrix products, "
        "attention, experts or collectives, or the text of nccl-tests"));
    operators->allow_extra_args(false)
        ->excludes(validate->get_option("--runs"))
        ->excludes(validate->get_option("--from-operators"));
    auto* one =
        validate->add_option("--scenario", validate_.scenario, "print the run of this id as a scenario");
    validate
        ->add_option("--explain", validate_.explain,
                     "what the prediction of this run is made of, and which settings come nearer to it")
        ->excludes(one);
    writes(validate->add_option("--svg", validate_.svg, "draw predicted against measured step times"))
        ->excludes(operators);
    reads(validate->add_option("--catalog", validate_.catalog_folders, "folder of catalog files of your own"))
        ->allow_extra_args(false);
    add_format(*validate, validate_.format);
  }

  void add_wide_area() {
    auto* wide_area = verb("wide-area", "one cluster over several sites: how many, how far, at what capacity",
                           [this] { return run_wide_area(wide_area_); });
    add_scenario(*wide_area, wide_area_);
    auto* packets = wide_area->add_flag("--packets", wide_area_.packets,
                                        "send packets between sites as [long_haul] says");
    writes(
        wide_area->add_option("--chart", wide_area_.chart,
                              "write exposed share against capacity as SVG; with --packets, completion time "
                              "against bit-error rate"));
    wide_area
        ->add_option("--threads", wide_area_.threads, "threads that simulate (1); the result is the same")
        ->check(CLI::Range(1U, kMostThreads))
        ->needs(packets);
  }

  void add_simulation() {
    auto* simulate = verb("simulate", "send flows over a network design: their completion times",
                          [this] { return run_simulation(simulate_); });
    add_scenario(*simulate, simulate_);
    simulate->get_option("scenario")->required(false);
    reads(simulate->add_option("--topology", simulate_.topology,
                               "switches and links of htsim's file (.topo), in place of a design"));
    auto* connections =
        reads(simulate->add_option("--connections", simulate_.connections,
                                   "flows of htsim's connection matrix (.cm), packets as htsim counts them"));
    reads(simulate->add_option("--flows", simulate_.flows, "flows of a CSV file: from,to,bytes,start_s"))
        ->excludes(connections);
    simulate
        ->add_option("--network", simulate_.network,
                     "packet: every packet (the default); flow: max-min fair rates, without packets")
        ->check(CLI::IsMember({"packet", "flow"}));
    simulate->add_option("--transport", simulate_.transport, "short for --set simulation.transport=...");
    simulate->add_option("--load-balancing", simulate_.load_balancing,
                         "short for --set simulation.load_balancing=...");
    simulate->add_option("--window", simulate_.window, "short for --set simulation.window=..., packets");
    simulate->add_option("--queue", simulate_.queue, "short for --set simulation.queue=..., packets");
    simulate->add_option("--mtu", simulate_.mtu, "short for --set simulation.packet=..., bytes of payload");
    simulate->add_option("--seed", simulate_.seed, "short for --set simulation.seed=...");
    writes(simulate->add_option("--report", simulate_.report, "write a self-contained HTML report"));
    writes(simulate->add_option("--fct-svg", simulate_.fct_svg, "draw the distribution of completion times"));
    writes(simulate->add_option("--queue-svg", simulate_.queue_svg, "draw the longest queue over time"));
    auto* trace = writes(simulate->add_option("--trace", simulate_.trace,
                                              "write every event of the packets of chosen flows as CSV"));
    auto* flows =
        simulate->add_option("--trace-flows", simulate_.trace_flows, "their numbers, separated by commas")
            ->delimiter(',')
            ->allow_extra_args(false);
    trace->needs(flows);
    flows->needs(trace);
    simulate->add_option("--threads", simulate_.threads, "threads that simulate (1); the result is the same")
        ->check(CLI::Range(1U, kMostThreads));
    auto* checkpoint =
        writes(simulate->add_option("--checkpoint", simulate_.checkpoint,
                                    "save the run in this file from time to time, and when SIGINT or "
                                    "SIGTERM ends it; removed at its end"));
    simulate
        ->add_option("--checkpoint-every", simulate_.checkpoint_every, "seconds from one to the next (60)")
        ->check(CLI::NonNegativeNumber)
        ->needs(checkpoint);
    reads(simulate->add_option("--resume", simulate_.resume,
                               "continue the run that this checkpoint was saved from"),
          "--checkpoint");
  }

  void add_grid_import() {
    auto* grid = verb("import-grid", "make a grid folder for `site` from public data that you downloaded",
                      [this] { return run_grid_import(grid_import_); });
    GridImportInput& in = grid_import_.originals;
    grid->add_option("folder", grid_import_.folder, "folder to write")->required();
    grid->add_option("--eia860-plants", in.eia860_plants, "EIA-860 schedule 2, .xlsx or .csv");
    grid->add_option("--eia860-generators", in.eia860_generators,
                     "EIA-860 schedule 3_1, sheet Operable, .xlsx or .csv");
    grid->add_option("--energy-atlas", in.energy_atlas,
                     "EIA US Energy Atlas, Power Plants, .csv, in place of the generators");
    grid->add_option("--eia930", in.eia930, "EIA930_BALANCE_*.csv (repeatable)")->allow_extra_args(false);
    grid->add_option("--gppd", in.gppd,
                     "Global Power Plant Database, .csv: carbon intensities; alone: plants of a country");
    grid->add_option("--country", in.country, "its country, three letters (USA)");
    grid->add_option("--interfaces", in.interfaces, "ReEDS AC interfaces of counties, .csv");
    grid->add_option("--dc-interfaces", in.dc_interfaces, "ReEDS DC interfaces of counties, .csv");
    grid->add_option("--counties", in.counties, "Census Gazetteer of counties");
    grid->add_option("--population", in.population, "Census population estimates of counties, .csv");
    grid->add_option("--prices", in.prices, "EIA average price by state, .xlsx or .csv");
    grid->add_option("--cities", in.cities, "GeoNames cities15000.txt");
    grid->add_option("--status", in.statuses, "statuses of generators that count (OP,SB,OA)")->delimiter(',');
    grid->add_option("--window", in.window, "days of EIA-930 to use, UTC, such as 2022-10-08/2024-10-07");
    grid->add_flag("--adjusted", in.adjusted, "EIA-930's adjusted columns in place of the reported ones");
    grid->add_flag("--skip-bad-rows", in.skip_bad_rows, "leave out rows with errors, and list them");
    grid->add_flag("--replace", grid_import_.replace, "replace a folder that an import wrote");
  }

  void add_step() {
    auto* step = verb("step", "simulate a training step: timeline, exposed communication, memory",
                      [this] { return run_step(step_); });
    add_scenario(*step, step_);
    step->add_option("--network", step_.network,
                     "how transfers are timed: analytic, flow (they share links) or packet (simulated)");
    step->add_option("--phases", step_.phases,
                     "with --network packet: transfers that packets time: pipeline (the default), expert, "
                     "weights, gradient")
        ->delimiter(',');
    step->add_option("--schedule", step_.schedule, "short for --set step.schedule=...");
    writes(step->add_option("--trace", step_.trace, "write operations for Perfetto or chrome://tracing"));
    step->add_option("--trace-from", step_.trace_from, "with --trace: the moment at which it begins (0 s)");
    step->add_option("--trace-length", step_.trace_length,
                     "with --trace: how much time it shows, or all (default: 150,000 operations)");
    writes(step->add_option("--report", step_.report, "write a self-contained HTML report"));
  }

  void add_lookups() {
    auto* catalog = app_.add_subcommand("catalog", "hardware, models and prices, with their sources");
    catalog->require_subcommand(1);
    auto* list = catalog->add_subcommand("list", "entries of a kind, or the kinds");
    list->callback([this] { action_ = [this] { return run_catalog_list(catalog_); }; });
    list->add_option("kind", catalog_.kind,
                     "accelerators, hb_domains, nics, switches, links, prices or models");
    list->add_option("--where", catalog_.where,
                     "only entries whose field holds this text: field=text (repeatable)")
        ->allow_extra_args(false);
    auto* show = catalog->add_subcommand("show", "every figure of an entry, with its source");
    show->callback([this] { action_ = [this] { return run_catalog_show(catalog_); }; });
    show->add_option("kind", catalog_.kind, "kind of entry, or its key")->required();
    show->add_option("key", catalog_.key, "key of the entry");
    for (CLI::App* sub : {list, show}) {
      reads(sub->add_option("--catalog", catalog_.catalog_folders, "folder of catalog files of your own"))
          ->allow_extra_args(false);
      add_format(*sub, catalog_.format);
    }

    auto* describe = verb("describe", "what a scenario may say", [this] { return run_describe(describe_); });
    describe->add_option("what", describe_.what, "a section, or section.key");
    add_format(*describe, describe_.format);
    verb("schema", "the JSON Schema of a scenario", [] { return run_schema(); });
    auto* scenarios = verb("scenarios", "scenarios that come with the program",
                           [this] { return run_scenarios(scenarios_); });
    add_format(*scenarios, scenarios_);
    auto* example =
        verb("example", "print a shipped scenario, to change it", [this] { return run_example(example_); });
    example->add_option("name", example_, "its name")->required();
  }

  CLI::App app_;
  Action action_;
  std::vector<FileOption> inputs_;
  std::vector<FileOption> outputs_;
  PlanOptions plan_;
  SweepOptions sweep_;
  ScalingOptions scaling_;
  RailOptions rail_;
  TrafficOptions traffic_;
  WideAreaOptions wide_area_;
  NetworkOptions network_;
  SimulateOptions simulate_;
  SiteOptions site_;
  StepOptions step_;
  ReproduceOptions reproduce_;
  ValidateOptions validate_;
  GridImportOptions grid_import_;
  CatalogOptions catalog_;
  DescribeOptions describe_;
  Format scenarios_ = Format::text;
  std::string example_;
};

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What was not understood, and the nearest verb or flag.
struct Misunderstanding {
  std::string message;
  std::string help;
};

Misunderstanding misunderstanding(CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto verbs = verb_names(*at);
    if (!word.starts_with("-") && !verbs.empty()) {
      if (std::find(verbs.begin(), verbs.end(), word) == verbs.end())
        return {"no verb '" + word + "'", suggestion(word, verbs)};
      at = at->get_subcommand(word);
    }
    const std::string flag = word.substr(0, word.find('='));
    const auto flags = flag_names(*at);
    const bool unknown = word.starts_with("--") && std::find(flags.begin(), flags.end(), flag) == flags.end();
    if (unknown) return {"no flag '" + flag + "' here", suggestion(flag, flags)};
  }
  if (argc < 2) return {"no verb", suggestion("", verb_names(app))};
  return {error.what(), "see `trainyard" + (at == &app ? std::string{} : " " + at->get_name()) + " --help`"};
}

int usage_error(CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  const Misunderstanding what = misunderstanding(app, error, argc, argv);
  std::fprintf(stderr, "trainyard: error: %s\n  help: %s\n", what.message.c_str(), what.help.c_str());
  return kInputError;
}

int print(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return 0;
  std::perror("trainyard: standard output");
  return kBroken;
}

int infeasible(const Infeasible& answer) {
  std::fprintf(stderr, "infeasible: %s: %s\n", answer.constraint.c_str(), answer.shortfall.c_str());
  if (!answer.remedy.empty()) std::fprintf(stderr, "%s\n", answer.remedy.c_str());
  return kInfeasible;
}

int run(const Action& action) {
  try {
    return print(action());
  } catch (const InputError& error) {
    std::fputs(describe(error.findings()).c_str(), stderr);
    return kInputError;
  } catch (const UnmetAnswer& answer) {
    const int status = print(answer.output);
    return status == 0 ? infeasible(answer) : status;
  } catch (const Infeasible& answer) {
    return infeasible(answer);
  } catch (const FailedCheck& check) {
    print(check.text);
    std::fprintf(stderr, "trainyard: %s\n", check.what());
    return kBroken;
  } catch (const Interrupted& stop) {
    std::fprintf(stderr, "trainyard: %s\n", stop.what());
    constexpr int kSignalled = 128;
    return kSignalled + stop.signal();
  } catch (const std::bad_alloc&) {
    std::fputs("trainyard: out of memory\n", stderr);
    return kBroken;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trainyard: %s\n", error.what());
    return kBroken;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Program program;
  try {
    program.app().parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_error(program.app(), error, argc, argv);
  }
  return run(program.action());
}
