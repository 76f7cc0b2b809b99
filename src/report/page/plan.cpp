#include "trainyard/report/plan.h"

#include <fmt/core.h>

#include "report/data/exposed_words.h"
#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "report/page/network_parts.h"
#include "report/page/page.h"
#include "report/page/plan_parts.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/planning.h"
#include "trainyard/quantities.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/networks.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

/// What multiplies to the devices, and of mixtures the group that is out of them.
std::pair<std::string, std::string> groups_fact(const MappingPlan& m) {
  std::string names = "tensor x pipeline";
  std::string sizes = fmt::format("{} x {}", m.tensor, m.pipeline);
  if (m.context > 1) {
    names += " x context";
    sizes += fmt::format(" x {}", m.context);
  }
  names += " x data";
  sizes += fmt::format(" x {}", m.data);
  if (m.expert > 1) {
    names += "; expert";
    sizes += fmt::format("; {}", m.expert);
  }
  return {names, sizes};
}

PageFacts headline(const Plan& plan) {
  return {
      {"devices", show_count(plan.facility.devices)},
      {"budget", show(*plan.facility.budget)},
      {"facility power", show(plan.facility.power_high)},
      {"model", show_many(plan.model.parameters.total) + " parameters"},
      groups_fact(plan.mapping),
      {"step", show(plan.step.step) + margin_text(plan.step.step_interval)},
      {"exposed communication", exposed_with_interval(plan.step.step_interval, plan.step.exposed_share_step)},
      {"model FLOP utilization", show_share(plan.step.mfu)},
      {"training", show(plan.step.days_to_train)},
      {"cost of the run", show(plan.cost.run_cost)},
  };
}

std::string quantity_row(const PlanQuantity& q) {
  std::string more = fmt::format("<code>{}</code>", escape_markup(q.key));
  if (!q.formula.empty()) more += fmt::format("<br>= <code>{}</code>", escape_markup(q.formula));
  if (!q.how.empty()) more += fmt::format("<br>{}", escape_markup(q.how));
  if (!q.source.empty()) more += fmt::format("<br>source: {}", escape_markup(q.source));
  return fmt::format(
      "<details class=\"quantity\"><summary><span>{}</span><span class=\"value\">{}</span></summary>"
      "<div class=\"more\">{}</div></details>\n",
      escape_markup(q.label), escape_markup(shown_quantity(q)), more);
}

std::string tables(const Plan& plan) {
  const auto quantities = plan_quantities(plan);
  std::string out;
  for (const QuantitySection& section : quantity_sections()) {
    out += fmt::format("<h3>{}</h3><div class=\"quantity-group\">\n", section.title);
    for (const PlanQuantity& q : quantities) {
      if (q.section() == section.name) out += quantity_row(q);
    }
    out += "</div>\n";
  }
  return out;
}

std::string bars(const Plan& plan) {
  const MemoryTerms& d = plan.mapping.device;
  const StepPlan& s = plan.step;
  const double whole = std::max(plan.mapping.device_memory.si(), d.total().si());
  return page_bar(fmt::format("Fullest device: {} of {}", show(d.total()), show(plan.mapping.device_memory)),
                  whole, memory_parts(d), Unit::bytes) +
         page_bar(fmt::format("One layer in steady state: {}", show(s.steady_time)), s.steady_time.si(),
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
  return "<section id=\"networks\"><h2>Networks</h2><p class=\"soft\">One datacenter; a step as the plan's "
         "traffic meets each network.</p><div class=\"picture\">" +
         networks_svg(designs) + "</div>" + network_comparison(networks) + "</section>\n";
}

}  // namespace

std::string plan_page(const Plan& plan, const std::vector<Chart>& charts,
                      const std::vector<NetworkAnswer>& networks) {
  return page("plan",
              {.kind = "plan",
               .title = page_title(plan.scenario),
               .cards = headline(plan),
               .footer = page_footer(plan.scenario)},
              {{"warnings", warnings(plan)},
               {"placement", placement_svg(plan)},
               {"layer", layer_svg(plan)},
               {"bars", bars(plan)},
               {"networks", networks_section(networks)},
               {"tables", tables(plan)},
               {"settings", settings(plan)}},
              charts);
}

std::string plan_page(const Plan& plan, const std::vector<SweepResult>& sweeps) {
  std::vector<NetworkAnswer> networks;
  if (!plan.scenario.designs.empty()) networks = answer_networks(plan.scenario);
  std::vector<Chart> charts = {scaling_chart(scaling_curves(plan.scaling.rate))};
  for (const SweepResult& sweep : sweeps) charts.push_back(sweep_chart(sweep));
  return plan_page(plan, charts, networks);
}

}  // namespace trainyard
