// completion: a script with which a shell completes words.
#include "cli/completion.h"

#include "cli/commands.h"
#include "cli/verb.h"

namespace trainyard {
namespace {

struct CompletionOptions {
  std::string shell;
};

void declare_completion(Flags& flags, CompletionOptions& options) {
  flags.prints_file();
  flags.option("shell", options.shell, "the shell that reads it").required().one_of({"bash", "zsh", "fish"});
}

std::string run_completion(const CompletionOptions& options) {
  const auto commands = command_table();
  if (options.shell == "bash") return bash_completion(commands);
  return options.shell == "zsh" ? zsh_completion(commands) : fish_completion(commands);
}

}  // namespace

Verb completion_verb() {
  return make_verb("completion", "a script with which bash, zsh or fish completes words", declare_completion,
                   run_completion);
}

}  // namespace trainyard
