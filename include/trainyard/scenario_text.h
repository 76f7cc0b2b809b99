// From a user's TOML to a validated, fully defaulted question.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

class FreeSettings;
struct Catalog;
struct Finding;
struct Member;
struct Scenario;
struct SearchInput;
struct SourceText;
struct Table;

/// A scenario as written: parsed once, resolved once for each set of changes (a sweep resolves it thousands
/// of times).
class ScenarioText {
 public:
  /// Reads a file or, when no such file exists, the shipped scenario of that name. `catalog_folders` are read
  /// over the shipped catalog before the scenario's own `[catalog]`. Throws InputError.
  static ScenarioText load(const std::string& file_or_name,
                           const std::vector<std::string>& catalog_folders = {});

  /// A text that is already in memory, named for messages.
  static ScenarioText parse(std::shared_ptr<const SourceText> source,
                            const std::vector<std::string>& catalog_folders = {});

  /// The same over a catalog that is already read.
  static ScenarioText parse(std::shared_ptr<const SourceText> source, std::shared_ptr<const Catalog> catalog);

  /// Makes a change that holds for every later resolve(): one `key.path=value` of --set.
  void set(const std::string& assignment, const std::string& flag = "--set");
  /// Several at once, which may need each other: a change of a catalog's entry needs the entry's source.
  void set(const std::vector<std::string>& assignments, const std::string& flag = "--set");

  /// Whether the text or a change has this section.
  bool has(std::string_view section) const;

  /// Whether the text or a change has this key of a section, so that its default does not stand.
  bool has(std::string_view section, std::string_view key) const;

  const std::string& name() const { return name_; }
  /// Empty where it has none.
  std::string title() const;
  const Catalog& catalog() const { return *extended_; }

  /// Its [search]. Throws InputError.
  SearchInput search() const;

  /// Identity of the text, free settings included: of what it says, whatever the order of its keys.
  std::string hash() const;

  /// The findings, those that name one of a scenario's settings alone ("simulation.load") at the place where
  /// the text or a change says it: else at its section, else with the name of the text. Where an answer is
  /// without bound, the place is that of the setting that is farthest from its default.
  std::vector<Finding> placed(const std::vector<Finding>& findings) const;

  /// The settings that `{ search = ... }` leaves free. Throws InputError for malformed ones.
  FreeSettings free() const;

  /// The question. Throws InputError with every finding, free settings among them.
  Scenario resolve() const;
  /// The question that a document asks in place of its own text; `free()` makes such.
  Scenario resolve(const Table& document) const;
  /// The question with these changes on top (base/document.h).
  Scenario resolve(const std::vector<Member>& changes) const;

 private:
  Scenario resolve(const Table& document, std::shared_ptr<const Catalog> catalog, bool with_sweeps) const;

  std::string name_;
  std::shared_ptr<const Table> document_;
  std::shared_ptr<const Catalog> catalog_;   // shipped and folders, without the scenario's own
  std::shared_ptr<const Catalog> extended_;  // with the scenario's own; kept while no change touches it
};

/// Names and one-line titles of the scenarios that the program ships with.
struct ShippedScenario {
  std::string name;
  std::string title;
  std::string text;
  bool leaves_free = false;  // settings, for search()
};
std::vector<ShippedScenario> shipped_scenarios();

/// A section that some commands alone read.
struct SectionReaders {
  std::string name;
  std::vector<std::string> verbs;
  bool of_packets = false;  // of packet simulations, whoever asks for one
};
/// Of all sections but those of the plan, which most commands make.
std::vector<SectionReaders> section_readers();

/// Identity of a question: of every setting, defaults included, and of the catalog.
std::string scenario_hash(const Scenario& scenario);

/// Identity of what a simulation depends on: a hash of simulation_settings().
std::string simulation_hash(const Scenario& scenario);

/// Of scenario_settings() those that a simulation uses, but for absent ones.
std::vector<std::pair<std::string, std::string>> simulation_settings(const Scenario& scenario);

/// Every setting of a section with its value, defaults included: {"facility.load", "1"}.
std::vector<std::pair<std::string, std::string>> scenario_settings(const Scenario& scenario);

/// The JSON Schema of a scenario file.
std::string scenario_schema();

}  // namespace trainyard
