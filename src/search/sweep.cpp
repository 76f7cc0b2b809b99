#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/document.h"
#include "base/errors.h"
#include "base/field_units.h"
#include "ranks/items.h"
#include "ranks/packing.h"
#include "scenario/section_list.h"
#include "scenario/sweeps.h"
#include "scenario/value_lists.h"
#include "trainyard/assignment_text.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

/// What asks for a sweep, in errors: its place, else its name.
Location place_or_name(const Location& place, const std::string& name) {
  return place.source ? place : whole("sweep " + name);
}

std::vector<Member> changes_of(const SweepSeries& series, const std::string& sweep) {
  std::vector<Member> changes;
  for (const auto& [key, text] : series.set)
    changes.push_back(parse_assignment(key + "=" + text, place_or_name(place_of(series.places, key), sweep)));
  return changes;
}

/// The field behind a key path, for the axis; throws when there is none.
FieldInfo field_of(const SweepInput& sweep) {
  std::vector<std::string> names;
  for (const SectionInfo& section : scenario_sections()) {
    for (const FieldInfo& field : section.fields) {
      names.push_back(section.name + "." + field.name);
      if (names.back() == sweep.key) return field;
    }
  }
  fail_input(place_or_name(place_of(sweep.places, "key"), sweep.name),
             "no key '" + sweep.key + "' in a scenario", suggestion(sweep.key, names));
}

void check_values(const SweepInput& sweep) {
  const Repeated twice = first_repeated(sweep.values, sweep.key);
  if (!twice) return;
  fail_input(place_or_name(place_of_value(sweep, twice.second), sweep.name), twice.complaint(sweep.values),
             "once each");
}

double value_in_base_units(const std::string& text, Unit unit, double fallback) {
  if (unit != Unit::number) return parse_quantity(text, unit).si;
  const ParsedQuantity plain = parse_quantity(text + " s", Unit::seconds);
  return plain.error.empty() ? plain.si : fallback;  // a name: its place in the list
}

/// What a plan gives: a number, or why there is none.
struct SweepValue {
  double y = std::numeric_limits<double>::quiet_NaN();
  std::string infeasible;
};

Plan plan_of_point(const ScenarioText& scenario, const SweepInput& sweep, const SweepSeries& series,
                   std::size_t value) {
  std::vector<Member> changes = changes_of(series, sweep.name);
  changes.push_back(parse_assignment(sweep.key + "=" + sweep.values[value],
                                     place_or_name(place_of_value(sweep, value), sweep.name)));
  return make_plan(scenario.resolve(changes));
}

SweepValue sweep_value(const ScenarioText& scenario, const SweepInput& sweep, const SweepSeries& series,
                       std::size_t value, const QuantityReader& reader) {
  try {
    return {reader.read(plan_of_point(scenario, sweep, series, value)), {}};
  } catch (const Infeasible& infeasible) {
    return {.infeasible = infeasible.what()};
  }
}

/// What tells a sweep of a scenario from others, for ranks.
std::string identity_of(const ScenarioText& scenario, const SweepInput& sweep) {
  std::string out = scenario.hash() + sweep.key;
  for (const std::string& value : sweep.values) out += "\n" + value;
  return out;
}

/// A value of every series and value, in that order.
std::vector<SweepValue> values_together(Ranks& ranks, const std::string& identity, std::uint64_t count,
                                        const std::function<SweepValue(std::uint64_t)>& value_of,
                                        const Progress& progress) {
  const auto packed = [&](std::uint64_t i) {
    const SweepValue value = value_of(i);
    return Packer().put(value.y).put(std::string_view(value.infeasible)).take();
  };
  const auto show = [&](std::uint64_t done) {
    if (progress) progress(done, count);
  };
  std::vector<SweepValue> out;
  for (const std::string& bytes :
       answer_together(ranks, {.identity = identity, .count = count, .answer = packed, .progress = show})) {
    Unpacker read(bytes);
    const double y = read.real();
    out.push_back({y, std::string(read.text())});
  }
  return out;
}

std::vector<SweepValue> values_alone(std::uint64_t count,
                                     const std::function<SweepValue(std::uint64_t)>& value_of,
                                     const Progress& progress) {
  std::vector<SweepValue> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    out.push_back(value_of(i));
    if (progress) progress(i + 1, count);
  }
  return out;
}

}  // namespace

SweepResult run_sweep(const ScenarioText& scenario, const SweepInput& sweep, const QuantityReader& reader,
                      const Progress& progress, Ranks* ranks) {
  const FieldInfo field = field_of(sweep);
  check_values(sweep);
  SweepResult result;
  result.input = sweep;
  result.x_unit = unit_of_type(field.type);
  result.x_label = field.sentence;
  result.y_unit = reader.unit;
  result.y_label = reader.label;
  const std::size_t width = sweep.values.size();
  const auto value_of = [&](std::uint64_t i) {
    return sweep_value(scenario, sweep, sweep.series[i / width], i % width, reader);
  };
  const std::size_t count = sweep.series.size() * width;
  std::vector<SweepValue> values =
      ranks ? values_together(*ranks, identity_of(scenario, sweep), count, value_of, progress)
            : values_alone(count, value_of, progress);
  if (values.size() < count) return result;  // a rank other than 0
  for (std::size_t s = 0; s < sweep.series.size(); ++s) {
    SweepLine line{sweep.series[s].label, {}};
    for (std::size_t v = 0; v < width; ++v) {
      SweepValue& value = values[s * width + v];
      const double x =
          value_in_base_units(sweep.values[v], result.x_unit, static_cast<double>(line.points.size() + 1));
      line.points.push_back({sweep.values[v], x, value.y, std::move(value.infeasible)});
    }
    result.lines.push_back(std::move(line));
  }
  return result;
}

namespace {

/// The plan of the first point that has one.
std::optional<Plan> first_plan(const ScenarioText& text, const SweepInput& sweep) {
  field_of(sweep);  // throws where there is none
  for (const SweepSeries& series : sweep.series) {
    for (std::size_t value = 0; value < sweep.values.size(); ++value) {
      try {
        return plan_of_point(text, sweep, series, value);
      } catch (const Infeasible&) {  // the next one may fit
      }
    }
  }
  return std::nullopt;
}

bool sets_itself(const SweepInput& sweep, const std::string& key) {
  if (sweep.key == key) return true;
  return !sweep.series.empty() &&
         std::all_of(sweep.series.begin(), sweep.series.end(),
                     [&](const SweepSeries& series) { return series.set.contains(key); });
}

}  // namespace

Plan example_plan(const ScenarioText& text, const Scenario& scenario, const std::vector<SweepInput>& sweeps) {
  try {
    return make_plan(scenario);
  } catch (const Infeasible&) {
    for (const SweepInput& sweep : sweeps) {
      if (std::optional<Plan> found = first_plan(text, sweep)) return *std::move(found);
    }
    throw;
  }
}

void refuse_swept_changes(const std::vector<std::string>& changes, const std::vector<SweepInput>& sweeps,
                          const std::string& flag) {
  for (const std::string& change : changes) {
    const auto sides = assignment_text(change);
    const std::string key(sides ? sides->key : "");
    const auto sets = [&](const SweepInput& sweep) { return sets_itself(sweep, key); };
    if (!sides || sweeps.empty() || !std::all_of(sweeps.begin(), sweeps.end(), sets)) continue;
    fail_input(whole(flag + " " + change), "the sweep gives '" + key + "' its values",
               "leave the change out");
  }
}

}  // namespace trainyard
