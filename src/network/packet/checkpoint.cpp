#include "network/packet/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "network/packet/archive.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"

namespace trainyard::packet {
namespace {

constexpr std::string_view kMagic = "trainyard checkpoint ";
constexpr int kFormat = 11;  // a new one whenever the state's fields or their order change
constexpr std::size_t kMostDifferences = 8;
constexpr std::uint64_t kMostCheckpoint_bytes = std::uint64_t{1} << 40U;

/// A sequence of numbers as one: what went through `mixed`, one after the other.
class Digest {
 public:
  void add(std::uint64_t number) { sum_ = mixed(sum_, number); }
  std::uint64_t sum() const { return sum_; }
  std::string text() const { return fmt::format("{:016x}", sum_); }

 private:
  std::uint64_t sum_ = 0;
};

std::uint64_t checksum(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof(word), bytes.size() - at));
    digest.add(word);
  }
  return digest.sum();
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  fail_input(whole(file), why, "another checkpoint, or a run from the start");
}

/// A number and the character after it, taken from a text; false when it does not begin so.
template <class T>
bool take(std::string_view& text, T& out, int base, char then) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc{} || end == text.data() + text.size() || *end != then) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

/// What follows the first line, checked to be whole.
std::string_view body_of(const std::string& file, std::string_view text) {
  if (!text.starts_with(kMagic)) refuse(file, "this is not a checkpoint");
  text.remove_prefix(kMagic.size());
  int format = 0;
  if (!take(text, format, 10, ' ')) refuse(file, "this checkpoint is damaged in its first line");
  if (format != kFormat)
    refuse(file, fmt::format("this checkpoint has format {}; this program reads format {}", format, kFormat));
  std::uint64_t length = 0;
  std::uint64_t sum = 0;
  if (!take(text, length, 10, ' ') || !take(text, sum, 16, '\n'))
    refuse(file, "this checkpoint is damaged in its first line");
  if (text.size() < length)
    refuse(file, fmt::format("this checkpoint is cut off: {} of {} bytes are there", text.size(), length));
  if (text.size() > length || checksum(text) != sum)
    refuse(file, "this checkpoint is damaged: its checksum is not that of its content");
  return text;
}

void compare(const std::string& file, const CheckpointIdentity& there, const CheckpointIdentity& here) {
  const auto value = [](const CheckpointIdentity& identity, const std::string& name) {
    const auto at =
        std::find_if(identity.begin(), identity.end(), [&](const auto& e) { return e.first == name; });
    return at == identity.end() || at->second.empty() ? std::string("nothing") : at->second;
  };
  CheckpointIdentity all = here;
  for (const auto& entry : there) {
    if (std::none_of(here.begin(), here.end(), [&](const auto& e) { return e.first == entry.first; }))
      all.push_back(entry);
  }
  std::vector<Finding> findings;
  for (const auto& [name, unused] : all) {
    const std::string before = value(there, name);
    const std::string now = value(here, name);
    if (before == now) continue;
    findings.push_back(
        {whole(file),
         fmt::format("this checkpoint is of another simulation: {} was {} and is {}", name, before, now),
         {}});
  }
  if (findings.empty()) return;
  if (findings.size() > kMostDifferences) {
    findings.resize(kMostDifferences);
    findings.back().help = "and more that differs";
  } else {
    findings.back().help = "the same scenario, files and program version, or a run from the start";
  }
  throw InputError(findings);
}

bool begins_as_checkpoint(const std::string& path) {
  std::string begin(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == kMagic;
}

}  // namespace

CheckpointIdentity identity_of(const Layout& layout, const std::vector<Flow>& flows,
                               const std::vector<Dependency>& dependencies,
                               const std::vector<Lineup>& lineups, const std::vector<Connection>& connections,
                               const std::vector<Fault>& faults) {
  Digest network;
  for (const std::uint64_t number :
       {std::uint64_t{layout.hosts()}, std::uint64_t{layout.planes}, layout.nodes.size()})
    network.add(number);
  for (const Wire& wire : layout.wires) {
    network.add(wire.node);
    network.add(wire.in_port);
    network.add(layout.links[wire.link].delay);
    network.add(layout.links[wire.link].picoseconds_per_byte.parts());
  }
  Digest traffic;
  for (const Flow& flow : flows) {
    for (const std::uint64_t number : {std::uint64_t{flow.from}, std::uint64_t{flow.to}, flow.bytes,
                                       flow.start, std::uint64_t{flow.path}, std::uint64_t{flow.path_back}})
      traffic.add(number);
  }
  for (const Dependency& d : dependencies) {
    for (const std::uint32_t number : {d.before, d.after, std::uint32_t{d.on_receipt}}) traffic.add(number);
  }
  for (const Lineup& lineup : lineups) {
    for (const std::uint32_t flow : lineup) traffic.add(flow);
  }
  for (const Connection& connection : connections) {
    for (const std::uint32_t flow : connection) traffic.add(flow);
  }
  Digest failures;
  for (const Fault& fault : faults) {
    for (const std::uint64_t number :
         {fault.time, std::uint64_t{fault.port}, std::uint64_t{fault.down}, std::uint64_t{fault.link}})
      failures.add(number);
  }
  return {
      {"the network", network.text()}, {"the traffic", traffic.text()}, {"the failures", failures.text()}};
}

