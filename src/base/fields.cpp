#include "base/fields.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/field_units.h"
#include "trainyard/nearest.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

std::string bound_text(double bound, Unit unit) {
  return unit == Unit::number || unit == Unit::count || unit == Unit::fraction
             ? exact_quantity(bound, Unit::number)
         : bound == 0 ? "0"
                      : format_quantity(bound, unit);
}

bool check_range(double value, Unit unit, const Value& at, const std::string& key, const Range& range,
                 Findings& findings) {
  if (range.contains(value)) return true;
  const std::string shown = unit == Unit::number ? fmt::format("{}", value) : format_quantity(value, unit);
  findings.add(at.where(), fmt::format("'{}' is {}", key, shown), "allowed: " + describe_range(range, unit));
  return false;
}

/// "allowed: 1 to 64"; nothing of a number that may be any.
std::string allowed_text(const Range& range) {
  const std::string text = describe_range(range, Unit::number);
  return text.empty() ? text : "allowed: " + text;
}

/// Of something that is no number at all.
void no_number(const Value& value, const std::string& key, const char* expected, const Range& range,
               Findings& findings) {
  findings.add(value.where(), fmt::format("'{}' takes {}, not {}", key, expected, value.type_name()),
               allowed_text(range));
}

}  // namespace

FieldInfo plain_info(std::string_view name, std::string type, std::string_view json_type,
                     std::string_view sentence) {
  return {.name = std::string(name),
          .type = std::move(type),
          .sentence = std::string(sentence),
          .json_type = std::string(json_type)};
}

void add_allowed(FieldInfo& info, std::string_view choice, std::string_view sentence) {
  if (!info.allowed.empty()) info.allowed += "; ";
  ((info.allowed += choice) += ": ") += sentence;
}

std::string describe_range(const Range& range, Unit unit) {
  const bool low = std::isfinite(range.low);
  const bool high = std::isfinite(range.high);
  std::string text;
  if (low && range.low_excluded) text = "more than " + bound_text(range.low, unit);
  if (low && !range.low_excluded && high)
    return bound_text(range.low, unit) + " to " + bound_text(range.high, unit);
  if (low && !range.low_excluded) text = "at least " + bound_text(range.low, unit);
  if (high) text += (text.empty() ? "at most " : ", at most ") + bound_text(range.high, unit);
  return text;
}

void wrong_type(const Value& value, const std::string& key, std::string_view expected, Findings& findings) {
  findings.add(value.where(), fmt::format("'{}' takes {}, not {}", key, expected, value.type_name()));
}

void unknown_choice(const Location& where, const std::string& name, const std::string& key,
                    const std::vector<std::string>& names, Findings& findings) {
  findings.add(where, fmt::format("'{}' is not a value of '{}'", name, key), suggestion(name, names));
}

