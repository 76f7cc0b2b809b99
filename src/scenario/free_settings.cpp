#include "scenario/free_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/fields.h"
#include "catalog/catalog.h"
#include "scenario/one_setting.h"
#include "scenario/section_list.h"
#include "scenario/value_lists.h"
#include "trainyard/nearest.h"
#include "trainyard/printable.h"

namespace trainyard {
namespace {

constexpr std::string_view kSearch = "search";
constexpr std::size_t kMostValues = 1'000'000;  // of one setting
constexpr std::size_t kMostOfAll = 5'000'000;   // of all settings: some 500 bytes each, in answers twice that
constexpr std::size_t kShown = 60;              // bytes of a text in a message

/// Sections without settings of a plan.
bool is_searched(std::string_view section) {
  return section != "title" && section != "catalog" && section != "sweep" && section != kSearch;
}

/// The `search` of a free setting, or nullptr.
const Value* space_of(const Value& value) {
  const Table* table = value.as<Table>();
  return table ? table->find(kSearch) : nullptr;
}

/// Calls for every table of settings in the document: section, its table, its path, which element it is.
template <class Visit>
void each_table(const Table& document, const Visit& visit) {
  for (const Member& section : document.members) {
    if (!is_searched(section.key)) continue;
    if (const Table* table = section.value.as<Table>()) visit(section, *table, section.key, std::size_t{0});
    const Array* array = section.value.as<Array>();
    for (std::size_t i = 0; array && i < array->size(); ++i) {
      if (const Table* table = (*array)[i].as<Table>())
        visit(section, *table, fmt::format("{}[{}]", section.key, i), i);
    }
  }
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    const bool control = static_cast<unsigned char>(c) < ' ';
    out += control ? fmt::format("\\u{:04x}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out + "\"";
}

/// A value for an identity: keys in the order of the alphabet.
std::string value_text(const Value& value) {
  if (const Table* table = value.as<Table>()) return "{" + document_text(*table) + "}";
  const Array* array = value.as<Array>();
  if (!array) return toml_text(value);
  std::string out;
  for (const Value& element : *array) out += value_text(element) + ",";
  return "[" + out + "]";
}

/// Catalog kinds whose entries a setting names.
constexpr std::pair<std::string_view, std::string_view> kNamesEntries[] = {
    {"facility.hb_domain", "hb_domains"},
    {"model.name", "models"},
    {"training.software", "software"},
    {"design.switch", "switches"},
};

const CatalogKind* kind_named_by(std::string_view key) {
  for (const auto& [setting, name] : kNamesEntries) {
    if (setting != key) continue;
    for (const CatalogKind& kind : catalog_kinds()) {
      if (kind.name == name) return &kind;
    }
  }
  return nullptr;
}

/// A finding where no setting has this name.
void check_known(const Member& section, const Member& member, const std::string& path, Findings& findings) {
  std::vector<std::string> names;
  for (const SectionInfo& info : scenario_sections()) {
    if (info.name != section.key) continue;
    for (const FieldInfo& field : info.fields) names.push_back(field.name);
  }
  if (!names.empty() && std::find(names.begin(), names.end(), member.key) == names.end())
    unknown_key(member, path + "." + member.key, names, findings);
}

/// A setting's description; nothing for a name that no setting has.
std::optional<FieldInfo> described(const std::string& section, const std::string& key) {
  for (const SectionInfo& info : scenario_sections()) {
    if (info.name != section) continue;
    for (const FieldInfo& field : info.fields) {
      if (field.name == key) return field;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> names_of_setting(const std::string& section, const std::string& key,
                                          const Catalog& catalog) {
  if (const CatalogKind* kind = kind_named_by(section + "." + key)) return kind->keys(catalog);
  const auto field = described(section, key);
  return field ? field->choices : std::vector<std::string>{};
}

namespace {

/// Every value that a setting can have, where these are few: names, true and false, whole numbers of a short
/// range.
std::vector<Value> all_values(const std::string& section, const std::string& key, const Catalog& catalog,
                              const Location& where) {
  constexpr double kFewNumbers = 64;
  std::vector<Value> out;
  for (const std::string& name : names_of_setting(section, key, catalog)) out.emplace_back(name, where);
  const auto field = described(section, key);
  if (!out.empty() || !field) return out;
  // Copied: g++ 12 takes the unused alternatives of a moved variant for read.
  const auto add = [&](const Value::Data& data) {
    const Value value(data, where);
    out.push_back(value);
  };
  if (field->json_type == "boolean") {
    add(true);
    add(false);
  }
  if (field->json_type != "integer" || !(field->range.high - field->range.low < kFewNumbers)) return out;
  for (auto number = static_cast<std::int64_t>(std::ceil(field->range.low));
       static_cast<double>(number) <= field->range.high; ++number) {
    if (field->range.contains(static_cast<double>(number))) add(number);
  }
  return out;
}

/// The numbers of { from, to, step } or { from, to, times }. Of a setting that takes whole numbers, what
/// multiplying gives is rounded to them, each once.
class ValueRange {
 public:
  /// At most `most` values.
  ValueRange(const Table& table, const Location& where, bool whole_numbers, std::size_t most,
             Findings& findings)
      : table_(table), where_(where), whole_numbers_(whole_numbers), most_(most), findings_(findings) {}

  std::vector<Value> values() {
    for (const Member& member : table_.members) {
      const std::vector<std::string> names = {"from", "to", "step", "times"};
      if (std::find(names.begin(), names.end(), member.key) == names.end())
        unknown_key(member, member.key, names, findings_);
    }
    const auto from = number("from");
    const auto to = number("to");
    const bool adds = table_.find("step") != nullptr;
    if (!from || !to || adds == (table_.find("times") != nullptr)) {
      findings_.add(where_, "a range needs from, to, and one of step and times",
                    "{ from = 1, to = 16, times = 2 } is 1, 2, 4, 8, 16; step adds in place of multiplying");
      return {};
    }
    const auto by = number(adds ? "step" : "times");
    if (!by || from->unit != to->unit || (adds ? by->unit != from->unit : !by->unit.empty())) {
      findings_.add(where_, "from, to and step need numbers with the same unit, times a number without one");
      return {};
    }
    return adds ? spread(*from, to->number, 0, by->number) : spread(*from, to->number, by->number, 0);
  }

 private:
  std::optional<NumberWithUnit> number(std::string_view key) const {
    const Value* value = table_.find(key);
    std::string text;
    NumberWithUnit out;
    if (!value || !scalar_text(text, *value) || !split_number(text, out)) return std::nullopt;
    return out;
  }

  std::vector<Value> spread(const NumberWithUnit& from, double to, double times, double step) {
    const bool rises = times > 0 ? times > 1 && from.number > 0 : step > 0;
    if (!rises || to < from.number) {
      findings_.add(where_, "the range does not rise from `from` to `to`",
                    "allowed: from at most to, step above 0, times above 1 with from above 0");
      return {};
    }
    const double count = times > 0 ? std::log(to / from.number) / std::log(times) : (to - from.number) / step;
    if (!(count < static_cast<double>(most_))) {
      constexpr double kWritten = 1e15;  // whole; above, in powers of ten
      findings_.add(
          where_,
          count < kWritten       ? fmt::format("the range has {:.0f} values", std::floor(count) + 1)
          : std::isfinite(count) ? fmt::format("the range has {:.3g} values", count)
                                 : std::string("the range has more values than can be counted"),
          fmt::format("allowed: up to {} of a setting, {} of all together", kMostValues, kMostOfAll));
      return {};
    }
    constexpr double kRounding = 1e-9;  // of a last value that is met but for rounding
    const bool rounds = whole_numbers_ && times > 0 && from.unit.empty();
    std::vector<Value> out;
    double last = 0;
    for (double i = 0; i <= count + kRounding; ++i) {
      double value = times > 0 ? from.number * std::pow(times, i) : from.number + step * i;
      if (rounds) value = std::min(std::round(value), std::floor(to));
      if (rounds && !out.empty() && value == last) continue;
      out.push_back(of(value, from.unit));
      last = value;
    }
    return out;
  }

  /// Without what multiplying has rounded.
  Value of(double value, const std::string& unit) const {
    constexpr double kExact = 9007199254740992.0;
    const std::string digits = fmt::format("{:.12g}", value);
    if (!unit.empty()) return {digits + unit, where_};
    double rounded = value;
    std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
    if (rounded == std::floor(rounded) && std::abs(rounded) < kExact)
      return {static_cast<std::int64_t>(rounded), where_};
    return {rounded, where_};
  }

  const Table& table_;
  const Location& where_;
  bool whole_numbers_;
  std::size_t most_;
  Findings& findings_;
};

bool takes_whole_numbers(const std::string& section, const std::string& key) {
  const auto field = described(section, key);
  return field && field->json_type == "integer";
}

std::vector<Value> values_of(const Value& space, const std::string& section, const std::string& key,
                             const Catalog& catalog, std::size_t most, Findings& findings) {
  if (const Array* array = space.as<Array>()) return *array;
  if (const Table* range = space.as<Table>())
    return ValueRange(*range, space.where(), takes_whole_numbers(section, key), most, findings).values();
  const auto* word = space.as<std::string>();
  if (word && *word == "all") {
    std::vector<Value> all = all_values(section, key, catalog, space.where());
    if (all.empty())
      findings.add(space.where(), fmt::format("'{}.{}' has no list of all its values", section, key),
                   "give an array, or { from, to, step }");
    return all;
  }
  findings.add(space.where(), "search is neither an array of values nor a range",
               "allowed: [1, 2, 4]; { from = 1, to = 16, times = 2 }; { from, to, step }; \"all\"");
  return std::vector<Value>();
}

/// What is wrong with a value of a free setting, whose key is `path` in messages.
struct FreeValueCheck {
  const std::string& section;
  const std::string& key;
  const std::string& path;                // "design[1]"
  const std::vector<std::string>& names;  // the only ones that it can have; empty: any, or it has no names

  /// Whether a setting takes it; adds findings where not.
  bool operator()(const Value& value, Findings& findings) const;
};

/// Whether a value can stand for a setting: no table, and nothing of tables.
bool can_stand(const Value& value) {
  const Array* array = value.as<Array>();
  return !value.as<Table>() && (!array || std::all_of(array->begin(), array->end(), can_stand));
}

bool FreeValueCheck::operator()(const Value& value, Findings& findings) const {
  const auto* name = value.as<std::string>();
  Findings own;
  if (!can_stand(value)) {
    own.add(value.where(), "a table among the values of search", "allowed: texts, numbers, arrays");
  } else if (name && *name != "auto" && !names.empty() &&
             std::find(names.begin(), names.end(), *name) == names.end()) {
    unknown_choice(value.where(), *name, path + "." + key, names, own);
  } else {
    check_setting(section, {key, value.where(), value}, path, own);
  }
  for (const Finding& finding : own.all()) findings.add(finding.where, finding.message, finding.help);
  return own.empty();
}

}  // namespace

FreeSettings::FreeSettings(const Table& document, const Catalog& catalog) : document_(document) {
  Findings findings;
  each_table(document, [&](const Member& section, const Table& table, const std::string& path,
                           std::size_t i) { find_in(section, table, path, i, catalog, findings); });
  findings.throw_if_any();
}

void FreeSettings::find_in(const Member& section, const Table& table, const std::string& path,
                           std::size_t element, const Catalog& catalog, Findings& findings) {
  for (const Member& member : table.members) {
    const Value* space = space_of(member.value);
    if (!space) continue;
    for (const Member& other : member.value.as<Table>()->members) {
      if (other.key != kSearch)
        findings.add(other.where, fmt::format("'{}' beside search", elided(other.key, kShown)),
                     "a free setting is { search = ... } alone");
    }
    check_known(section, member, path, findings);
    FreeSetting setting{path + "." + member.key, {}, member.where};
    Place place{section.key, path, element, member.key, names_of_setting(section.key, member.key, catalog),
                {}};
    const FreeValueCheck takes{place.section, place.key, place.path, place.names};
    std::set<std::string> known;
    const Unit unit = unit_of_setting(section.key + "." + member.key);
    const bool empty_list = space->as<Array>() && space->as<Array>()->empty();
    const std::size_t most = std::min(kMostValues, kMostOfAll - std::min(kMostOfAll, values_));
    for (Value& value : values_of(*space, section.key, member.key, catalog, most, findings)) {
      std::string text = toml_text(value);
      if (!takes(value, findings)) {
        if (!space->as<Array>()) break;  // all of a range stand in one place
      } else if (!known.insert(worth_of(value, unit)).second) {
        findings.add(value.where(), fmt::format("{} stands twice in search", elided(text, kShown)),
                     "once each");
      } else {
        setting.values.push_back(std::move(text));
        place.values.push_back(std::move(value));
      }
    }
    if (empty_list)  // else it has been said why there is none
      findings.add(space->where(), fmt::format("'{}' has no value to try", setting.key));
    values_ += setting.values.size();
    settings_.push_back(std::move(setting));
    places_.push_back(std::move(place));
  }
}

Value& FreeSettings::value_at(const Place& place) {
  const auto member = [](Table& table, const std::string& key) -> Value& {
    return std::find_if(table.members.begin(), table.members.end(),
                        [&](const Member& m) { return m.key == key; })
        ->value;
  };
  Value& section = member(document_, place.section);
  Array* elements = section.as<Array>();
  return member(*(elements ? (*elements)[place.element] : section).as<Table>(), place.key);
}

const Table& FreeSettings::document(std::span<const std::size_t> choice) {
  for (std::size_t i = 0; i < places_.size(); ++i) value_at(places_[i]) = places_[i].values[choice[i]];
  return document_;
}

const Table& FreeSettings::document(std::span<const std::size_t> choice, const std::vector<bool>& open) {
  document(choice);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Value& value = value_at(places_[i]);
    if (open[i]) value = Value(std::string("auto"), value.where());
  }
  return document_;
}

void FreeSettings::fix(const std::string& key, const std::string& value, const std::string& flag) {
  std::vector<std::string> names;
  for (const FreeSetting& setting : settings_) names.push_back(setting.key);
  const auto at = std::find(names.begin(), names.end(), key);
  if (at == names.end())
    fail_input(whole(flag), "'" + elided(key, kShown) + "' is no free setting of the scenario",
               suggestion(key, names));
  Member one = parse_assignment("value=" + value, flag);
  const auto i = static_cast<std::size_t>(at - names.begin());
  const Place& place = places_[i];
  Findings own;
  const FreeValueCheck takes{place.section, place.key, place.path, place.names};
  if (!takes(one.value, own)) {
    Findings findings;
    for (const Finding& finding : own.all())
      findings.add(whole(flag + " " + key + "=" + elided(value, kShown)), finding.message, finding.help);
    findings.throw_if_any();
  }
  settings_[i].values = {toml_text(one.value)};
  places_[i].values = {std::move(one.value)};
}

std::string toml_text(const Value& value) {
  if (const auto* text = value.as<std::string>()) return quoted(*text);
  std::string out;
  if (const Array* array = value.as<Array>()) {
    for (const Value& element : *array) out += (out.empty() ? "" : ", ") + toml_text(element);
    return "[" + out + "]";
  }
  if (const Table* table = value.as<Table>()) {
    for (const Member& member : table->members)
      out += (out.empty() ? "" : ", ") + quoted(member.key) + " = " + toml_text(member.value);
    return "{" + out + "}";
  }
  scalar_text(out, value);
  return out;
}

std::string document_text(const Table& document) {
  std::map<std::string, std::string> texts;
  for (const Member& member : document.members) texts[member.key] = value_text(member.value);
  std::string out;
  for (const auto& [key, text] : texts) out += key + "=" + text + "\n";
  return out;
}

void refuse_free(const Table& document, Findings& findings) {
  each_table(document, [&](const Member&, const Table& table, const std::string& path, std::size_t) {
    for (const Member& member : table.members) {
      if (!space_of(member.value)) continue;
      findings.add(member.where, fmt::format("'{}.{}' is left free", path, member.key),
                   "`trainyard search` finds its best value; every other question needs one value");
    }
  });
}

}  // namespace trainyard
