#include <fmt/core.h>

#include <limits>

#include "base/errors.h"
#include "scenario/sections.h"
#include "trainyard/nearest.h"
#include "trainyard/planning.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

std::vector<Member> changes_of(const SweepSeries& series, const std::string& sweep) {
  std::vector<Member> changes;
  for (const auto& [key, text] : series.set) {
    changes.push_back(parse_assignment(key + "=" + text, "sweep " + sweep + ":"));
  }
  return changes;
}

/// The field behind a key path, for the axis; throws when there is none.
FieldInfo field_of(const std::string& key, const std::string& sweep) {
  std::vector<std::string> names;
  for (const SectionInfo& section : scenario_sections()) {
    for (const FieldInfo& field : section.fields) {
      names.push_back(section.name + "." + field.name);
      if (names.back() == key) return field;
    }
  }
  fail_input(whole("sweep " + sweep), "no key '" + key + "' in a scenario", suggestion(key, names));
}

Unit unit_of_type(const std::string& type) {
  for (const Unit unit :
       {Unit::bytes, Unit::bytes_per_second, Unit::bits_per_second, Unit::seconds, Unit::flop,
        Unit::flop_per_second, Unit::joules, Unit::watts, Unit::usd, Unit::usd_per_joule, Unit::metres}) {
    if (quantity_type(unit) == type) return unit;
  }
  return Unit::number;
}

double value_in_base_units(const std::string& text, Unit unit, double fallback) {
  if (unit != Unit::number) return parse_quantity(text, unit).si;
  const ParsedQuantity plain = parse_quantity(text + " s", Unit::seconds);
  return plain.error.empty() ? plain.si : fallback;  // a name: its place in the list
}

SweepPoint plan_point(const ScenarioText& scenario, std::vector<Member> changes, const SweepInput& sweep,
                      const std::string& value, const QuantityReader& reader) {
  SweepPoint point;
  point.value = value;
  changes.push_back(parse_assignment(sweep.key + "=" + value, "sweep " + sweep.name + ":"));
  try {
    point.y = reader.read(make_plan(scenario.resolve(changes)));
  } catch (const Infeasible& infeasible) {
    point.y = std::numeric_limits<double>::quiet_NaN();
    point.infeasible = infeasible.what();
  }
  return point;
}

}  // namespace

SweepResult run_sweep(const ScenarioText& scenario, const SweepInput& sweep, const QuantityReader& reader,
                      const Progress& progress) {
  const FieldInfo field = field_of(sweep.key, sweep.name);
  SweepResult result;
  result.input = sweep;
  result.x_unit = unit_of_type(field.type);
  result.x_label = field.sentence;
  result.y_unit = reader.unit;
  result.y_label = reader.label;
  const std::size_t total = sweep.series.size() * sweep.values.size();
  std::size_t done = 0;
  for (const SweepSeries& series : sweep.series) {
    SweepLine line;
    line.label = series.label;
    const std::vector<Member> changes = changes_of(series, sweep.name);
    for (const std::string& value : sweep.values) {
      line.points.push_back(plan_point(scenario, changes, sweep, value, reader));
      line.points.back().x =
          value_in_base_units(value, result.x_unit, static_cast<double>(line.points.size()));
      if (progress) progress(++done, total);
    }
    result.lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace trainyard
