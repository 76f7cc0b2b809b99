// A verb of the program: its flags, and what runs. It holds no modelling.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "trainyard/errors.h"

namespace trainyard {

class Ranks;

/// Returns the text for standard output; errors are exceptions (base/errors.h, cli/outcomes.h). `ranks` are
/// the processes that were started together, or nullptr.
using Action = std::function<std::string(Ranks* ranks)>;

struct Verb {
  std::string name;
  std::string sentence;
  /// Adds the flags and returns what runs once they are read.
  std::function<Action(Flags& flags)> declare;
  /// Verbs of its own, as in `catalog list`; it then does nothing itself.
  std::vector<Verb> parts;
  /// Ranks work together on it; else rank 0 answers alone.
  bool shared = false;
};

/// Throws the error again; findings that name a setting alone have the place where the loaded scenario says
/// it.
[[noreturn]] void fail_placed(const ScenarioOptions& options, const InputError& error);

/// What `run` returns; errors of a verb that reads a scenario have their places.
template <class Options, class Run>
std::string run_placed(const Options& options, const Run& run) {
  if constexpr (std::derived_from<Options, ScenarioOptions>) {
    try {
      return run();
    } catch (const InputError& error) {
      fail_placed(options, error);
    }
  } else {
    return run();
  }
}

/// The verb whose flags fill a record of options, and that runs on it.
template <class Options>
Verb make_verb(const char* name, const char* sentence, void (*declare)(Flags&, Options&),
               std::string (*run)(const Options&)) {
  const auto bind = [declare, run](Flags& flags) -> Action {
    const auto options = std::make_shared<Options>();
    declare(flags, *options);
    return [options, run](Ranks*) { return run_placed(*options, [&] { return run(*options); }); };
  };
  return {name, sentence, bind, {}};
}

/// The same, of a verb that ranks work on together. What it returns counts on rank 0.
template <class Options>
Verb make_verb(const char* name, const char* sentence, void (*declare)(Flags&, Options&),
               std::string (*run)(const Options&, Ranks*)) {
  const auto bind = [declare, run](Flags& flags) -> Action {
    const auto options = std::make_shared<Options>();
    declare(flags, *options);
    return
        [options, run](Ranks* ranks) { return run_placed(*options, [&] { return run(*options, ranks); }); };
  };
  return {name, sentence, bind, {}, true};
}

}  // namespace trainyard
