#include "settings.h"

#include <fmt/core.h>

#include <array>
#include <set>

#include "catalog/catalog.h"
#include "scenario/section_list.h"
#include "scenario/sections.h"
#include "trainyard/catalog.h"
#include "trainyard/quantity_text.h"

namespace trainyard::fuzz {
namespace {

constexpr std::array kUnits = {Unit::bytes, Unit::bytes_per_second, Unit::bits_per_second, Unit::seconds,
                               Unit::flop,  Unit::flop_per_second,  Unit::joules,          Unit::watts,
                               Unit::usd,   Unit::usd_per_joule,    Unit::metres};

const std::vector<std::string>& numbers() {
  static const std::vector<std::string> all = {"0",    "-1",    "5e-324", "1e-300", "1e-30",  "1e-9", "0.001",
                                               "0.5",  "0.999", "1",      "1.5",    "2",      "3",    "7.5",
                                               "10",   "64",    "100",    "400",    "1000",   "1e6",  "1e9",
                                               "1e12", "1e18",  "1e30",   "1e300",  "1.7e308"};
  return all;
}

const std::vector<std::string>& counts() {
  static const std::vector<std::string> all = {"-9223372036854775808",
                                               "-1",
                                               "0",
                                               "1",
                                               "2",
                                               "3",
                                               "4",
                                               "5",
                                               "7",
                                               "8",
                                               "12",
                                               "16",
                                               "24",
                                               "32",
                                               "64",
                                               "100",
                                               "127",
                                               "128",
                                               "1000",
                                               "1024",
                                               "4096",
                                               "65535",
                                               "65536",
                                               "1000000",
                                               "1000000000",
                                               "9223372036854775807",
                                               "9223372036854775808"};
  return all;
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + separator.size()) {
    end = text.find(separator, begin);
    out.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return out;
}

std::vector<std::string> units_of(Unit unit) {
  return unit == Unit::usd ? std::vector<std::string>{"USD", "K", "M", "B", "T"}
                           : split(unit_names(unit), ", ");
}

/// The numbers, with their units, that a range's description names: "0 to 11.57 days".
std::vector<std::string> ends_of(const std::string& allowed) {
  constexpr std::string_view kDigits = "0123456789";
  std::vector<std::string> out;
  const std::vector<std::string> parts = split(allowed, " ");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty() || kDigits.find(parts[i].front()) == std::string_view::npos) continue;
    std::string number = parts[i];
    while (number.ends_with(',') || number.ends_with(';')) number.pop_back();
    const bool has_unit = number == parts[i] && i + 1 < parts.size() && parts[i + 1] != "to";
    out.push_back(has_unit ? number + " " + split(parts[i + 1], ",").front() : number);
  }
  return out;
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

/// Names of entries, and words that other keys take.
const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = {"",        "no-such-thing", "small",      "auto",
                                    "plan",    "permutation",   "incast",     "all_to_all",
                                    "ring",    "poisson",       "all_reduce", "leaf 0",
                                    "spine 1", "host 3",        "pipeline",   "step.exposed_share",
                                    "\\u0000", "\\u202e"};
    for (const CatalogKind& kind : catalog_kinds()) {
      for (const std::string& key : kind.keys(*shipped_catalog())) out.push_back(key);
    }
    for (const Setting& setting : settings()) {
      out.insert(out.end(), setting.info.choices.begin(), setting.info.choices.end());
      if (setting.section == "simulation" || setting.section == "facility") out.push_back(setting.key);
    }
    return out;
  }();
  return all;
}

std::string quantity(const FieldInfo& info, Unit unit, Random& random) {
  const std::vector<std::string> ends = ends_of(info.allowed);
  if (!ends.empty() && below(random, 3) == 0) {
    const std::string& end = one_of(ends, random);
    return quoted(end.find(' ') == std::string::npos ? end + " " + units_of(unit).front() : end);
  }
  return quoted(one_of(numbers(), random) + " " + one_of(units_of(unit), random));
}

std::string number(const FieldInfo& info, const std::vector<std::string>& usual, Random& random) {
  const std::vector<std::string> ends = ends_of(info.allowed);
  return !ends.empty() && below(random, 3) == 0 ? one_of(ends, random) : one_of(usual, random);
}

std::string array_of(FieldInfo info, const std::string& type, Random& random) {
  info.type = type;
  std::string out;
  for (std::size_t left = below(random, 4); left > 0; --left)
    out += (out.empty() ? "" : ", ") + value_of(info, random);
  return "[" + out + "]";
}

/// Left to `search`.
std::string free_value(const FieldInfo& info, Random& random) {
  switch (below(random, 3)) {
    case 0:
      return R"({ search = "all" })";
    case 1:
      return "{ search = { from = " + value_of(info, random) + ", to = " + value_of(info, random) +
             ", times = 2 } }";
    default:
      return "{ search = [" + value_of(info, random) + ", " + value_of(info, random) + "] }";
  }
}

}  // namespace

std::size_t below(Random& random, std::size_t limit) { return random() % limit; }

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> out;
    for (const SectionInfo& section : scenario_sections()) {
      for (const FieldInfo& info : section.fields)
        out.push_back({section.name, section.name + "." + info.name, info, section.repeated});
    }
    return out;
  }();
  return all;
}

Setting catalog_setting(Random& random) {
  const CatalogKind& kind = one_of(catalog_kinds(), random);
  const std::string key = one_of(kind.keys(*shipped_catalog()), random);
  const FieldInfo& info = one_of(kind.fields, random);
  return {"catalog", fmt::format("catalog.{}.\"{}\".{}", kind.name, key, info.name), info};
}

std::string value_of(const FieldInfo& info, Random& random) {
  constexpr std::string_view kArray = "array of ";
  if (below(random, 40) == 0)
    return one_of<std::string>({"\"\"", "[]", "{}", "1", "true", "\"auto\""}, random);
  if (below(random, 80) == 0) return free_value(info, random);
  if (info.type.starts_with(kArray)) return array_of(info, info.type.substr(kArray.size()), random);
  if (!info.choices.empty()) return quoted(one_of(info.choices, random));
  if (info.type == "true or false") return below(random, 2) == 0 ? "true" : "false";
  if (info.type == "count") return number(info, counts(), random);
  if (info.type == "number") return number(info, numbers(), random);
  for (const Unit unit : kUnits) {
    if (info.type == quantity_type(unit)) return quantity(info, unit, random);
  }
  return quoted(one_of(names(), random));
}

std::vector<std::string> words() {
  std::set<std::string> out(names().begin(), names().end());
  for (const Setting& setting : settings()) out.insert(setting.key);
  for (const Unit unit : kUnits) {
    for (const std::string& name : units_of(unit)) out.insert(" " + name);
  }
  out.insert(numbers().begin(), numbers().end());
  out.insert(counts().begin(), counts().end());
  return {out.begin(), out.end()};
}

}  // namespace trainyard::fuzz
