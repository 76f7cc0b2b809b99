// A scenario from a few answers.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

struct Catalog;

/// One thing that is asked, by a flag or on a terminal.
struct Question {
  std::string flag;                // "--devices"
  std::string asks;                // "How many accelerators?"
  std::string answer;              // valid; before it is asked, the default
  std::string shown;               // of an answer that is "", what stands for it: "the model's own"
  std::vector<std::string> known;  // names that are allowed; empty: what `read` takes
  /// The answer in the words of a scenario; throws InputError for one that is none.
  std::function<std::string(const std::string& answer)> read;
};

/// What a new scenario is made of.
struct NewScenario {
  std::string domain;  // key of hb_domains
  std::string devices;
  std::string model;
  std::string tokens;  // "": as the catalog says
  std::string batch_tokens;
  std::string rate;  // "": of the domain's NICs
  std::string topology;
};

/// The questions, each of which writes its answer into `scenario`, with their defaults. The catalog has to
/// outlive them.
std::deque<Question> questions_of(const Catalog& catalog, NewScenario& scenario);

/// Reads an answer; "" is the default. Throws InputError that names the flag and the nearest name.
void take(Question& question, const std::string& answer);

/// The scenario as TOML, with comments.
std::string scenario_toml(const Catalog& catalog, const NewScenario& scenario);

}  // namespace trainyard
