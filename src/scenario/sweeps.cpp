#include "scenario/sweeps.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/fields.h"
#include "scenario/sections.h"
#include "scenario/table_lists.h"
#include "scenario/value_lists.h"
#include "trainyard/errors.h"
#include "trainyard/scenario/sweeps.h"

namespace trainyard {
namespace {

constexpr double kMostPoints = 1e6;

bool read_scalars(std::vector<std::string>& out, const Value& value, const std::string& path,
                  Findings& findings) {
  const Array* array = value.as<Array>();
  if (!array) {
    wrong_type(value, path, "an array", findings);
    return false;
  }
  out.clear();
  for (const Value& element : *array) {
    if (!scalar_text(out.emplace_back(), element)) {
      wrong_type(element, path, "strings or numbers", findings);
      return false;
    }
  }
  return true;
}

bool read_settings(std::map<std::string, std::string>& out, const Value& value, const std::string& path,
                   Findings& findings) {
  const Table* table = value.as<Table>();
  if (!table) {
    wrong_type(value, path, "a table of \"key.path\" = value", findings);
    return false;
  }
  for (const Member& member : table->members) {
    if (!scalar_text(out[member.key], member.value)) {
      wrong_type(member.value, path + "." + member.key, "a string or number", findings);
    }
  }
  return true;
}

template <class R, class T>
Field<R> custom_field(std::string name, std::string type, std::string json, std::string sentence,
                      T R::*member, bool (*read)(T&, const Value&, const std::string&, Findings&)) {
  Field<R> out;
  out.info = {.name = std::move(name),
              .type = std::move(type),
              .sentence = std::move(sentence),
              .json_type = std::move(json)};
  out.read = [member, read](R& record, const Value& value, const std::string& path, Findings& findings) {
    return read(record.*member, value, path, findings);
  };
  out.text = [](const R&) { return std::string{}; };
  return out;
}

bool read_series(std::vector<SweepSeries>& out, const Value& value, const std::string& path,
                 Findings& findings) {
  const Array* array = value.as<Array>();
  if (!array) {
    wrong_type(value, path, "an array of tables {label, set}", findings);
    return false;
  }
  for (const Value& element : *array) {
    if (!element.as<Table>()) {
      wrong_type(element, path, "tables {label, set}", findings);
      return false;
    }
    SweepSeries series = read_placed(element, series_fields(), path, findings);
    const Value* set = element.as<Table>()->find("set");
    if (const Table* settings = set ? set->as<Table>() : nullptr) {
      SectionPlaces places = *series.places;
      for (const Member& member : settings->members) places.keys[member.key] = member.value.where();
      series.places = std::make_shared<const SectionPlaces>(std::move(places));
    }
    for (const SweepSeries& earlier : out) {
      if (earlier.label == series.label)
        findings.add(place_of(series.places, "label"),
                     fmt::format("two series are named '{}'", series.label));
    }
    out.push_back(std::move(series));
  }
  return true;
}

void spread_values(SweepInput& sweep, Findings& findings) {
  NumberWithUnit first;
  NumberWithUnit end;
  const bool valid = split_number(sweep.from, first) && split_number(sweep.to, end);
  if (!valid || first.unit != end.unit) {
    return findings.add(
        place_of(sweep.places, sweep.from.empty() ? "to" : "from"),
        fmt::format("from = \"{}\" and to = \"{}\" need a number and the same unit", sweep.from, sweep.to));
  }
  if (sweep.log_scale && (first.number <= 0 || end.number <= 0)) {
    return findings.add(place_of(sweep.places, first.number <= 0 ? "from" : "to"),
                        "from and to must be positive when log_scale is true");
  }
  const double from = first.number;
  const double to = end.number;
  const auto last = static_cast<double>(sweep.points - 1);
  for (std::int64_t i = 0; i < sweep.points; ++i) {
    const double share = last > 0 ? static_cast<double>(i) / last : 0;
    const double v = sweep.log_scale ? from * std::pow(to / from, share) : from + (to - from) * share;
    sweep.values.push_back(fmt::format("{}{}", v, first.unit));
  }
}

/// The name of the first of these keys that the sweep has.
const char* key_of_range(const SweepInput& sweep) {
  return !sweep.from.empty() ? "from" : !sweep.to.empty() ? "to" : "points";
}

void check_sweep(SweepInput& sweep, Findings& findings) {
  const bool ranged = !sweep.from.empty() || !sweep.to.empty() || sweep.points > 0;
  if (ranged && !sweep.values.empty())
    return findings.add(place_of(sweep.places, key_of_range(sweep)),
                        "a sweep has both values and from/to/points", "keep one of them");
  if (ranged && sweep.points < 1)
    return findings.add(place_of(sweep.places, key_of_range(sweep)), "a sweep with from and to needs points",
                        "points = 5, as many values as that");
  if (ranged) {
    spread_values(sweep, findings);
  } else if (sweep.values.empty()) {
    findings.add(place_of(sweep.places, "values"), "a sweep needs values, or from, to and points");
  }
  if (sweep.series.empty()) sweep.series.push_back({"this scenario", {}});
}

}  // namespace

const FieldTable<SweepSeries>& series_fields() {
  using S = SweepSeries;
  static const FieldTable<S> table = {
      field("label", &S::label, "Name of the line.").required(),
      custom_field<S>("set", "table of \"key.path\" = value", "object", "Settings of this line.", &S::set,
                      read_settings),
  };
  return table;
}

const FieldTable<SweepInput>& sweep_fields() {
  using S = SweepInput;
  static const FieldTable<S> table = {
      field("name", &S::name, "Short name, for files and the command line.").required(),
      field("title", &S::title, "Title of the chart."),
      field("key", &S::key, "Key path that varies, such as \"network.scale_out_rate\".").required(),
      custom_field<S>("values", "array of strings or numbers", "array", "Values of the key.", &S::values,
                      read_scalars),
      field("from", &S::from, "First value, in place of values."),
      field("to", &S::to, "Last value, in place of values."),
      field("points", &S::points, between(1, kMostPoints), "How many values from `from` to `to`."),
      field("quantity", &S::quantity, "Quantity of the plan that is charted (docs/output.md)."),
      field("log_scale", &S::log_scale, "Values are spread, and drawn, on a logarithmic axis."),
      custom_field<S>("series", "array of tables {label, set}", "array", "Lines of the chart.", &S::series,
                      read_series),
  };
  return table;
}

void read_sweeps(std::vector<SweepInput>& sweeps, const Table& document, Findings& findings) {
  for (const Value* element : elements_of(document, "sweep", findings)) {
    SweepInput sweep = read_placed(*element, sweep_fields(), "sweep", findings);
    const Value* values = element->as<Table>()->find("values");
    if (const Array* list = values ? values->as<Array>() : nullptr) {
      SectionPlaces places = *sweep.places;
      for (std::size_t i = 0; i < list->size(); ++i)
        places.keys[fmt::format("values[{}]", i)] = (*list)[i].where();
      sweep.places = std::make_shared<const SectionPlaces>(std::move(places));
    }
    check_sweep(sweep, findings);
    if (const Repeated twice = first_repeated(sweep.values, sweep.key))
      findings.add(place_of_value(sweep, twice.second),
                   fmt::format("sweep.values: {}", twice.complaint(sweep.values)), "once each");
    for (const SweepInput& earlier : sweeps) {
      if (earlier.name == sweep.name)
        findings.add(place_of(sweep.places, "name"), "two sweeps are named '" + sweep.name + "'");
    }
    sweeps.push_back(std::move(sweep));
  }
}

const Location& place_of_value(const SweepInput& sweep, std::size_t value) {
  const Location* given = given_place(sweep.places, fmt::format("values[{}]", value));
  return given ? *given : place_of(sweep.places, sweep.from.empty() ? "values" : "from");
}

}  // namespace trainyard
