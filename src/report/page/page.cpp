#include "report/page/page.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/errors.h"
#include "report/drawing/svg.h"
#include "report/page/report_files.h"
#include "trainyard/provenance.h"
#include "trainyard/report/chart.h"

namespace trainyard {
namespace {

std::string_view file_named(std::string_view ending) {
  for (const EmbeddedFile& file : report_files()) {
    if (file.name.ends_with(ending)) return file.text;
  }
  broken_invariant("an embedded file", __FILE__, __LINE__, ending);
}

/// Replaces every {{name}} of the template.
std::string filled(std::string_view text, const std::map<std::string, std::string>& parts) {
  std::string out;
  for (;;) {
    const auto open = text.find("{{");
    if (open == std::string_view::npos) return out += text;
    const auto close = text.find("}}", open);
    const auto part = parts.find(std::string(text.substr(open + 2, close - open - 2)));
    TY_ASSERT(part != parts.end(), text.substr(open, close - open));
    out += text.substr(0, open);
    out += part->second;
    text.remove_prefix(close + 2);
  }
}

nlohmann::json axis_json(const ChartAxis& axis) {
  return {{"label", axis.label}, {"unit", page_unit(axis.unit)}, {"log", axis.log}};
}

nlohmann::json chart_json(const Chart& chart) {
  nlohmann::json lines = nlohmann::json::array();
  for (const ChartLine& line : chart.lines) {
    nlohmann::json points = nlohmann::json::array();
    for (const ChartPoint& p : line.points) {
      points.push_back(
          {{"x", p.x}, {"y", std::isfinite(p.y) ? nlohmann::json(p.y) : nlohmann::json(nullptr)}});
    }
    lines.push_back({{"label", line.label}, {"points", std::move(points)}});
  }
  return {{"title", chart.title},
          {"x", axis_json(chart.x)},
          {"y", axis_json(chart.y)},
          {"lines", std::move(lines)}};
}

std::string script_data(const std::vector<Chart>& charts) {
  nlohmann::json data;
  data["charts"] = nlohmann::json::array();
  for (const Chart& chart : charts) data["charts"].push_back(chart_json(chart));
  return page_json(data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

std::string static_charts(const std::vector<Chart>& charts) {
  std::string out;
  for (const Chart& chart : charts) out += "<div class=\"picture\">" + chart_svg(chart) + "</div>\n";
  return out;
}

}  // namespace

std::string page(const std::string& template_name, std::map<std::string, std::string> parts,
                 const std::vector<Chart>& charts) {
  parts["style"] = file_named("report.css");
  parts["static_charts"] = static_charts(charts);
  parts["data"] = script_data(charts);
  parts["chart_library"] = file_named("chart.min.js");
  parts["script"] = file_named("report.js");
  return filled(file_named(template_name), parts);
}

std::string page_file(const std::string& name) { return std::string(file_named(name)); }

std::string page_json(const std::string& json) {
  std::string out;
  for (const char c : json) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

std::string_view page_unit(Unit unit) {
  switch (unit) {
    case Unit::fraction:
      return "fraction";
    case Unit::seconds:
      return "seconds";
    case Unit::bits_per_second:
      return "bits_per_second";
    case Unit::bytes:
      return "bytes";
    case Unit::joules:
      return "joules";
    case Unit::watts:
      return "watts";
    case Unit::usd:
      return "usd";
    case Unit::flop_per_second:
      return "flop_per_second";
    default:
      return "number";
  }
}

std::string page_cards(const PageFacts& cards) {
  std::string out;
  for (const auto& [label, value] : cards)
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_markup(label), escape_markup(value));
  return out;
}

std::string page_facts(const PageFacts& facts) {
  std::string out;
  for (const auto& [label, value] : facts)
    out += fmt::format("<div class=\"fact\"><span>{}</span><span class=\"value\">{}</span></div>\n",
                       escape_markup(label),
                       value.empty() ? "<span class=\"soft\">default</span>" : escape_markup(value));
  return out;
}

std::string page_footer(const Provenance& p) {
  return escape_markup(
      fmt::format("Trainyard {}, scenario {} ({}), catalog {}. Charts: Chart.js (MIT licence).",
                  p.program_version, p.scenario, p.scenario_hash, p.catalog_version));
}

std::string page_footer(const Scenario& scenario) { return page_footer(provenance_of(scenario)); }

}  // namespace trainyard
