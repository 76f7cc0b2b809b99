// A scenario before it is written: sections and keys, whose order and units may be changed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "amount.h"
#include "dice.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard::properties {

struct Setting {
  std::string key;
  std::variant<std::string, Amount> value;  // TOML as it stands, or a quantity
};

struct Section {
  std::string name;
  bool element = false;  // of an array: [[name]]
  std::vector<Setting> settings;

  /// In place of what the key had.
  Section& put(Setting setting);
  Section& set(std::string key, std::string toml) { return put({std::move(key), std::move(toml)}); }
  Section& set(std::string key, Amount amount) { return put({std::move(key), amount}); }
  Section& set(std::string key, std::int64_t count) { return set(std::move(key), std::to_string(count)); }
  Section& text(std::string key, const std::string& text) { return set(std::move(key), "\"" + text + "\""); }
};

class Draft {
 public:
  /// The section of that name, made where there is none.
  Section& section(const std::string& name);
  /// One more [[name]].
  Section& element(const std::string& name);

  /// The same with every quantity of some section and key as `change` makes it.
  using Change = std::function<Amount(std::string_view section, std::string_view key, const Amount&)>;
  Draft with(const Change& change) const;

  std::string text() const;
  /// Keys and sections in another order; elements of an array stay in theirs.
  std::string reordered(Dice& dice) const;
  /// Every quantity in another unit.
  std::string respelled(Dice& dice) const;

  ScenarioText parsed() const { return parsed(text()); }
  static ScenarioText parsed(const std::string& text);
  Scenario scenario() const { return parsed().resolve(); }
  /// By `--set` one after another, all but elements of arrays and entries of the catalog, which are read
  /// whole.
  Scenario set_one_by_one(Dice& dice) const;

 private:
  std::vector<Section> sections_;
};

/// All rates doubled, all times halved; what is no time of the simulated (a life of equipment) stays.
Draft twice_as_fast(const Draft& draft);

}  // namespace trainyard::properties
