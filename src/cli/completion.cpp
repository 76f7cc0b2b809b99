#include "cli/completion.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/commands.h"
#include "cli/flags.h"

namespace trainyard {
namespace {

/// A word in single quotes, for all three shells.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// What a value may be; empty: anything.
std::vector<std::string> values_of(const FlagEntry& entry) {
  if (!entry.allowed.empty()) return entry.allowed;
  return entry.offers ? entry.offers() : std::vector<std::string>();
}

bool takes_path(const FlagEntry& entry) {
  return entry.takes == FlagEntry::Takes::file || entry.takes == FlagEntry::Takes::folder;
}

/// Of all positional arguments together: shells do not count them. Nothing where there are none.
std::optional<FlagEntry> positionals(const Command& command) {
  std::optional<FlagEntry> out;
  std::vector<std::string> words;
  for (const FlagEntry& e : command.entries) {
    if (!e.is_positional()) continue;
    if (!out) out = e;
    if (takes_path(e)) out->takes = FlagEntry::Takes::file;
    for (const std::string& word : values_of(e)) words.push_back(word);
  }
  if (out) out->allowed = words;
  return out;
}

/// Verbs without parts: those that take flags.
std::vector<Command> leaves(const std::vector<Command>& commands) {
  std::vector<Command> out;
  for (const Command& command : commands) {
    if (command.parts.empty()) out.push_back(command);
    for (const Command& part : command.parts) out.push_back(part);
  }
  return out;
}

/// The part of a sentence that fits beside a flag.
std::string brief(const std::string& sentence) {
  constexpr std::size_t kMost = 60;
  if (sentence.size() <= kMost) return sentence;
  return sentence.substr(0, sentence.rfind(' ', kMost)) + " ...";
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// Long lists of words, such as all settings, that many flags take: a script holds each once, as a variable.
class SharedLists {
 public:
  /// The variable that holds the list; nothing where it is short.
  std::optional<std::string> variable(const std::string& words) {
    constexpr std::size_t kShort = 200;
    if (words.size() < kShort) return std::nullopt;
    auto known = std::find(lists_.begin(), lists_.end(), words);
    if (known == lists_.end()) known = lists_.insert(lists_.end(), words);
    return fmt::format("_trainyard_list_{}", known - lists_.begin());
  }

  /// `declare`: what stands before an assignment.
  std::string definitions(const std::string& declare) const {
    std::string out;
    for (std::size_t i = 0; i < lists_.size(); ++i)
      out += fmt::format("{}_trainyard_list_{}={}\n", declare, i, in_quotes(lists_[i]));
    return out;
  }

 private:
  std::vector<std::string> lists_;
};

/// One branch of bash's `case`: the values of the keys that a flag takes, "" where it takes none.
std::string bash_pairs(const std::string& pattern, const FlagEntry& entry, SharedLists& lists) {
  if (!entry.pairs) return {};
  const std::string words = joined(entry.pairs());
  const auto variable = lists.variable(words);
  return fmt::format("    {}) _trainyard_pairs \"$key\" {} ;;\n", in_quotes(pattern),
                     variable ? "\"$" + *variable + "\"" : in_quotes(words));
}

/// One branch of bash's `case`: the values of a flag or of positional arguments.
std::string bash_values(const std::string& pattern, const FlagEntry& entry, SharedLists& lists) {
  const char* paths = entry.takes == FlagEntry::Takes::folder ? "-d" : takes_path(entry) ? "-f" : "";
  const std::string words = joined(values_of(entry));
  const auto variable = lists.variable(words);
  return fmt::format("    {}) _trainyard_values {} {} ;;\n", in_quotes(pattern), in_quotes(paths),
                     variable ? "\"$" + *variable + "\"" : in_quotes(words));
}

constexpr const char* kBashHead =
    R"(# Completion of trainyard for bash; written by `trainyard completion bash`.
_trainyard_values() {
  local paths="$1" words="$2"
  [[ -z $words ]] || COMPREPLY+=($(compgen -W "$words" -- "$cur"))
  if [[ -n $paths ]]; then
    compopt -o filenames 2>/dev/null
    local IFS=$'\n'
    COMPREPLY+=($(compgen "$paths" -- "$cur"))
  fi
  [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}
_trainyard_pairs() {
  local word
  for word in $2; do
    [[ $word != "$1=$cur"* ]] || COMPREPLY+=("${word#*=}")
  done
}
_trainyard() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" verb="" part="" key="" word i
  local before=-1
  COMPREPLY=()
  # The equals sign is a word of its own for bash.
  if [[ $cur == "=" ]]; then cur=""; before=$((COMP_CWORD - 2))
  elif [[ $prev == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; before=$((COMP_CWORD - 3)); fi
  # "--set key=": the flag stands before the key.
  if [[ $before -gt 0 && $prev != -* ]]; then
    [[ ${COMP_WORDS[before]} != "=" ]] || before=$((before - 1))
    key="$prev" prev="${COMP_WORDS[before]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    [[ $word != -* ]] || continue
    if [[ -z $verb ]]; then verb="$word"
    elif [[ " $_trainyard_parts " == *" $verb "* && -z $part ]]; then part=" $word"
    fi
  done
)";

std::string bash_flags(const Command& command) {
  std::vector<std::string> flags = {"--help"};
  for (const FlagEntry& e : command.entries) {
    if (!e.is_positional()) flags.push_back(e.name);
  }
  return joined(flags);
}

constexpr const char* kZshHead =
    R"(#compdef trainyard
# Completion of trainyard for zsh; written by `trainyard completion zsh`.
_trainyard() {
  local -a words_before
  local verb="" part="" word
  for word in "${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && continue
    if [[ -z $verb ]]; then verb=$word
    elif [[ " $_trainyard_parts " == *" $verb "* && -z $part ]]; then part=" $word"
    fi
  done
)";

/// Text in the brackets and after the colons of _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const FlagEntry& entry, SharedLists& lists) {
  std::string words;
  for (const std::string& word : values_of(entry)) words += (words.empty() ? "" : " ") + zsh_text(word);
  const std::string files = entry.takes == FlagEntry::Takes::folder ? "_files -/" : "_files";
  if (words.empty()) return takes_path(entry) ? files : " ";
  if (takes_path(entry)) return "_alternative \"names:name:(" + words + ")\" \"files:file:" + files + "\"";
  const bool open = words.find('=') != std::string::npos;  // a value follows the equals sign
  if (!open) return "(" + words + ")";
  const auto offered = [&lists](const std::string& list) {
    const auto variable = lists.variable(list);
    return variable ? "${=" + *variable + "}" : list;
  };
  const std::string keys = "compadd -S \"\" -- " + offered(words);
  if (!entry.pairs) return "{" + keys + "}";
  return "{if [[ $PREFIX == *=* ]]; then compadd -- " + offered(joined(entry.pairs())) + "; else " + keys +
         "; fi}";
}

std::string zsh_argument(const FlagEntry& entry, SharedLists& lists) {
  const std::string value = zsh_text(entry.value.empty() ? entry.name : entry.value);
  if (entry.is_positional()) {
    const bool more = entry.name == "about";
    return in_quotes(fmt::format("{}:{}:{}", more ? "*" : "", entry.name, zsh_action(entry, lists)));
  }
  std::string out = (entry.repeatable ? "*" : "") + entry.name + "[" + zsh_text(brief(entry.sentence)) + "]";
  for (int i = 0; i < entry.values && !entry.value.empty(); ++i)
    out += fmt::format(":{}:{}", value, zsh_action(entry, lists));
  return in_quotes(out);
}

std::string parts_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (!command.parts.empty()) names.push_back(command.name);
  }
  return joined(names);
}

/// The last word of "catalog list".
std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

std::string fish_values(const FlagEntry& entry) {
  const auto words = values_of(entry);
  std::string out;
  if (entry.pairs)
    out += " -a '(__trainyard_pairs)'";
  else if (!words.empty())
    out += " -a " + in_quotes(joined(words));
  return out + (takes_path(entry) ? " -F" : " -f");
}

/// Settings, and behind the equals sign their values.
std::string fish_pairs(const std::vector<Command>& commands) {
  for (const Command& command : leaves(commands)) {
    for (const FlagEntry& e : command.entries) {
      if (!e.pairs) continue;
      return "function __trainyard_pairs\n  if string match -q '*=*' -- (commandline -ct)\n    string split "
             "' ' " +
             in_quotes(joined(e.pairs())) + "\n  else\n    string split ' ' " +
             in_quotes(joined(values_of(e))) + "\n  end\nend\n";
    }
  }
  return {};
}

std::string fish_entry(const Command& command, const FlagEntry& entry) {
  const std::string first = command.name.substr(0, command.name.find(' '));
  std::string when = "__fish_seen_subcommand_from " + first;
  if (first != command.name) when += "; and __fish_seen_subcommand_from " + last_word(command.name);
  std::string out = "complete -c trainyard -n " + in_quotes(when);
  if (entry.is_positional()) return out + fish_values(entry) + "\n";
  out += " -l " + entry.name.substr(2);
  if (!entry.value.empty()) out += " -r" + fish_values(entry);
  return out + " -d " + in_quotes(brief(entry.sentence)) + "\n";
}

}  // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  std::string out = kBashHead;
  std::vector<std::string> verbs = {"--help", "--version", "--color"};
  std::string flags;
  std::string values;
  std::string pairs;
  std::string parts;
  SharedLists lists;
  for (const Command& command : commands) {
    verbs.push_back(command.name);
    if (command.parts.empty()) continue;
    std::vector<std::string> names = {"--help"};
    for (const Command& part : command.parts) names.push_back(last_word(part.name));
    parts += fmt::format("    {}) _trainyard_values '' {}; return ;;\n", in_quotes(command.name),
                         in_quotes(joined(names)));
  }
  for (const Command& command : leaves(commands)) {
    flags += fmt::format("    {}) _trainyard_values '' {} ;;\n", in_quotes(command.name),
                         in_quotes(bash_flags(command)));
    if (const auto e = positionals(command)) values += bash_values(command.name + " ", *e, lists);
    for (const FlagEntry& e : command.entries) {
      if (!e.is_positional() && !e.value.empty())
        values += bash_values(command.name + " " + e.name, e, lists);
      pairs += bash_pairs(command.name + " " + e.name, e, lists);
    }
  }
  out += "  if [[ $prev == --color ]]; then _trainyard_values '' 'auto always never'; return; fi\n";
  out += "  if [[ -z $verb ]]; then _trainyard_values '' " + in_quotes(joined(verbs)) + "; return; fi\n";
  out += "  case \"$verb$part\" in\n" + parts + "  esac\n";
  out += "  if [[ $cur == -* ]]; then\n    case \"$verb$part\" in\n" + flags + "    esac\n    return\n  fi\n";
  out +=
      "  if [[ -n $key ]]; then\n    case \"$verb$part $prev\" in\n" + pairs + "    esac\n    return\n  fi\n";
  out += "  local asked=\"$verb$part \"\n  [[ $prev != --* ]] || asked+=\"$prev\"\n  case \"$asked\" in\n" +
         values;
  out += "    *) _trainyard_positional \"$verb$part \" ;;\n  esac\n}\n";
  // A flag without a value before the word: the word is a positional argument.
  out += "_trainyard_positional() {\n  case \"$1\" in\n";
  for (const Command& command : leaves(commands)) {
    if (const auto e = positionals(command)) out += bash_values(command.name + " ", *e, lists);
  }
  out += "  esac\n}\n" + lists.definitions("") + "_trainyard_parts=" + in_quotes(parts_of(commands));
  return out + "\ncomplete -F _trainyard trainyard\n";
}

