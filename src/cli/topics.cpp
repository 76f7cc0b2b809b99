// What help says of what several verbs share.
#include "cli/help.h"

namespace trainyard {
namespace {

constexpr const char* kStart =
    R"(Trainyard designs, prices and simulates AI training datacenters, from the power
grid to the packet. A question is one TOML file; the answer can be checked.

First, a cluster that people have: Llama 3 405B on 16,384 H100.

  trainyard plan llama3-405b
      memory, mapping, step time with its error, days and dollars; MFU 42%

Then ask more of it:

  trainyard plan llama3-405b --set facility.devices=1024 \
                             --set mapping.recompute=full
      on 1,024 of them, with activations computed twice: 70 days are 3.2 years
  trainyard plan llama3-405b --explain step.mfu
      the formula with the numbers filled in, and its source
  trainyard network llama3-405b-network --optimize
      the cheapest network that does not slow the step, and why not others
  trainyard goodput llama3-405b-months
      months of failures: what part of the time is useful
  trainyard step llama3-405b --report step.html
      the step as a timeline, in a page for a browser

Second, what nobody has yet: 100 trillion parameters for $100B.

  trainyard plan hotnets24-dense

A question of your own:

  trainyard new my.toml            asks what you have, and writes a scenario
  trainyard scenarios              those that come with the program
  trainyard help                   all verbs; `help plan` is one, with examples
)";

constexpr const char* kScenarios =
    R"(A scenario is a TOML file: what there is ([facility], [network]), what is
trained ([model], [training]) and how ([mapping]). The rest has defaults.

  title = "Llama 3 8B on 64 H100"
  [facility]
  devices = 64
  hb_domain = "dgx-h100"
  [model]
  name = "llama3-8b"
  [mapping]
  tensor = 2

  trainyard new my.toml                        asks, and writes one
  trainyard scenarios                          those that come with the program
  trainyard example llama3-405b > my.toml      one of them, to change it
  trainyard plan my.toml --set mapping.tensor=4      a change for one run
  trainyard describe mapping                   every setting of a section
  trainyard describe mapping.tensor            one setting
  trainyard schema > scenario.schema.json      for editors that know schemas

A setting { search = [1, 2, 4] } is left open: `trainyard search` finds the
best.
)";

constexpr const char* kUnits =
    R"(Quantities are a number and a unit: "400 Gbps", "80 GB", "25 MW", "$100M".

  network rates   bits a second, one direction: Gbps, Tbps (1 GB/s is 8 Gbps)
  memory rates    bytes a second: GB/s, TB/s
  sizes           GB is 10^9 bytes, GiB is 2^30 bytes
  times           ps, ns, us, ms, s, min, h, days, weeks, years (of 365 days)
  compute         FLOP and FLOP/s with k, M, G, T, P, E, Z
  power, energy   W, kW, MW, GW; kWh, MWh, GWh
  money           $3M, $100B, 748 USD

Texts have four digits and a prefix. JSON and CSV have base units, which the end
of a name says: _s, _bytes, _bps, _w, _usd. Shares are fractions of 1.
)";

constexpr const char* kOutput =
    R"(Every verb answers in text; --json and --csv are for programs.

  trainyard plan llama3-405b --json | jq .step.mfu      by section and name
  trainyard network topologies --csv > networks.csv     a line for each design
  trainyard plan llama3-405b --report plan.html         one page with charts
  trainyard plan llama3-405b --explain                  the quantities of a plan
  trainyard plan llama3-405b --explain step.mfu         one, with its formula

On a terminal lines are as long as it is wide, and headings are bold unless
NO_COLOR is set or --color=never is given. Pipes and files get them as written.
The same question gives the same bytes, for any number of threads.
)";

constexpr const char* kStatus =
    R"(Exit statuses:

  0   an answer
  1   a check failed, or the program cannot go on (a full disk, no memory)
  2   the question is wrong: file, line, key, what is allowed, the nearest name
  3   the question has no answer: what binds, by how much, and what would fit
  128 + n   signal n ended it in order
)";

}  // namespace

std::string start_page() { return kStart; }

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics = {
      {"start", "what this is, a first example, what to try next", kStart},
      {"questions", "how to write a question", kScenarios},
      {"units", "how quantities are written, and what rates count", kUnits},
      {"output", "text, JSON, CSV, pages, colour", kOutput},
      {"status", "exit statuses", kStatus}};
  return kTopics;
}

}  // namespace trainyard
