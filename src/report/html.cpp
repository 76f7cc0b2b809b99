#include "report/html.h"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/errors.h"
#include "report/drawings.h"
#include "report/network_drawing.h"
#include "report/network_text.h"
#include "report/report_files.h"
#include "report/svg.h"
#include "scenario/scenario.h"

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

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::fraction:
      return "fraction";
    case Unit::seconds:
      return "seconds";
    case Unit::bits_per_second:
      return "bits_per_second";
    case Unit::bytes:
      return "bytes";
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

nlohmann::json axis_json(const ChartAxis& axis) {
  return {{"label", axis.label}, {"unit", unit_name(axis.unit)}, {"log", axis.log}};
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

/// JSON inside a script element: no "<" may stand in it, so that no text can close the element.
std::string script_data(const std::vector<Chart>& charts) {
  nlohmann::json data;
  data["charts"] = nlohmann::json::array();
  for (const Chart& chart : charts) data["charts"].push_back(chart_json(chart));
  const std::string text = data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string out;
  for (const char c : text) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

template <Dimension D>
std::string show(Quantity<D> q) {
  return format_quantity(q.si(), unit_of<Quantity<D>>());
}
std::string show_share(double s) { return format_quantity(s, Unit::fraction); }
std::string show_many(double n) { return format_quantity(n, Unit::number); }

std::string headline(const Plan& plan) {
  const std::pair<const char*, std::string> cards[] = {
      {"devices", format_quantity(double(plan.facility.devices), Unit::count)},
      {"budget", show(*plan.facility.budget)},
      {"facility power", show(plan.facility.power_high)},
      {"model", show_many(plan.model.parameters.total) + " parameters"},
      {"tensor x pipeline x data",
       fmt::format("{} x {} x {}", plan.mapping.tensor, plan.mapping.pipeline, plan.mapping.data)},
      {"step", show(plan.step.step)},
      {"exposed communication", show_share(plan.step.exposed_share_step)},
      {"model FLOP utilization", show_share(plan.step.mfu)},
      {"training", show(plan.step.days_to_train)},
      {"cost of the run", show(plan.cost.run_cost)},
  };
  std::string out;
  for (const auto& [label, value] : cards) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, escape_markup(value));
  }
  return out;
}

std::string shown_value(const PlanQuantity& q) {
  return q.unit == Unit::none ? q.text : format_quantity(q.value, q.unit);
}

std::string quantity_row(const PlanQuantity& q) {
  std::string more = fmt::format("<code>{}</code>", escape_markup(q.key));
  if (!q.formula.empty()) more += fmt::format("<br>= <code>{}</code>", escape_markup(q.formula));
  if (!q.how.empty()) more += fmt::format("<br>{}", escape_markup(q.how));
  if (!q.source.empty()) more += fmt::format("<br>source: {}", escape_markup(q.source));
  return fmt::format(
      "<details class=\"quantity\"><summary><span>{}</span><span class=\"value\">{}</span></summary>"
      "<div class=\"more\">{}</div></details>\n",
      escape_markup(q.label), escape_markup(shown_value(q)), more);
}

std::string tables(const Plan& plan) {
  const auto quantities = plan_quantities(plan);
  std::string out;
  for (const QuantitySection& section : quantity_sections()) {
    out += fmt::format("<h3>{}</h3><div class=\"quantity-group\">\n", section.title);
    for (const PlanQuantity& q : quantities) {
      if (q.key.starts_with(section.name + ".")) out += quantity_row(q);
    }
    out += "</div>\n";
  }
  return out;
}

/// Parts of a whole as a coloured bar with a key.
std::string stacked_bar(const std::string& title, double whole,
                        const std::vector<std::pair<std::string, double>>& parts, Unit unit) {
  std::string stack;
  std::string key;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto& [name, value] = parts[i];
    if (value <= 0) continue;
    stack += fmt::format("<span style=\"width:{:.3f}%;background:{}\" title=\"{}\"></span>",
                         100 * value / whole, series_colour(i), name);
    key += fmt::format("<span><i style=\"background:{}\"></i>{} {}</span>", series_colour(i), name,
                       escape_markup(format_quantity(value, unit)));
  }
  return fmt::format(
      "<div class=\"bar\"><p>{}</p><div class=\"stack\">{}</div><div class=\"key\">{}</div></div>\n",
      escape_markup(title), stack, key);
}

