// How Trainyard says that an input is wrong, that a question has no answer, and that the program itself is
// wrong.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace trainyard {

/// A text that was read: a file, or a flag of the command line.
struct SourceText {
  std::string name;
  std::string text;
};

/// A place in a text; line and column count from 1, 0 means "the whole text".
struct Location {
  std::shared_ptr<const SourceText> source;
  int line = 0;
  int column = 0;
};

/// Where a section stands, and its keys. Records of a scenario share theirs with their copies; one that no
/// text says has none.
struct SectionPlaces {
  Location section;
  std::map<std::string, Location> keys = {};
};

/// The place of a section; nowhere without one.
const Location& place_of(const std::shared_ptr<const SectionPlaces>& places);
/// Of its key; of the section where the key is not given.
const Location& place_of(const std::shared_ptr<const SectionPlaces>& places, const std::string& key);
/// Of its key, or nullptr where the key is not given.
const Location* given_place(const std::shared_ptr<const SectionPlaces>& places, const std::string& key);
/// The same places with this one of a key.
std::shared_ptr<const SectionPlaces> with_place(const std::shared_ptr<const SectionPlaces>& places,
                                                const std::string& key, Location where);

/// One thing that is wrong with an input.
struct Finding {
  Location where;
  std::string message;
  std::string help;  // what is allowed, or the nearest valid name; may be empty
};

/// Input that cannot be used. Carries every finding, not only the first. Exit status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Finding> findings);
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

/// A question that has no answer: which constraint binds, by how much, and what would satisfy it. It is an
/// answer, not an error of the input; thrown because no plan exists to return. Exit status 3.
class Infeasible : public std::runtime_error {
 public:
  Infeasible(std::string constraint, std::string shortfall, std::string remedy);

  std::string constraint;  // the condition that cannot hold
  std::string shortfall;   // by how much it is missed, term by term
  std::string remedy;      // what would satisfy it; may be empty
};

/// Collects findings so that a user sees all of them at once.
class Findings {
 public:
  void add(Location where, std::string message, std::string help = {});
  bool empty() const { return findings_.empty(); }
  const std::vector<Finding>& all() const { return findings_; }
  /// Throws InputError when anything was found.
  void throw_if_any() const;

 private:
  std::vector<Finding> findings_;
};

/// Throws InputError with a single finding.
[[noreturn]] void fail_input(Location where, std::string message, std::string help = {});

/// A location that names a whole text, such as a flag.
Location whole(std::string name);

/// `file:line:column: error: message`, the source line with a caret, and the help line.
std::string describe(const Finding& finding);
std::string describe(const std::vector<Finding>& findings);

}  // namespace trainyard