std::string checkpoint_text(const CheckpointIdentity& identity,
                            const std::function<void(std::string&)>& write_state) {
  // The first line has its final length at once, so that the state, which is large, need not move.
  const auto first_line = [](std::uint64_t length, std::uint64_t sum) {
    return fmt::format("{}{} {:020} {:016x}\n", kMagic, kFormat, length, sum);
  };
  std::string text = first_line(0, 0);
  const std::size_t begin = text.size();
  pack(text, identity);
  write_state(text);
  const std::string_view body = std::string_view(text).substr(begin);
  const std::string line = first_line(body.size(), checksum(body));
  text.replace(0, begin, line);
  return text;
}

std::string_view checkpoint_state(const std::string& file, std::string_view text,
                                  const CheckpointIdentity& identity) {
  std::string_view body = body_of(file, text);
  CheckpointIdentity there;
  try {
    unpack(body, there);
  } catch (const std::exception&) {
    refuse(file, "this checkpoint does not say what it is of");
  }
  compare(file, there, identity);
  return body;
}

void check_place(const CheckpointRules& rules) {
  namespace fs = std::filesystem;
  if (rules.file.empty()) return;
  check_writable(rules.file);
  std::error_code code;
  if (!fs::exists(rules.file, code)) return;
  if (!fs::is_regular_file(rules.file, code))
    fail_input(whole(rules.file), "is no regular file: a checkpoint cannot be kept there");
  if (!rules.resume.empty() && fs::equivalent(rules.file, rules.resume, code)) return;
  if (!begins_as_checkpoint(rules.file))
    fail_input(whole(rules.file), "holds something that is no checkpoint; it is left as it is",
               "a name of its own for the checkpoint");
  fail_input(whole(rules.file), "holds the checkpoint of a run that did not end; it is left as it is",
             fmt::format("--resume {} continues that run; for another one, give another name or remove it",
                         rules.file));
}

Checkpoints::Checkpoints(const CheckpointRules& rules, CheckpointIdentity identity, Moments& moments)
    : rules_(rules), identity_(std::move(identity)), moments_(moments) {
  check_place(rules_);
  if (!rules_.resume.empty()) resumed_ = read_file(rules_.resume, kMostCheckpoint_bytes);
}

void Checkpoints::restore(const std::function<void(std::string_view&)>& read) {
  if (rules_.resume.empty()) return;
  std::string_view state = checkpoint_state(rules_.resume, resumed_, identity_);
  try {
    unpack(state, moments_);
    read(state);
  } catch (const std::exception&) {
    refuse(rules_.resume, "this checkpoint does not hold the state of a simulation");
  }
  if (!state.empty()) refuse(rules_.resume, "this checkpoint holds more than the state of this simulation");
  resumed_ = {};
}

bool Checkpoints::due() const {
  return std::chrono::duration<double>(Clock::now() - saved_at_).count() >= rules_.every.si();
}

bool Checkpoints::after_window(const std::function<void(std::string&)>& write_state) {
  stopped_ = rules_.stop && rules_.stop();
  if (!rules_.file.empty() && (stopped_ || due())) save(write_state);
  return !stopped_;
}

void Checkpoints::save(const std::function<void(std::string&)>& write_state) {
  const auto go_on = [&](const std::string& failure) {
    rules_.warn(failure);
    saved_at_ = Clock::now();
  };
  const bool needed = stopped_ || !rules_.warn;  // nothing would be left of the run
  try {
    write_file(rules_.file, checkpoint_text(identity_, [&](std::string& text) {
                 pack(text, moments_);
                 write_state(text);
               }));
  } catch (const InputError& error) {
    if (needed) throw;
    return go_on(describe(error.findings()));
  } catch (const WriteFailure& failure) {
    if (needed) throw;
    return go_on(std::string(failure.what()) + "\n");
  }
  saved_at_ = Clock::now();
  if (rules_.saved) rules_.saved();
}

}  // namespace trainyard::packet