std::string key_below(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string quoted_quantity(double si, Unit unit) { return '"' + exact_quantity(si, unit) + '"'; }

std::string Codec<double>::text(double v) { return exact_quantity(v, Unit::number); }

bool Codec<bool>::read(bool& out, const Value& value, const std::string& key, const Range&,
                       Findings& findings) {
  const bool* v = value.as<bool>();
  if (!v) {
    wrong_type(value, key, "true or false", findings);
    return false;
  }
  out = *v;
  return true;
}

bool Codec<std::int64_t>::read(std::int64_t& out, const Value& value, const std::string& key,
                               const Range& range, Findings& findings) {
  constexpr double kLargest = 9.0e15;  // whole numbers beyond 2^53 are not exact as doubles
  const Range exact{std::max(range.low, -kLargest), std::min(range.high, kLargest), range.low_excluded};
  const auto* whole = value.as<std::int64_t>();
  const auto* real = value.as<double>();
  if (!whole && !real) {
    no_number(value, key, "a whole number", exact, findings);
    return false;
  }
  const double number = whole ? static_cast<double>(*whole) : *real;
  if (number != std::floor(number)) {
    findings.add(value.where(), fmt::format("'{}' takes a whole number, and {} is none", key, number),
                 "allowed: " + describe_range(exact, Unit::number));
    return false;
  }
  if (!check_range(number, Unit::number, value, key, exact, findings)) return false;
  out = whole ? *whole : static_cast<std::int64_t>(number);
  return true;
}

bool Codec<double>::read(double& out, const Value& value, const std::string& key, const Range& range,
                         Findings& findings) {
  double v = 0;
  if (const auto* d = value.as<double>()) {
    v = *d;
  } else if (const auto* i = value.as<std::int64_t>()) {
    v = static_cast<double>(*i);
  } else {
    no_number(value, key, "a number", range, findings);
    return false;
  }
  if (!std::isfinite(v)) {
    findings.add(value.where(), fmt::format("'{}' must be finite", key), allowed_text(range));
    return false;
  }
  if (!check_range(v, Unit::number, value, key, range, findings)) return false;
  out = v;
  return true;
}

bool Codec<std::string>::read(std::string& out, const Value& value, const std::string& key, const Range&,
                              Findings& findings) {
  const std::string* text = value.as<std::string>();
  if (!text) {
    wrong_type(value, key, "a string", findings);
    return false;
  }
  out = *text;
  return true;
}

bool Codec<std::map<std::string, std::string>>::read(std::map<std::string, std::string>& out,
                                                     const Value& value, const std::string& key,
                                                     const Range& range, Findings& findings) {
  const Table* table = value.as<Table>();
  if (!table) {
    wrong_type(value, key, "a table", findings);
    return false;
  }
  for (const Member& member : table->members) {
    if (!Codec<std::string>::read(out[member.key], member.value, key + "." + member.key, range, findings))
      return false;
  }
  return true;
}

bool read_quantity(double& si, Unit unit, const Value& value, const std::string& key, const Range& range,
                   Findings& findings) {
  const std::string* text = value.as<std::string>();
  if (!text) {
    findings.add(value.where(),
                 fmt::format("'{}' takes a {}, not {}", key, quantity_type(unit), value.type_name()),
                 fmt::format("write a string with a unit: {}", unit_names(unit)));
    return false;
  }
  const ParsedQuantity parsed = parse_quantity(*text, unit);
  if (!parsed.error.empty()) {
    findings.add(value.where(), fmt::format("'{}' = \"{}\": {}", key, *text, parsed.error));
    return false;
  }
  if (!check_range(parsed.si, unit, value, key, range, findings)) return false;
  si = parsed.si;
  return true;
}

std::string quantity_type(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return "size";
    case Unit::bytes_per_second:
      return "byte rate";
    case Unit::bits_per_second:
      return "bit rate";
    case Unit::seconds:
      return "time";
    case Unit::flop:
      return "number of FLOP";
    case Unit::flop_per_second:
      return "FLOP rate";
    case Unit::joules:
      return "energy";
    case Unit::watts:
      return "power";
    case Unit::usd:
      return "price";
    case Unit::usd_per_joule:
      return "energy price";
    case Unit::metres:
      return "length";
    default:
      return "number";
  }
}

Unit unit_of_type(std::string_view type) {
  // What another one's name ends with comes behind it: "energy price", "price".
  constexpr Unit kUnits[] = {Unit::bytes_per_second,
                             Unit::bits_per_second,
                             Unit::flop_per_second,
                             Unit::usd_per_joule,
                             Unit::flop,
                             Unit::bytes,
                             Unit::seconds,
                             Unit::joules,
                             Unit::watts,
                             Unit::usd,
                             Unit::metres};
  for (const Unit unit : kUnits) {
    if (type.find(quantity_type(unit)) != std::string_view::npos) return unit;
  }
  return Unit::number;
}

void unknown_key(const Member& member, const std::string& path, const std::vector<std::string>& names,
                 Findings& findings) {
  findings.add(member.where, fmt::format("unknown key '{}'", path), suggestion(member.key, names));
}

}  // namespace trainyard
