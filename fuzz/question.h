// A whole run as the input of a fuzzer, a text:
//
//   flow small                        words that choose the run and the scenario
//   simulation.bytes = "1 MB"         settings that are laid over it; a key of [[design]] and its like that
//   comes design.radix = 32                 a second time begins another one
//   == flows                          files that it reads, each after its name
//   from,to,bytes,start_s
//
// A fuzzer of whole runs says what its words may be and how a question is answered; question.cpp does the
// rest: it reads, mutates and judges.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard::fuzz {

struct Question {
  std::vector<std::string> words;
  std::vector<std::string> settings;
  std::map<std::string, std::string> files;

  /// A file by its name; nothing where there is none.
  std::shared_ptr<const SourceText> file(const std::string& name) const;
};

Question read_question(std::string_view text);
std::string text_of(const Question& question);

/// What a fuzzer asks.
struct Asking {
  std::vector<std::vector<std::string>> words;  // choices of each word; an unknown word is the first of them
  std::vector<std::string> sections;            // whose settings decide most of the answer
  /// Every form of the answer. Empty where the run would be larger than a fuzzer has time for.
  std::string (*answer)(const Question& question, const ScenarioText& scenario);
};

/// Each fuzzer of whole runs has one.
const Asking& asking();

/// Thrown by fuzzers out of a run's progress where it becomes long.
struct LongEnough {};

}  // namespace trainyard::fuzz
