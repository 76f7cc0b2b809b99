#include "report/page/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/errors.h"
#include "report/drawing/svg.h"
#include "report/page/report_files.h"
#include "trainyard/provenance.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/chart.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

/// Nothing when there is none.
std::string_view optional_file(std::string_view name) {
  for (const EmbeddedFile& file : report_files()) {
    if (file.name == name || file.name.ends_with("/" + std::string(name))) return file.text;
  }
  return {};
}

std::string_view file_named(std::string_view name) {
  const std::string_view text = optional_file(name);
  TY_ASSERT(!text.empty(), name);
  return text;
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

nlohmann::json point_json(const ChartPoint& p) {
  nlohmann::json out = {{"x", p.x},
                        {"y", std::isfinite(p.y) ? nlohmann::json(p.y) : nlohmann::json(nullptr)}};
  if (p.bar) {
    out["low"] = p.bar->low;
    out["high"] = p.bar->high;
  }
  if (!p.label.empty()) out["label"] = p.label;
  return out;
}

nlohmann::json chart_json(const Chart& chart) {
  nlohmann::json lines = nlohmann::json::array();
  for (const ChartLine& line : chart.lines) {
    nlohmann::json points = nlohmann::json::array();
    for (const ChartPoint& p : line.points) points.push_back(point_json(p));
    lines.push_back({{"label", line.label}, {"joined", line.joined}, {"points", std::move(points)}});
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

std::string page(const std::string& name, const PageFrame& frame, std::map<std::string, std::string> parts,
                 const std::vector<Chart>& charts) {
  parts["static_charts"] = static_charts(charts);
  const std::string subject = escape_markup(frame.subject);
  const std::string own_script(optional_file(name + ".js"));
  const std::string title = escape_markup(frame.title);
  return filled(file_named("frame.html"),
                {{"title", title},
                 {"kind", frame.kind},
                 {"subject", subject.empty() ? "" : "<p class=\"soft\">" + subject + "</p>\n"},
                 {"headline", page_cards(frame.cards)},
                 {"remarks", frame.remarks},
                 {"footer", frame.footer},
                 {"sections", filled(file_named(name + ".html"), parts)},
                 {"style", std::string(file_named("report.css"))},
                 {"own_style", std::string(optional_file(name + ".css"))},
                 {"print_style", std::string(file_named("print.css"))},
                 {"data", script_data(charts)},
                 {"chart_library", frame.charts ? std::string(file_named("chart.min.js")) : ""},
                 {"script", std::string(file_named("report.js"))},
                 {"own_script", own_script.empty() ? "" : "<script>" + own_script + "</script>\n"}});
}

std::string page_title(const Scenario& scenario) {
  return scenario.title.empty() ? scenario.source_name : scenario.title;
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

PageFacts page_settings(const Scenario& scenario, std::initializer_list<std::string_view> starts,
                        LeftOut left_out) {
  PageFacts out;
  for (const auto& [key, text] : scenario_settings(scenario)) {
    const bool wanted = std::any_of(starts.begin(), starts.end(),
                                    [&key = key](std::string_view start) { return key.starts_with(start); });
    if (wanted && (!text.empty() || left_out == LeftOut::shown)) out.emplace_back(key, text);
  }
  return out;
}

std::string page_bar(const std::string& title, double whole, const PageParts& parts, Unit unit) {
  std::string stack;
  std::string key;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [name, value] = parts[i];
    if (value <= 0) continue;
    stack += fmt::format("<span style=\"width:{:.3f}%;background:{}\" title=\"{}\"></span>",
                         100 * value / whole, series_colour(i), escape_markup(name));
    key += fmt::format("<span><i style=\"background:{}\"></i>{} {}</span>", series_colour(i),
                       escape_markup(name), escape_markup(format_quantity(value, unit)));
  }
  return fmt::format(
      "<div class=\"bar\"><p>{}</p><div class=\"stack\">{}</div><div class=\"key\">{}</div></div>\n",
      escape_markup(title), stack, key);
}

std::string chart_section(const std::string& title, const std::vector<Chart>& charts) {
  if (charts.empty()) return {};
  return fmt::format(
      "<section id=\"charts\"><h2>{}</h2><div id=\"chart-list\"></div><noscript>{}</noscript></section>\n",
      escape_markup(title), static_charts(charts));
}

std::string page_footer(const Provenance& p) {
  return escape_markup(
      fmt::format("Trainyard {}, scenario {} ({}), catalog {}. Charts: Chart.js (MIT licence).",
                  p.program_version, p.scenario, p.scenario_hash, p.catalog_version));
}

std::string page_footer(const Scenario& scenario) { return page_footer(provenance_of(scenario)); }

}  // namespace trainyard
