#include "report/data/stored_conditions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/comparison_text.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/quantity_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

constexpr const char* kFlag = "--where";
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

using Condition = std::function<bool(const ReadPoint&)>;
using Sign = ComparisonText::Sign;

bool compares(double value, Sign sign, double bound) {
  if (sign == Sign::equal) return value == bound;
  return sign == Sign::at_most ? value <= bound : value >= bound;
}

std::optional<double> read_as(const std::string& text, Unit unit) {
  const ParsedQuantity parsed = parse_quantity(text, unit);
  return parsed.error.empty() ? std::optional(parsed.si) : std::nullopt;
}

/// A value of a setting and what it is compared with, as numbers of one unit; nothing where they have none.
std::optional<std::pair<double, double>> as_numbers(const Json& value, const std::string& text) {
  using enum Unit;
  if (value.is_number()) {
    // A number without a unit is read as one of seconds, whose base unit is one.
    const std::optional<double> bound = read_as(text + " s", seconds);
    return bound ? std::optional(std::pair(value.get<double>(), *bound)) : std::nullopt;
  }
  if (!value.is_string()) return std::nullopt;
  for (const Unit unit : {bytes, bytes_per_second, bits_per_second, seconds, flop, flop_per_second, joules,
                          watts, usd, usd_per_joule, metres}) {
    const std::optional<double> own = read_as(value.get<std::string>(), unit);
    const std::optional<double> bound = read_as(text, unit);
    if (own && bound) return std::pair(*own, *bound);
  }
  return std::nullopt;
}

Condition setting_condition(const StoredSetting& setting, const ComparisonText& asked,
                            const std::string& text) {
  std::set<std::string> held;  // values, as JSON
  std::vector<std::string> words;
  bool comparable = false;
  for (const std::string& toml : setting.values) {
    const Json value = setting_json(toml);
    words.push_back(setting_word(value));
    const bool same = asked.sign == Sign::equal && words.back() == asked.value;
    const auto numbers = as_numbers(value, asked.value);
    comparable = comparable || same || numbers;
    if (same || (numbers && compares(numbers->first, asked.sign, numbers->second))) held.insert(value.dump());
  }
  if (!comparable)
    fail_input(
        whole(kFlag),
        fmt::format("\"{}\": no value of {} can be compared with '{}'", text, setting.key, asked.value),
        suggestion(asked.value, words));
  return [key = setting.key, held = std::move(held)](const ReadPoint& point) {
    return held.contains(point.settings.at(key).dump());
  };
}

/// Where a question keeps a measure: among its limits, among its objectives, or in both.
struct KeptMeasure {
  std::optional<std::size_t> limit;
  std::optional<std::size_t> objective;
  Unit unit = Unit::number;

  double read(const StoredPoint& point) const {
    if (limit && *limit < point.limited.size() && !std::isnan(point.limited[*limit]))
      return point.limited[*limit];
    return objective && *objective < point.objectives.size() ? point.objectives[*objective] : kUnknown;
  }
};

std::string without_sign(const std::string& objective) {
  return objective.starts_with('-') ? objective.substr(1) : objective;
}

std::optional<KeptMeasure> kept_measure(const StoredColumns& columns, const std::string& key) {
  KeptMeasure out;
  for (std::size_t i = 0; i < columns.limits.size(); ++i) {
    if (columns.limits[i].name != key) continue;
    out.limit = i;
    out.unit = columns.limits[i].unit;
  }
  for (std::size_t i = 0; i < columns.objectives.size(); ++i) {
    if (without_sign(columns.objectives[i].name) != key) continue;
    out.objective = i;
    out.unit = columns.objectives[i].unit;
  }
  return out.limit || out.objective ? std::optional(out) : std::nullopt;
}

/// What a condition can be about, as searches call it: "training_time" for training_time_s.
std::vector<std::string> names_of(const StoredColumns& columns) {
  std::vector<std::string> keys;
  for (const StoredColumn& column : columns.objectives) keys.push_back(without_sign(column.name));
  for (const StoredColumn& column : columns.limits) keys.push_back(column.name);
  std::vector<std::string> out = columns.settings;
  for (const std::string& key : keys) {
    std::string name = key;
    for (const SearchMeasure& measure : search_measures()) {
      if (measure.key() == key) name = measure.name;
    }
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

[[noreturn]] void fail_unknown(const StoredQuestion& question, const StoredColumns& columns,
                               const std::string& name) {
  std::vector<std::string> names = names_of(columns);
  if (find_measure(name))
    fail_input(whole(kFlag), fmt::format("question {} did not keep '{}'", question.id, name),
               suggestion("", names));
  for (const auto& [alias, measure] : {std::pair{"time", "step_time"}, std::pair{"days", "training_time"}}) {
    if (std::find(names.begin(), names.end(), measure) != names.end()) names.emplace_back(alias);
  }
  fail_input(whole(kFlag),
             fmt::format("'{}' is no free setting of question {}, and no measure", name, question.id),
             suggestion(name, names));
}

Condition measure_condition(const StoredQuestion& question, const ComparisonText& asked,
                            const std::string& text) {
  const StoredColumns columns = columns_of(question.asked);
  const SearchMeasure* measure = find_measure(asked.name);
  const std::optional<KeptMeasure> kept = kept_measure(columns, measure ? measure->key() : asked.name);
  if (!kept) fail_unknown(question, columns, asked.name);
  const double bound = compared_value(asked.value, kept->unit, text, kFlag);
  return [kept = *kept, sign = asked.sign, bound](const ReadPoint& point) {
    return compares(kept.read(point.kept), sign, bound);
  };
}

}  // namespace

StoredConditions::StoredConditions(const StoredQuestion& question, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const ComparisonText asked = comparison_text(text, true);
    if (asked.name.empty())
      fail_input(
          whole(kFlag), "\"" + text + "\" is no condition",
          "a free setting or a measure, =, <= or >=, and a value: \"mapping.tensor=8\", \"days<=600\"");
    const std::vector<StoredSetting>& free = question.asked.free;
    const auto setting =
        std::find_if(free.begin(), free.end(), [&](const StoredSetting& s) { return s.key == asked.name; });
    conditions_.push_back(setting != free.end() ? setting_condition(*setting, asked, text)
                                                : measure_condition(question, asked, text));
  }
}

bool StoredConditions::hold(const ReadPoint& point) const {
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const Condition& condition) { return condition(point); });
}

}  // namespace trainyard
