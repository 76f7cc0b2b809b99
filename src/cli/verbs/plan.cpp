// plan: a datacenter and its training run.
#include "trainyard/report/plan.h"

#include "cli/loading.h"
#include "cli/offers.h"
#include "cli/sweeps.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/quantities.h"
#include "trainyard/quantity_text.h"
#include "trainyard/ranks.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct PlanOptions : ScenarioOptions {
  std::string report;   // --report FILE
  std::string explain;  // --explain QUANTITY
  bool explains = false;
  std::string placement_svg;
  std::string layer_svg;
};

void declare_plan(Flags& flags, PlanOptions& options) {
  flags.scenario(options);
  const Flag report = flags.option("--report", options.report, "write a self-contained HTML report").writes();
  const Flag placement =
      flags.option("--placement-svg", options.placement_svg, "draw which stage stands in which HB domain")
          .writes();
  const Flag layer =
      flags.option("--layer-svg", options.layer_svg, "draw one layer's forward and backward pass to scale")
          .writes();
  flags
      .option("--explain", options.explain,
              "the formula of a quantity with the numbers filled in; alone, the quantities of the plan")
      .called("QUANTITY")
      .offers(quantity_names)
      .may_be_bare(options.explains)
      .excludes({report, placement, layer});
}

/// What can be explained.
TextTable quantities_table(const std::vector<PlanQuantity>& quantities) {
  TextTable table{{"quantity", "value", "what"}, {}};
  for (const PlanQuantity& q : quantities) {
    const std::string value = !q.known               ? "unknown"
                              : q.unit == Unit::none ? q.text
                                                     : format_quantity(q.value, q.unit);
    table.rows.push_back({q.key, value, q.label});
  }
  return table;
}

std::string explanation(const PlanOptions& options, const Plan& plan) {
  const auto quantities = plan_quantities(plan);
  if (options.explain.empty()) return in_format(quantities_table(quantities), options.format);
  if (options.format == Format::json) return explain_json(quantities, options.explain);
  if (options.format == Format::csv) fail_input(whole("--explain"), "has no CSV", "the text, or --json");
  return explain(quantities, options.explain);
}

std::string run_plan(const PlanOptions& options, Ranks* ranks) {
  const ScenarioText text = load(options);
  const Plan plan = plan_as_stated(text.resolve());
  if (ranks && !ranks->leads()) {
    if (!options.report.empty()) run_all(text, plan.scenario.sweeps, plan, ranks);
    return {};
  }
  if (options.explains) return explanation(options, plan);
  if (!options.placement_svg.empty())
    write_announced("placement", options.placement_svg, placement_svg(plan));
  if (!options.layer_svg.empty()) write_announced("layer", options.layer_svg, layer_svg(plan));
  if (!options.report.empty()) {
    write_announced("report", options.report,
                    plan_page(plan, run_all(text, plan.scenario.sweeps, plan, ranks)));
  }
  switch (options.format) {
    case Format::json:
      return plan_json(plan);
    case Format::csv:
      return plan_csv(plan);
    case Format::text:
      return plan_text(plan);
  }
  return {};
}

}  // namespace

Verb plan_verb() {
  return make_verb("plan", "plan a datacenter and its training run", declare_plan, run_plan);
}

}  // namespace trainyard