std::string zsh_completion(const std::vector<Command>& commands) {
  std::string out = kZshHead;
  SharedLists lists;
  const auto described_names = [](const std::vector<Command>& list) {
    std::string text;
    for (const Command& c : list)
      text += " " + in_quotes(zsh_text(last_word(c.name)) + ":" + zsh_text(c.sentence));
    return text;
  };
  out += "  local -a verbs\n  if [[ -z $verb ]]; then\n    verbs=(" + described_names(commands) +
         ")\n    _describe verb verbs\n    _arguments '--help[the verbs]' '--version[the version]' "
         "'--color[colour]:when:(auto always never)'\n    return\n  fi\n  case \"$verb$part\" in\n";
  for (const Command& command : commands) {
    if (command.parts.empty()) continue;
    out += "    " + in_quotes(command.name) + ") verbs=(" + described_names(command.parts) +
           "); _describe verb verbs ;;\n";
  }
  for (const Command& command : leaves(commands)) {
    const std::string skip = command.name.find(' ') == std::string::npos ? "2" : "3";
    out += "    " + in_quotes(command.name) + ")\n      shift words; (( CURRENT-- ))\n";
    if (skip == "3") out += "      shift words; (( CURRENT-- ))\n";
    out += "      _arguments '--help[what it does]'";
    for (const FlagEntry& e : command.entries) out += " \\\n        " + zsh_argument(e, lists);
    out += " ;;\n";
  }
  out += "  esac\n}\n" + lists.definitions("typeset -g ") +
         "typeset -g _trainyard_parts=" + in_quotes(parts_of(commands));
  return out +
         "\nif [[ $funcstack[1] == _trainyard ]]; then _trainyard \"$@\"; else compdef _trainyard trainyard; "
         "fi\n";
}

std::string fish_completion(const std::vector<Command>& commands) {
  std::string out =
      std::string(
          "# Completion of trainyard for fish; written by `trainyard completion fish`.\n"
          "complete -c trainyard -f\n"
          "complete -c trainyard -l color -x -a 'auto always never' -d 'colour on a terminal'\n") +
      fish_pairs(commands);
  for (const Command& c : commands) {
    out += fmt::format("complete -c trainyard -n '__fish_use_subcommand' -a {} -d {}\n", c.name,
                       in_quotes(c.sentence));
    for (const Command& part : c.parts) {
      out += fmt::format("complete -c trainyard -n {} -a {} -d {}\n",
                         in_quotes("__fish_seen_subcommand_from " + c.name), last_word(part.name),
                         in_quotes(part.sentence));
    }
  }
  for (const Command& command : leaves(commands)) {
    for (const FlagEntry& e : command.entries) out += fish_entry(command, e);
  }
  return out;
}

}  // namespace trainyard
