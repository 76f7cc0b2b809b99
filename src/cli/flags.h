// The flags of a verb, bound to a record of options. They hide the library that reads the command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace trainyard {

class Flags;
class ScenarioText;
struct NamedFile;

enum class Format { text, json, csv };

/// What every verb that reads a scenario takes.
struct ScenarioOptions {
  std::string verb;  // that takes them
  std::string scenario;
  std::vector<std::string> sets;             // --set key=value
  std::vector<std::string> catalog_folders;  // --catalog DIR
  Format format = Format::text;
  /// What load() read, for the places of later errors; copies share it.
  std::shared_ptr<std::shared_ptr<const ScenarioText>> loaded =
      std::make_shared<std::shared_ptr<const ScenarioText>>();
};

/// What help, completion and manuals say of a flag or a positional argument.
struct FlagEntry {
  /// Of a whole number.
  struct Bounds {
    std::int64_t least = 0;
    std::uint64_t most = 0;
  };
  enum class Takes { nothing, text, file, folder };

  std::string name;   // "--report"; of a positional argument "scenario"
  std::string value;  // "FILE", "N"; "" of a flag without a value
  std::string sentence;
  Takes takes = Takes::text;
  bool required = false;
  bool repeatable = false;
  int values = 1;
  std::vector<std::string> allowed;                  // all others are refused
  std::function<std::vector<std::string>()> offers;  // values that a shell may offer; others are valid, too
  std::function<std::vector<std::string>()> pairs;   // of words offered that end in "=": with their values
  std::vector<std::string> needs;
  std::vector<std::string> excludes;
  std::shared_ptr<Bounds> bounds;  // none: no whole number is taken

  bool is_positional() const { return !name.starts_with("-"); }
};

/// A flag or a positional argument, and what holds for it.
class Flag {
 public:
  /// What is wrong with a value, or nothing.
  using Check = std::function<std::string(const std::string& value)>;

  Flag required(bool is_required = true) const;
  /// One value each time that it is given.
  Flag repeatable() const;
  /// Values separated by commas.
  Flag list() const;
  Flag values(int count) const;
  Flag needs(const Flag& other) const;
  Flag excludes(const Flag& other) const;
  Flag excludes(std::initializer_list<Flag> others) const;
  Flag one_of(std::initializer_list<const char*> names) const;
  Flag within(unsigned low, unsigned high) const;
  Flag at_least(unsigned low) const;
  Flag not_negative() const;
  /// A whole number from 0 to 9e15, as seeds of scenarios are.
  Flag seed() const;
  Flag check(const Check& check) const;
  /// Its values name files or folders that the run reads; the output `rewritten_by` may replace them.
  Flag reads(const char* rewritten_by = "") const;
  /// Its values name files that the run writes.
  Flag writes() const;
  /// Its value names a store of results, which the run reads and writes, as it does files beside it.
  Flag keeps_store() const;
  /// Its value names a folder that the run makes.
  Flag makes_folder() const;
  /// What help calls its value: "DIR" is a folder.
  Flag called(const char* value) const;
  /// Values that a shell offers.
  Flag offers(const std::function<std::vector<std::string>()>& values) const;
  /// "key=value" words that a shell offers behind "key=".
  Flag offers_pairs(const std::function<std::vector<std::string>()>& words) const;
  /// It may stand without a value; `given` says whether it stands at all.
  Flag may_be_bare(bool& given) const;
  /// With it the answer is a file that is printed, which terminals show as it is.
  Flag prints_file() const;

 private:
  friend class Flags;
  Flag(Flags& flags, CLI::Option* option, FlagEntry& entry)
      : flags_(&flags), option_(option), entry_(&entry) {}

  Flags* flags_;
  CLI::Option* option_;
  FlagEntry* entry_;
};

/// Adds flags to one verb, in the order of its --help. It has to live as long as what reads the command line.
class Flags {
 public:
  explicit Flags(CLI::App& verb) : verb_(&verb) {}

  /// A flag with values ("--chart"), or a positional argument ("folder"): text, numbers, or vectors of them.
  template <class T>
  Flag option(const char* name, T& value, const char* sentence);
  /// A flag without a value.
  Flag flag(const char* name, bool& value, const char* sentence);
  /// --threads.
  Flag threads(unsigned& threads, const char* sentence);
  /// --json and --csv.
  void formats(Format& format);
  /// A scenario with --set and --catalog, --json and --csv. Returns the scenario.
  Flag scenario(ScenarioOptions& options);
  /// --catalog DIR.
  Flag catalog_folders(std::vector<std::string>& folders, const char* sentence);

  /// The answer is always a file that is printed.
  void prints_file() { is_file_ = true; }

  /// All of them, in the order of --help.
  const std::deque<FlagEntry>& entries() const { return entries_; }
  /// Whether the answer to this command line is a file.
  bool answer_is_file() const;

  /// Throws InputError for what the words of the command line leave empty and CLI::App takes for something
  /// else:
  /// "--report=" takes the next word, "1,,2" is two values.
  void check_words(const std::vector<std::string>& words) const;
  /// Throws InputError for a value that a repeatable flag has twice.
  void check_repeated() const;
  /// Tells the options of flags without their value.
  void note_bare() const;
  /// Throws InputError where the command line names one file for two of a run's inputs and outputs.
  void check_files() const;

 private:
  friend class Flag;
  struct FileOption {
    const CLI::Option* option;
    const char* rewritten_by;
    bool is_store;
  };
  struct BareOption {
    const CLI::Option* option;
    bool* given;
  };
  static std::vector<NamedFile> files_of(const std::vector<FileOption>& options);
  Flag added(CLI::Option* option, const char* value, FlagEntry::Takes takes);

  CLI::App* verb_;
  std::deque<FlagEntry> entries_;  // flags refer to them
  std::vector<FileOption> inputs_;
  std::vector<FileOption> outputs_;
  std::vector<const CLI::Option*> lists_;
  std::vector<const CLI::Option*> repeated_;
  std::vector<const CLI::Option*> printed_files_;
  std::vector<BareOption> bare_;
  bool is_file_ = false;
};

}  // namespace trainyard
