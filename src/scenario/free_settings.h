// Settings that a scenario leaves free: `key = { search = ... }` in place of a value.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/document.h"
#include "trainyard/free_setting.h"

namespace trainyard {

struct Catalog;

/// What a scenario leaves free, and the document with values in their places.
///
/// `search` is an array of values; a table { from, to, step } or { from, to, times } of numbers with or
/// without a unit; or "all": every choice of the setting, every catalog entry of its kind. What `times` makes
/// of a setting that takes whole numbers is rounded to them.
class FreeSettings {
 public:
  /// Throws InputError for malformed spaces, and for every value that its setting does not take: of another
  /// type or unit, or beyond its range.
  FreeSettings(const Table& document, const Catalog& catalog);

  /// Gives a free setting one value, as TOML or as a bare text, that need not be of its own. Throws
  /// InputError, which names `flag`, where it is not free, or does not take the value.
  void fix(const std::string& key, const std::string& value, const std::string& flag);

  const std::vector<FreeSetting>& settings() const { return settings_; }
  /// Of a setting, in the order of its texts.
  const std::vector<Value>& values(std::size_t setting) const { return places_[setting].values; }

  /// The document with the values that `choice` says; valid until the next call.
  const Table& document(std::span<const std::size_t> choice);
  /// The same with "auto" for the settings that are `open`.
  const Table& document(std::span<const std::size_t> choice, const std::vector<bool>& open);

 private:
  struct Place {
    std::string section;
    std::string path;         // "design[1]"
    std::size_t element = 0;  // of a [[section]]
    std::string key;
    std::vector<std::string> names;  // the only ones that it can have; empty: any, or it has no names
    std::vector<Value> values;
  };
  Value& value_at(const Place& place);
  void find_in(const Member& section, const Table& table, const std::string& path, std::size_t element,
               const Catalog& catalog, Findings& findings);

  Table document_;
  std::vector<Place> places_;
  std::size_t values_ = 0;  // of all settings
  std::vector<FreeSetting> settings_;
};

/// A value as TOML writes it in one line; but for tables, JSON writes it so too.
std::string toml_text(const Value& value);

/// What a document says, its keys in the order of the alphabet.
std::string document_text(const Table& document);

/// A finding for every setting that is still free.
void refuse_free(const Table& document, Findings& findings);

}  // namespace trainyard
