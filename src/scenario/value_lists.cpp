#include "scenario/value_lists.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>

#include "base/document.h"
#include "base/field_units.h"
#include "scenario/section_list.h"
#include "trainyard/printable.h"
#include "trainyard/quantity_text.h"

namespace trainyard {

bool scalar_text(std::string& out, const Value& value) {
  if (const auto* s = value.as<std::string>()) {
    out = *s;
  } else if (const auto* i = value.as<std::int64_t>()) {
    out = std::to_string(*i);
  } else if (const auto* d = value.as<double>(); d && std::isfinite(*d)) {
    out = fmt::format("{}", *d);
  } else if (const auto* b = value.as<bool>()) {
    out = *b ? "true" : "false";
  } else {
    return false;
  }
  return true;
}

bool split_number(std::string_view text, NumberWithUnit& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out.number);
  out.unit = std::string(end, text.data() + text.size());
  return code == std::errc{} && std::isfinite(out.number);
}

Unit unit_of_setting(const std::string& key) {
  static const auto units = [] {
    std::map<std::string, Unit> out;
    for (const SectionInfo& section : scenario_sections()) {
      for (const FieldInfo& field : section.fields)
        out.emplace(section.name + "." + field.name, unit_of_type(field.type));
    }
    return out;
  }();
  const auto at = units.find(key);
  return at == units.end() ? Unit::number : at->second;
}

std::string worth_of(const Value& value, Unit unit) {
  if (const Array* array = value.as<Array>()) {
    std::string out;
    for (const Value& element : *array) out += worth_of(element, unit) + ",";
    return "[" + out + "]";
  }
  std::string text;
  if (!scalar_text(text, value)) return {};
  return worth_of(text, unit);
}

std::string worth_of(const std::string& text, Unit unit) {
  constexpr auto digits = [](double number) { return fmt::format("{:.12g}", number); };
  if (unit != Unit::number) {
    const ParsedQuantity quantity = parse_quantity(text, unit);
    if (quantity.error.empty()) return digits(quantity.si);
  }
  NumberWithUnit number;
  return split_number(text, number) && number.unit.empty() ? digits(number.number) : text;
}

std::string Repeated::complaint(const std::vector<std::string>& texts) const {
  constexpr std::size_t kShownBytes = 60;
  const std::string again = elided(texts[second], kShownBytes);
  if (texts[first] == texts[second]) return again + " stands twice";
  return again + " is " + elided(texts[first], kShownBytes) + " again";
}

Repeated first_repeated(const std::vector<std::string>& texts, const std::string& key) {
  const Unit unit = unit_of_setting(key);
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [at, fresh] = seen.emplace(worth_of(texts[i], unit), i);
    if (!fresh) return {at->second, i};
  }
  return {};
}

}  // namespace trainyard
