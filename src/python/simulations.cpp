// Flows over a network, and training steps.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <sys/resource.h>

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "python/answer.h"
#include "python/functions.h"
#include "python/question.h"
#include "python/record_tables.h"
#include "trainyard/connections.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/simulation.h"
#include "trainyard/report/step.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"
#include "trainyard/step.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

/// How simulate() is asked for; the fields are those of __init__.py.
struct SimulateWords {
  std::string network = "packet";
  std::int64_t threads = 1;
  std::string topology;  // files
  std::string connections;
  std::string flows;
  std::string flows_text;  // CSV, in place of a file
  std::vector<std::int64_t> trace_flows;
  std::string checkpoint;
  double checkpoint_every_s = 60;
  std::string resume;
};

SimulationFiles files_of(const SimulateWords& words) {
  const bool of_flows = !words.flows.empty() || !words.flows_text.empty();
  if (of_flows && !words.connections.empty())
    fail_input(whole("connections"), "flows and connections are two lists of what is sent", "one of them");
  SimulationFiles out;
  if (!words.topology.empty()) out.topology = read_list(words.topology);
  if (!words.connections.empty()) out.connections = read_list(words.connections);
  if (!words.flows.empty()) out.flows = read_list(words.flows);
  if (!words.flows_text.empty())
    out.flows = std::make_shared<const SourceText>(SourceText{"flows", words.flows_text});
  return out;
}

SimulationEngine engine_named(const std::string& name) {
  if (name == "flow") return SimulationEngine::flow;
  if (name == "packet") return SimulationEngine::packet;
  fail_input(whole("network"), "no network model '" + name + "'", suggestion(name, {"packet", "flow"}));
}

SimulationRun run_of(const SimulateWords& words, Work& work) {
  SimulationRun out{.engine = engine_named(words.network),
                    .files = files_of(words),
                    .threads = threads_of(words.threads),
                    .traced_flows = words.trace_flows};
  const bool saves = !words.checkpoint.empty();
  out.progress = [&work, saves](const SimulationProgress& now) {
    if (saves && work.is_stopped()) return;  // it is saved and then ends, by `stop`
    work.tell(static_cast<double>(now.flows_finished), static_cast<double>(now.flows));
  };
  out.checkpoints.file = words.checkpoint;
  out.checkpoints.every = Seconds(words.checkpoint_every_s);
  out.checkpoints.resume = words.resume;
  out.checkpoints.stop = [&work] { return work.is_stopped(); };
  return out;
}

/// Of this thread, which the simulation begins on.
class CostMeter {
 public:
  RunCost cost() const {
    constexpr double kKilo = 1024;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto wall = std::chrono::steady_clock::now() - wall_;
    return {cpu() - cpu_, Seconds(std::chrono::duration<double>(wall).count()),
            static_cast<double>(usage.ru_maxrss) * kKilo};
  }

 private:
  static Seconds cpu() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    constexpr double kNano = 1e-9;
    return Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * kNano);
  }

  Seconds cpu_ = cpu();
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

py::tuple run_simulation(const Question& question, const SimulateWords& words, const py::object& progress) {
  return answered(question, progress, [&](Work& work) {
    const ScenarioText text = question.read();
    const Scenario scenario =
        words.connections.empty() ? text.resolve() : workload::resolve_with_connections(text);
    const SimulationRun run = run_of(words, work);
    const CostMeter meter;
    SimulationResult result = simulate(scenario, run);
    const RunCost cost = meter.cost();
    result.warnings = idle_warnings(text, idle_settings(scenario, run));
    return Answer{simulation_json(result, cost, scenario), tables_of(result)};
  });
}

/// What of `all` has this name.
template <class Things, class Name>
auto chosen(const Things& all, const Name& name_of, const std::string& wanted, const char* argument) {
  std::vector<std::string> names;
  for (const auto& one : all) {
    if (name_of(one) == wanted) return one;
    names.emplace_back(name_of(one));
  }
  fail_input(whole(argument), "'" + wanted + "' is none of them", suggestion(wanted, names));
}

StepRun step_run(const ScenarioText& text, const std::string& network,
                 const std::vector<std::string>& phases) {
  StepRun out{.network = chosen(step_networks(), step_network_name, network, "network")};
  if (out.network != StepNetwork::packet) {
    if (!phases.empty())
      fail_input(whole("phases"), "only packets time chosen transfers", "network=\"packet\"");
    return out;
  }
  for (const char* section : {"design", "simulation"}) {
    if (!text.has(section))
      fail_input(whole(text.name()), std::string("network=\"packet\" needs a section '") + section + "'");
  }
  if (phases.empty()) return out;
  out.phases.clear();
  for (const std::string& phase : phases)
    out.phases.push_back(chosen(packet_phases(), step_work_name, phase, "phases"));
  return out;
}

py::tuple step(const Question& question, const std::string& network, const std::vector<std::string>& phases) {
  return answered(question, [&] {
    const ScenarioText text = question.read();
    const StepRun run = step_run(text, network, phases);
    const Plan plan = plan_as_stated(text.resolve());
    StepSimulation simulated = simulate_step(plan, run);
    if (run.network == StepNetwork::packet)
      simulated.add_warnings(idle_warnings(text, idle_settings(plan.scenario, {})));
    return Answer{step_json(simulated, plan), tables_of(simulated)};
  });
}

/// Trace events for Perfetto.
py::bytes trace(const Question& question, const std::string& network,
                const std::vector<std::string>& phases) {
  std::string out;
  run_unlocked(py::none(), [&](Work&) {
    const ScenarioText text = question.read();
    const StepRun run = step_run(text, network, phases);
    out = step_trace(simulate_step(plan_as_stated(text.resolve()), run), {.length = kWholeStep}).json;
  });
  return out;
}

}  // namespace

void add_simulations(py::module_& module) {
  py::class_<SimulateWords>(module, "SimulateWords")
      .def(py::init<>())
      .def_readwrite("network", &SimulateWords::network)
      .def_readwrite("threads", &SimulateWords::threads)
      .def_readwrite("topology", &SimulateWords::topology)
      .def_readwrite("connections", &SimulateWords::connections)
      .def_readwrite("flows", &SimulateWords::flows)
      .def_readwrite("flows_text", &SimulateWords::flows_text)
      .def_readwrite("trace_flows", &SimulateWords::trace_flows)
      .def_readwrite("checkpoint", &SimulateWords::checkpoint)
      .def_readwrite("checkpoint_every_s", &SimulateWords::checkpoint_every_s)
      .def_readwrite("resume", &SimulateWords::resume);
  module.def("simulate", &run_simulation);
  module.def("step", &step);
  module.def("step_trace", &trace);
}

}  // namespace trainyard::python
