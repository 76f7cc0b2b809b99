#include "scenario/sweeps.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>

#include "base/fields.h"
#include "scenario/sections.h"
#include "scenario/value_lists.h"
#include "trainyard/printable.h"
#include "trainyard/scenario/sweeps.h"

namespace trainyard {
namespace {

constexpr double kMostPoints = 1e6;
constexpr std::size_t kShownBytes = 60;  // of a value in a message

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
    const Table* table = element.as<Table>();
    if (!table) {
      wrong_type(element, path, "tables {label, set}", findings);
      return false;
    }
    SweepSeries series;
    read_fields(series, *table, series_fields(), path, findings);
    check_required(*table, element.where(), series_fields(), path, findings);
    out.push_back(std::move(series));
  }
  return true;
}

void spread_values(SweepInput& sweep, const Location& where, Findings& findings) {
  NumberWithUnit first;
  NumberWithUnit end;
  const bool valid = split_number(sweep.from, first) && split_number(sweep.to, end);
  if (!valid || first.unit != end.unit) {
    return findings.add(where, fmt::format("from = \"{}\" and to = \"{}\" need a number and the same unit",
                                           sweep.from, sweep.to));
  }
  if (sweep.log_scale && (first.number <= 0 || end.number <= 0)) {
    return findings.add(where, "from and to must be positive when log_scale is true");
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

void check_sweep(SweepInput& sweep, const Location& where, Findings& findings) {
  const bool ranged = !sweep.from.empty() || !sweep.to.empty() || sweep.points > 0;
  if (ranged && !sweep.values.empty())
    return findings.add(where, "a sweep has both values and from/to/points");
  if (ranged && sweep.points < 1) return findings.add(where, "a sweep with from and to needs points");
  if (ranged) spread_values(sweep, where, findings);
  if (sweep.values.empty()) findings.add(where, "a sweep needs values, or from, to and points");
  std::set<std::string_view> seen;
  for (const std::string& value : sweep.values) {
    if (!seen.insert(value).second)
      return findings.add(where, fmt::format("sweep.values: {} stands twice", elided(value, kShownBytes)),
                          "once each");
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
  const Value* value = document.find("sweep");
  if (!value) return;
  const Array* array = value->as<Array>();
  if (!array) return wrong_type(*value, "sweep", "an array of tables: [[sweep]]", findings);
  for (const Value& element : *array) {
    const Table* table = element.as<Table>();
    if (!table) return wrong_type(element, "sweep", "a table", findings);
    SweepInput sweep;
    read_fields(sweep, *table, sweep_fields(), "sweep", findings);
    check_required(*table, element.where(), sweep_fields(), "sweep", findings);
    check_sweep(sweep, element.where(), findings);
    for (const SweepInput& earlier : sweeps) {
      if (earlier.name == sweep.name)
        findings.add(element.where(), "two sweeps are named '" + sweep.name + "'");
    }
    sweeps.push_back(std::move(sweep));
  }
}

}  // namespace trainyard
