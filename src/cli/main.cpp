// The door from the command line: flags into options, exceptions into exit statuses.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/commit.h"
#include "cli/flags.h"
#include "cli/help.h"
#include "cli/mpi/launch.h"
#include "cli/mpi/standard_input.h"
#include "cli/outcomes.h"
#include "cli/screen.h"
#include "cli/verbs.h"
#include "loaded/mpi_link.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/printable.h"
#include "trainyard/provenance.h"
#include "trainyard/ranks.h"

namespace {

using namespace trainyard;

constexpr int kInputError = 2;
constexpr int kInfeasible = 3;
constexpr int kBroken = 1;
constexpr std::size_t kLongestMessage = 1000;

/// "trainyard 0.1.0 (b9ed19d6)".
std::string version_line() {
  const std::string commit = build_commit();
  return "trainyard " + program_version() + (commit.empty() ? "" : " (" + commit + ")");
}

/// Every verb with its flags; the chosen one sets `action`.
class Program {
 public:
  explicit Program(std::vector<std::string> words)
      : words_(std::move(words)),
        app_("Designs, prices and simulates AI training datacenters, from the power grid to the packet.") {
    app_.name("trainyard");
    app_.set_version_flag("--version", version_line());
    app_.require_subcommand(1);
    add_colour(app_);
    const std::vector<Verb> all = verbs();
    const auto named = [&](const Verb& verb) { return verb.name == words_.front(); };
    const bool is_named = !words_.empty() && std::any_of(all.begin(), all.end(), named);
    // Behind its verb, no other one is a verb.
    for (const Verb& verb : all) {
      if (!is_named || named(verb)) add(app_, verb);
    }
  }

  CLI::App& app() { return app_; }
  const Action& action() const { return action_; }
  /// Whether ranks work on the chosen verb together.
  bool is_shared() const { return shared_; }
  /// Whether the answer is a file, which terminals show as it is.
  bool prints_file() const { return chosen_ && chosen_->answer_is_file(); }
  Colour colour() const {
    return colour_ == "always" ? Colour::always : colour_ == "never" ? Colour::never : Colour::automatic;
  }

 private:
  /// Before the verb and behind it; of every verb's flags the same, so that none lists it.
  void add_colour(CLI::App& app) {
    app.add_option("--color", colour_)->check(CLI::IsMember({"auto", "always", "never"}))->group("");
  }

  void add(CLI::App& parent, const Verb& verb) {
    CLI::App* sub = parent.add_subcommand(verb.name, verb.sentence);
    for (const Verb& part : verb.parts) add(*sub, part);
    if (!verb.parts.empty()) {
      sub->require_subcommand(1);
      return;
    }
    // Flags of a verb that no word names cannot be asked for.
    if (std::find(words_.begin(), words_.end(), verb.name) == words_.end()) return;
    add_colour(*sub);
    const Flags& flags = flags_.emplace_back(*sub);
    sub->callback([this, &flags, run = verb.declare(flags_.back()), shared = verb.shared] {
      shared_ = shared;
      chosen_ = &flags;
      flags.note_bare();
      action_ = [this, &flags, run](Ranks* ranks) {
        flags.check_words(words_);
        flags.check_repeated();
        flags.check_files();
        return run(ranks);
      };
    });
  }

