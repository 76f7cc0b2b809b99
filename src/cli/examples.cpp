// Command lines that are worth a try, by verb. A test runs each.
#include "cli/help.h"

namespace trainyard {
namespace {

struct Row {
  const char* verb;
  const char* command;
  const char* sentence;
};

constexpr Row kRows[] = {
    {"plan", "trainyard plan llama3-405b", "memory, mapping, step time, days and dollars"},
    {"plan", "trainyard plan llama3-405b --set network.scale_out_rate='200 Gbps'",
     "what half of the network would cost in time"},
    {"plan", "trainyard plan llama3-405b --explain step.mfu", "a formula with the numbers filled in"},
    {"sweep", "trainyard sweep hotnets24-dense", "the sweeps that a scenario has: Fig. 3 of the paper"},
    {"sweep", "trainyard sweep llama3-405b --key mapping.tensor --values 4,8", "a sweep of your own"},
    {"scaling", "trainyard scaling hotnets24-dense", "how large a model is best, by training time"},
    {"rail", "trainyard rail railonly23-gpt3", "how large an HB domain should be for GPT-3"},
    {"traffic", "trainyard traffic llama3-405b", "who talks to whom, and how much"},
    {"wide-area", "trainyard wide-area hotnets24-dense", "over how many sites it can train"},
    {"network", "trainyard network llama3-405b-network", "four designs side by side, with their bills"},
    {"network", "trainyard network llama3-405b-network --optimize", "the cheapest that does not slow a step"},
    {"network", "trainyard network topologies --design rail-only --route 0 9", "the way from one to another"},
    {"simulate", "trainyard simulate ndp-permutation", "every packet of a permutation"},
    {"simulate", "trainyard simulate ndp-permutation --network flow", "its bound at fair rates, at once"},
    {"step", "trainyard step llama3-405b", "what a step computes, and what waits"},
    {"collective", "trainyard collective all_reduce --bytes '64 MiB'", "how NCCL runs it on eight H100"},
    {"goodput", "trainyard goodput llama3-405b-months", "54 days with failures: useful time, days, dollars"},
    {"goodput", "trainyard goodput --published", "what operators published, beside what is predicted"},
    {"circuits", "trainyard circuits llama3-circuits", "optical circuits in place of rail switches"},
    {"schedule", "trainyard schedule synthetic shared-cluster --jobs 200", "jobs of a week on one cluster"},
    {"operate", "trainyard operate llama3-day", "training on what other work leaves, by the hour"},
    {"years", "trainyard years two-generations", "what a site that is bought in phases costs until the end"},
    {"search", "trainyard search megatron-175b --set 'mapping.microbatch={search=[1,2,4]}'",
     "the best of three, and by how much"},
    {"results", "trainyard results store.db", "what `trainyard search --resume store.db` kept"},
    {"site", "trainyard site --at 45.6,-121.1 --radius 50", "what power one place has"},
    {"serve", "trainyard serve --port 0 --check",
     "whether it can serve; without --check, it does until Ctrl-C"},
    {"reproduce", "trainyard reproduce railonly23", "a paper's numbers beside ours"},
    {"validate", "trainyard validate", "measured training runs beside predictions"},
    {"import-grid", "trainyard import-grid grid --from ~/Downloads",
     "what is there, what is missing, and a grid"},
    {"import-grid", "trainyard import-grid grid --gppd global_power_plant_database.csv --country NOR",
     "a grid folder of a country's plants"},
    {"catalog", "trainyard catalog list accelerators", "all of a kind"},
    {"catalog", "trainyard catalog show h100-sxm", "every figure with its source"},
    {"catalog list", "trainyard catalog list accelerators --where vendor=AMD", "those of one vendor"},
    {"catalog show", "trainyard catalog show tomahawk5", "every figure with its source"},
    {"describe", "trainyard describe mapping", "every setting of a section"},
    {"schema", "trainyard schema > scenario.schema.json", "for editors that know TOML schemas"},
    {"scenarios", "trainyard scenarios", "names and titles"},
    {"example", "trainyard example llama3-405b > my.toml", "one to change"},
    {"new", "trainyard new my.toml", "asks on a terminal; else flags and defaults answer"},
    {"new", "trainyard new small.toml --devices 64 --model llama3-8b", "without questions, from a script"},
    {"completion", "trainyard completion bash > ~/.local/share/bash-completion/completions/trainyard",
     "from the next shell on, the tab key completes"},
    {"manual", "trainyard manual plan | man -l -", "the page of a verb"},
    {"help", "trainyard help units", "how quantities are written"}};

}  // namespace

std::vector<Example> examples_of(const std::string& verb) {
  std::vector<Example> examples;
  for (const Row& row : kRows) {
    if (verb == row.verb) examples.push_back({row.command, row.sentence});
  }
  return examples;
}

}  // namespace trainyard
