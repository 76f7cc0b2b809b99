// Checkpoints whose state is anybody's: refused, or a run that goes on to an end. The first byte of an input
// says of which transport the checkpoint is, the second when it was saved, each further eight what is changed
// in it. Where the content of the file is the input itself, network/packet's own checks are left to the first
// line.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "base/choices.h"
#include "network/packet/archive.h"
#include "network/packet/checkpoint.h"
#include "scratch_file.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace {

using namespace trainyard;
using fuzz::ScratchFile;

struct LongEnough {};

constexpr std::uint64_t kManyWindows = 5000;
constexpr std::array kTransports = {"ndp",   "homa",  "eqds",  "smartt", "nscc", "rccc",      "roce", "hpcc",
                                    "swift", "dctcp", "cubic", "bbr",    "irn",  "scheduled", "fec"};
constexpr std::array kWindows = {1, 4, 16, 64};

const char* const kScenario = R"([facility]
devices = 8
hb_domain = "dgx-h100"
[model]
name = "llama3-8b"
[[design]]
name = "small"
topology = "fat_tree"
hosts = 8
domain = 1
radix = 4
rate = "400 Gbps"
[simulation]
bytes = "40 kB"
queue = 4
packet_loss = 0.01
)";

Scenario scenario_of(const std::string& transport) {
  static const ScenarioText text =
      ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"small", kScenario}));
  ScenarioText with = text;
  with.set("simulation.transport=" + transport);
  return with.resolve();
}

/// A file of a run that was stopped after so many windows; empty where it ended before.
std::string saved(const Scenario& scenario, int windows) {
  const ScratchFile file("saved", "");
  std::filesystem::remove(file.path());
  SimulationRun run;
  run.checkpoints.file = file.path();
  run.checkpoints.stop = [windows]() mutable { return windows-- == 0; };
  try {
    static_cast<void>(simulate(scenario, run));
    return {};
  } catch (const SimulationStopped&) {
    return read_file(file.path());
  }
}

struct Saved {
  packet::CheckpointIdentity identity;
  std::string state;
};

const Saved& checkpoint(std::size_t transport, std::size_t windows, const Scenario& scenario) {
  static std::map<std::pair<std::size_t, std::size_t>, Saved> all;
  const auto [found, fresh] = all.try_emplace({transport, windows});
  if (!fresh) return found->second;
  const std::string file = saved(scenario, kWindows[windows]);
  if (file.empty()) return found->second;
  std::string_view body = std::string_view(file).substr(file.find('\n') + 1);
  packet::unpack(body, found->second.identity);
  found->second.state = body;
  return found->second;
}

/// Eight bytes: what to do, where, and with which number.
void change(std::string& state, const std::uint8_t* edit) {
  std::uint32_t number = 0;
  std::memcpy(&number, edit + 4, sizeof(number));
  const std::size_t place = std::size_t{edit[1]} | std::size_t{edit[2]} << 8U | std::size_t{edit[3]} << 16U;
  const std::size_t at = state.empty() ? 0 : place % state.size();
  const std::size_t room = std::min(sizeof(number), state.size() - at);
  std::uint64_t word = 0;
  std::memcpy(&word, state.data() + at, std::min(sizeof(word), state.size() - at));
  switch (edit[0] % 6) {
    case 0:
      if (room > 0) state[at] = static_cast<char>(number);
      break;
    case 1:
      std::memcpy(state.data() + at, &number, room);
      break;
    case 2:
      word += number;
      std::memcpy(state.data() + at, &word, std::min(sizeof(word), state.size() - at));
      break;
    case 3:
      word = std::uint64_t{number} << 32U;
      std::memcpy(state.data() + at, &word, std::min(sizeof(word), state.size() - at));
      break;
    case 4:
      state.erase(at, number % 64);
      break;
    default:
      state.insert(at, std::string(number % 64, static_cast<char>(number >> 8U)));
  }
}

void resume(const Scenario& scenario, const std::string& content) {
  const ScratchFile file("resumed", content);
  SimulationRun run;
  run.checkpoints.resume = file.path();
  run.progress = [windows = std::uint64_t{0}](const SimulationProgress&) mutable {
    if (++windows > kManyWindows) throw LongEnough();
  };
  try {
    static_cast<void>(simulate(scenario, run));
  } catch (const InputError& error) {
    if (error.findings().empty() || error.findings().front().message.empty()) std::abort();
    static_cast<void>(describe(error.findings()));
  } catch (const LongEnough&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kEdit = 8;
  if (size < 2) return 0;
  const std::size_t transport = data[0] % (kTransports.size() + 1);
  const std::string name = kTransports[std::min(transport, kTransports.size() - 1)];
  const Scenario scenario = scenario_of(name);
  if (transport == kTransports.size()) {
    resume(scenario, std::string(reinterpret_cast<const char*>(data) + 2, size - 2));
    return 0;
  }
  const Saved& from = checkpoint(transport, data[1] % kWindows.size(), scenario);
  std::string state = from.state;
  for (std::size_t at = 2; at + kEdit <= size; at += kEdit) change(state, data + at);
  resume(scenario, packet::checkpoint_text(from.identity, [&](std::string& text) { text += state; }));
  return 0;
}