std::string bars(const Plan& plan) {
  const MemoryTerms& d = plan.mapping.device;
  const StepPlan& s = plan.step;
  const double whole = std::max(plan.mapping.device_memory.si(), d.total().si());
  return stacked_bar(
             fmt::format("Fullest device: {} of {}", show(d.total()), show(plan.mapping.device_memory)),
             whole,
             {{"weights", d.weights.si()},
              {"gradients", d.gradients.si()},
              {"optimizer states", d.optimizer.si()},
              {"activations", d.activations.si()}},
             Unit::bytes) +
         stacked_bar(fmt::format("One layer in steady state: {}", show(s.steady_time)), s.steady_time.si(),
                     {{"forward", s.forward.si()},
                      {"exposed gradients", s.exposed_gradient.si()},
                      {"backward", s.backward.si()},
                      {"tensor", s.exposed_tensor.si()},
                      {"pipeline", s.exposed_pipeline.si()},
                      {"experts", s.exposed_expert.si()},
                      {"context", s.exposed_context.si()},
                      {"weights", s.exposed_weights.si()}},
                     Unit::seconds);
}

std::string warnings(const Plan& plan) {
  std::string out;
  for (const std::string& warning : plan.mapping.warnings) {
    out += fmt::format("<p class=\"warning\">{}</p>\n", escape_markup(warning));
  }
  return out;
}

std::string settings(const Plan& plan) {
  std::string out;
  for (const auto& [key, text] : scenario_settings(plan.scenario)) {
    out += fmt::format("<tr><td><code>{}</code></td><td>{}</td></tr>\n", escape_markup(key),
                       text.empty() ? "<span class=\"soft\">chosen or default</span>" : escape_markup(text));
  }
  return out;
}

std::string networks_section(const std::vector<NetworkAnswer>& networks) {
  if (networks.empty()) return {};
  std::vector<NetworkDesign> designs;
  for (const NetworkAnswer& answer : networks) designs.push_back(answer.design);
  const NetworkTable table = network_table(networks);
  std::string out =
      "<section id=\"networks\"><h2>Networks</h2><p class=\"soft\">One datacenter; a step as the plan's "
      "traffic meets each network.</p><div class=\"picture\">" +
      networks_svg(designs) + "</div><div class=\"scroll\"><table class=\"networks\"><tr><th></th>";
  for (const std::string& name : table.names) out += "<th>" + escape_markup(name) + "</th>";
  out += "</tr>\n";
  for (const NetworkTable::Line& line : table.lines) {
    if (line.label.empty()) continue;
    out += "<tr><td>" + escape_markup(line.label) + "</td>";
    for (const std::string& cell : line.cells) out += "<td>" + escape_markup(cell) + "</td>";
    out += "</tr>\n";
  }
  return out + "</table></div></section>\n";
}

std::string footer(const Plan& plan) {
  const Provenance p = provenance_of(plan.scenario);
  return escape_markup(
      fmt::format("Trainyard {}, scenario {} ({}), catalog {}. Charts: Chart.js (MIT licence).",
                  p.program_version, p.scenario, p.scenario_hash, p.catalog_version));
}

}  // namespace

std::string html_report(const Plan& plan, const std::vector<Chart>& charts,
                        const std::vector<NetworkAnswer>& networks) {
  std::string static_charts;
  for (const Chart& chart : charts)
    static_charts += "<div class=\"picture\">" + chart_svg(chart) + "</div>\n";
  const std::string title = plan.scenario.title.empty() ? plan.scenario.source_name : plan.scenario.title;
  return filled(file_named("report.html"), {{"title", escape_markup(title)},
                                            {"style", std::string(file_named("report.css"))},
                                            {"headline", headline(plan)},
                                            {"warnings", warnings(plan)},
                                            {"placement", placement_svg(plan)},
                                            {"layer", layer_svg(plan)},
                                            {"bars", bars(plan)},
                                            {"networks", networks_section(networks)},
                                            {"static_charts", static_charts},
                                            {"tables", tables(plan)},
                                            {"settings", settings(plan)},
                                            {"footer", footer(plan)},
                                            {"data", script_data(charts)},
                                            {"chart_library", std::string(file_named("chart.min.js"))},
                                            {"script", std::string(file_named("report.js"))}});
}

}  // namespace trainyard
