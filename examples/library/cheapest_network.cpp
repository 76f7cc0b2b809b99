// Plans a training run, asks which of its networks is the cheapest that does not slow it, and sends packets
// over that one: what a program of your own may do with Trainyard.
//
//   cheapest_network [SCENARIO [KEY=VALUE ...]]
#include <trainyard/trainyard.h>

#include <cstdio>
#include <exception>
#include <optional>

namespace {

using namespace trainyard;

/// The cheapest answer whose training step is within a thousandth of the quickest.
const NetworkAnswer* cheapest(const std::vector<NetworkAnswer>& answers) {
  std::optional<Seconds> quickest;
  for (const NetworkAnswer& a : answers) {
    if (a.effect && (!quickest || a.effect->step < *quickest)) quickest = a.effect->step;
  }
  const NetworkAnswer* best = nullptr;
  for (const NetworkAnswer& a : answers) {
    const bool quick = a.effect && a.effect->step <= *quickest * 1.001;
    if (quick && (best == nullptr || a.bill.price < best->bill.price)) best = &a;
  }
  return best;
}

int run(int argc, char** argv) {
  ScenarioText text = ScenarioText::load(argc > 1 ? argv[1] : "llama3-405b");
  for (int i = 2; i < argc; ++i) text.set(argv[i], "argument");
  const Plan plan = make_plan(text.resolve());
  std::printf("%lld devices, a step of %.3g s, %.0f days to train\n",
              static_cast<long long>(plan.mapping.devices_used), plan.step.step.si(),
              plan.step.days_to_train.si() / 86400);

  const std::vector<NetworkAnswer> answers = answer_networks(plan.scenario);
  for (const NetworkAnswer& a : answers)
    std::printf("  %-24s %8lld chips, USD %.3g\n", a.design.input.name.c_str(),
                static_cast<long long>(a.counts.chips), a.bill.price.si());
  const NetworkAnswer* best = cheapest(answers);
  if (best == nullptr) return std::puts("no design connects the plan's cluster"), 1;
  std::printf("cheapest without slowing training: %s\n", best->design.input.name.c_str());

  const StepSimulation step = simulate_step(plan, {.network = StepNetwork::flow});
  std::printf("simulated step: %.3g s, %.2f%% of it waits for networks\n", step.timeline.step.si(),
              step.timeline.exposed_share * 100);

  const Scenario packets = ScenarioText::load("ndp-permutation").resolve();
  const SimulationResult sent = simulate(packets, {.threads = 2});
  std::printf("packets: %zu flows, the last after %.3g ms, %.2fx the least time\n", sent.flows.size(),
              sent.longest.si() * 1e3, sent.longest / sent.ideal);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const InputError& error) {  // file, line, key, what is allowed
    std::fputs(describe(error.findings()).c_str(), stderr);
    return 2;
  } catch (const Infeasible& answer) {
    std::fprintf(stderr, "%s: %s\n%s\n", answer.constraint.c_str(), answer.shortfall.c_str(),
                 answer.remedy.c_str());
    return 3;
  }
}