  std::vector<std::string> words_;  // of the command line
  CLI::App app_;
  std::deque<Flags> flags_;  // of all verbs, which refer to them
  Action action_;
  const Flags* chosen_ = nullptr;
  std::string colour_ = "auto";
  bool shared_ = false;
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

/// The verbs that take a flag, or the nearest of these.
std::string help_of_flag(const std::string& flag, const std::vector<std::string>& flags) {
  std::string takers;
  for (const Command& command : command_table()) {
    if (std::any_of(command.entries.begin(), command.entries.end(),
                    [&](const FlagEntry& entry) { return entry.name == flag; }))
      takers += (takers.empty() ? "`" : ", `") + command.name + "`";
  }
  return (takers.empty() ? "" : "a flag of " + takers + "; ") + suggestion(flag, flags);
}

/// What was not understood, and the nearest verb or flag.
struct Misunderstanding {
  std::string message;
  std::string help;
};

/// Of a word that is missing ("list is required"): what it is; empty where the message is another.
std::string missing_word(CLI::App& verb, const std::string& message) {
  const auto words = message.find(" is required");
  if (words == std::string::npos) return {};
  if (message.starts_with("scenario"))
    return "a file, or a name of `trainyard scenarios`, such as llama3-405b; ";
  const CLI::Option* const option = verb.get_option_no_throw(message.substr(0, words));
  return option ? option->get_description() + "; " : "";
}

Misunderstanding misunderstanding(CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  CLI::App* at = &app;
  std::string name = "trainyard";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto verbs = verb_names(*at);
    if (!word.starts_with("-") && !verbs.empty()) {
      if (std::find(verbs.begin(), verbs.end(), word) == verbs.end()) {
        if (is_built_without(word))
          return {"`" + word + "` is not in this program, which `make demo` builds first, for its plan alone",
                  "`make build` builds every verb: build/release/trainyard"};
        return {"no verb '" + word + "'", suggestion(word, verbs)};
      }
      at = at->get_subcommand(word);
      name += " " + word;
    }
    const std::string flag = word.substr(0, word.find('='));
    const auto flags = flag_names(*at);
    const bool unknown = word.starts_with("--") && std::find(flags.begin(), flags.end(), flag) == flags.end();
    if (unknown) return {"no flag '" + flag + "' here", help_of_flag(flag, flags)};
  }
  if (app.get_subcommands().empty()) return {"no verb", suggestion("", verb_names(app))};
  if (const auto parts = verb_names(*at); !parts.empty()) return {name + " what?", suggestion("", parts)};
  std::string message = error.what();
  std::string help = missing_word(*at, message) + "see `" + name + " --help`";
  if (const auto words = message.find(": 1 required"); words != std::string::npos)
    message = message.substr(0, words) + " needs a value";
  return {std::move(message), std::move(help)};
}

/// How answers and errors are shown, once the command line is read.
struct Manner {
  Colour colour = Colour::automatic;
  bool prints_file = false;
  bool relayed = false;
};

/// To standard error.
void say(const Manner& manner, const std::string& text) {
  const Screen screen = screen_of(stderr, manner.colour, manner.relayed);
  std::fputs(findings_on_screen(screen, text).c_str(), stderr);
}

int print(const Manner& manner, const std::string& answer) {
  const std::string text =
      on_screen(screen_of(stdout, manner.colour, manner.relayed), printable(answer), manner.prints_file);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return 0;
  std::perror("trainyard: standard output");
  return kBroken;
}

/// The verb whose help is wanted.
std::string help_wanted(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return overview();
  std::vector<std::string> words;
  for (const CLI::App* at = chosen.front(); at;) {
    words.push_back(at->get_name());
    const auto parts = at->get_subcommands();
    at = parts.empty() ? nullptr : parts.front();
  }
  return help_about(words);
}

int usage_error(const Manner& manner, CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (dynamic_cast<const CLI::CallForHelp*>(&error)) return print(manner, help_wanted(app));
  if (dynamic_cast<const CLI::CallForVersion*>(&error)) return print(manner, version_line() + "\n");
  const Misunderstanding what = misunderstanding(app, error, argc, argv);
  say(manner, "trainyard: error: " + printable(elided(what.message, kLongestMessage)) +
                  "\n  help: " + printable(elided(what.help, kLongestMessage)) + "\n");
  return kInputError;
}

int infeasible(const Manner& manner, const Infeasible& answer) {
  std::string text =
      "infeasible: " + printable(answer.constraint) + ": " + printable(answer.shortfall) + "\n";
  if (!answer.remedy.empty()) text += printable(answer.remedy) + "\n";
  say(manner, text);
  return kInfeasible;
}

int run(const Manner& manner, const Action& action, Ranks* ranks = nullptr) {
  try {
    return print(manner, action(ranks));
  } catch (const InputError& error) {
    say(manner, describe(error.findings()));
    return kInputError;
  } catch (const UnmetAnswer& answer) {
    const int status = print(manner, answer.output);
    return status == 0 ? infeasible(manner, answer) : status;
  } catch (const Infeasible& answer) {
    return infeasible(manner, answer);
  } catch (const FailedCheck& check) {
    print(manner, check.text);
    std::fprintf(stderr, "trainyard: %s\n", check.what());
    return kBroken;
  } catch (const Interrupted& stop) {
    std::fprintf(stderr, "trainyard: %s\n", stop.what());
    constexpr int kSignalled = 128;
    return kSignalled + stop.signal();
  }
}

/// A rank other than 0: it works for rank 0, and says nothing. Its exit status is 0, as launchers end a run
/// at the first one that is not.
int assist(const Action& action, Ranks& ranks) {
  try {
    action(&ranks);
    ranks.end();
  } catch (const RunEnded&) {
    ranks.end();
  } catch (const InputError& error) {
    ranks.end(describe(error.findings()));
  } catch (const std::exception& error) {
    ranks.end(error.what());
  }
  return 0;
}

/// Rank 0: the others are told of the end, whatever it is.
int lead(const Manner& manner, const Action& action, Ranks& ranks) {
  struct End {
    explicit End(Ranks& all) : ranks(all) {}
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() { ranks.end(); }
    Ranks& ranks;
  };
  const End end(ranks);
  return run(manner, action, &ranks);
}

int run_together(const Manner& manner, const Action& alone, const Launch& launched,
                 std::span<const std::string> words) {
  std::unique_ptr<RankLink> link;
  try {
    link = mpi_link(launched.count);
  } catch (const std::exception&) {
    if (launched.rank > 0) return 0;  // said once
    throw;
  }
  Ranks ranks(*link);
  const auto action = [&](Ranks* all) {
    share_standard_input(*all, words);
    return alone(all);
  };
  return ranks.leads() ? lead(manner, action, ranks) : assist(action, ranks);
}

int parse_and_run(int argc, char** argv) {
  const Launch launched = launch();
  const bool is_silent = launched.connected && launched.rank > 0;
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return is_silent ? 0 : print({.relayed = launched.relayed}, start_page());
  Program program(words);
  try {
    program.app().parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return is_silent
               ? 0
               : usage_error({program.colour(), false, launched.relayed}, program.app(), error, argc, argv);
  }
  const Manner manner{program.colour(), program.prints_file(), launched.relayed};
  if (program.is_shared() && launched.connected)
    return run_together(manner, program.action(), launched, words);
  if (program.is_shared() && launched.count > 1 && launched.rank == 0)
    std::fprintf(stderr,
                 "trainyard: warning: %d tasks of srun without MPI answer alone, each by itself; with srun "
                 "--mpi=pmix they work together\n",
                 launched.count);
  return is_silent ? 0 : run(manner, program.action());
}

/// Some functions of libraries that promise not to throw need memory all the same.
[[noreturn]] void end_without_memory() {
  std::fputs("trainyard: out of memory, or another error where none was expected\n", stderr);
  std::_Exit(kBroken);
}

}  // namespace

int main(int argc, char** argv) {
  // A file that would grow beyond the limit is an error of writing it, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_without_memory);
  int status = kBroken;
  try {
    status = parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {  // also while an error was being worded
    std::fputs("trainyard: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trainyard: %s\n", printable(error.what()).c_str());
  }
#ifdef __SANITIZE_ADDRESS__
  return status;  // by way of its search for leaks
#else
  // Tables that live as long as the program go with it: to take them apart gains nothing.
  std::fflush(nullptr);
  std::_Exit(status);
#endif
}
