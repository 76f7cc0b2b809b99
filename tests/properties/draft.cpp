#include "draft.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard::properties {
namespace {

std::string toml(const Setting& setting, Dice* dice) {
  if (const auto* text = std::get_if<std::string>(&setting.value)) return *text;
  const std::vector<std::string> all = spellings(std::get<Amount>(setting.value));
  return "\"" + (dice ? dice->pick(all) : all.front()) + "\"";
}

std::string written(const Section& section, Dice* spelling) {
  std::string out = section.element ? "[[" + section.name + "]]\n" : "[" + section.name + "]\n";
  for (const Setting& setting : section.settings) out += setting.key + " = " + toml(setting, spelling) + "\n";
  return out;
}

std::string written(const std::vector<Section>& sections, Dice* spelling = nullptr) {
  std::string out = "title = \"drawn\"\n";
  for (const Section& section : sections) out += "\n" + written(section, spelling);
  return out;
}

}  // namespace

Section& Section::put(Setting setting) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == setting.key; });
  if (found != settings.end()) {
    *found = std::move(setting);
  } else {
    settings.push_back(std::move(setting));
  }
  return *this;
}

Section& Draft::section(const std::string& name) {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const Section& s) { return !s.element && s.name == name; });
  if (found != sections_.end()) return *found;
  return sections_.emplace_back(Section{name, false, {}});
}

Section& Draft::element(const std::string& name) { return sections_.emplace_back(Section{name, true, {}}); }

Draft Draft::with(const Change& change) const {
  Draft out = *this;
  for (Section& section : out.sections_) {
    for (Setting& setting : section.settings) {
      if (auto* amount = std::get_if<Amount>(&setting.value))
        *amount = change(section.name, setting.key, *amount);
    }
  }
  return out;
}

std::string Draft::text() const { return written(sections_); }

std::string Draft::reordered(Dice& dice) const {
  std::vector<Section> sections = sections_;
  for (Section& section : sections) dice.shuffle(section.settings);
  dice.shuffle(sections);
  std::map<std::string, std::vector<Section>> elements;  // in their own order
  for (const Section& section : sections_) {
    if (section.element) elements[section.name].push_back(section);
  }
  std::map<std::string, std::size_t> next;
  for (Section& section : sections) {
    if (!section.element) continue;
    section = elements[section.name][next[section.name]++];
    dice.shuffle(section.settings);
  }
  return written(sections);
}

std::string Draft::respelled(Dice& dice) const { return written(sections_, &dice); }

ScenarioText Draft::parsed(const std::string& text) {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"drawn.toml", text}),
                             shipped_catalog());
}

Scenario Draft::set_one_by_one(Dice& dice) const {
  std::vector<Section> wholes;
  std::vector<std::string> assignments;
  for (const Section& section : sections_) {
    const bool whole = section.element || section.name.starts_with("catalog.");
    if (whole) wholes.push_back(section);
    for (const Setting& setting : section.settings) {
      if (!whole) assignments.push_back(section.name + "." + setting.key + "=" + toml(setting, nullptr));
    }
  }
  dice.shuffle(assignments);
  ScenarioText text = parsed(written(wholes));
  for (const std::string& assignment : assignments) text.set(assignment);
  return text.resolve();
}

Draft twice_as_fast(const Draft& draft) {
  return draft.with([](std::string_view, std::string_view key, const Amount& amount) {
    switch (amount.unit) {
      case Unit::bits_per_second:
      case Unit::bytes_per_second:
      case Unit::flop_per_second:
        return amount.doubled();
      case Unit::seconds:
        return key == "depreciation" ? amount : amount.halved();
      default:
        return amount;
    }
  });
}

}  // namespace trainyard::properties
