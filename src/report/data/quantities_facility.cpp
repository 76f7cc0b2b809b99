#include "catalog/catalog.h"
#include "catalog/choices.h"
#include "report/data/quantity_list.h"
#include "trainyard/catalog.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

void add_rates(QuantityList& list, const FacilityPlan& f, const Accelerator& accelerator) {
  for (const Choice<Precision>& choice : Choices<Precision>::kAll) {
    const std::string name(choice.name);
    if (const auto& rate = accelerator.dense.at(choice.value)) {
      list.add("device_dense_" + name, name + " of a device, dense", *rate,
               {.source = accelerator.info.source});
      list.add("dense_" + name, name + " of all devices, dense", *f.dense.at(choice.value),
               {.formula = "facility.devices * facility.device_dense_" + name + "_flop_per_s"});
    }
    if (const auto& rate = accelerator.sparse.at(choice.value)) {
      list.add("device_sparse_" + name, name + " of a device, sparse", *rate,
               {.source = accelerator.info.source});
      list.add("sparse_" + name, name + " of all devices, sparse", *f.sparse.at(choice.value),
               {.formula = "facility.devices * facility.device_sparse_" + name + "_flop_per_s"});
    }
  }
}

void add_power(QuantityList& list, const FacilityPlan& f, const FacilityInput& input) {
  const std::string section = "HotNets '24 section 2";
  list.fraction("overhead_power_share", "power of storage and network over compute",
                input.overhead_power_share, {.source = section});
  list.number("pue_low", "PUE, low", input.pue_low, {.source = section});
  list.number("pue_high", "PUE, high", input.pue_high, {.source = section});
  list.add("power_compute", "power of the HB domains", f.power_compute,
           {"facility.domains * facility.domain_power_w", section});
  list.add("power_overhead", "power of storage and network", f.power_overhead,
           {"facility.power_compute_w * facility.overhead_power_share", section});
  list.add("power_it", "IT power", f.power_it,
           {"facility.power_compute_w + facility.power_overhead_w", section});
  list.add("power_low", "facility power at the low PUE", f.power_low,
           {"facility.power_it_w * facility.pue_low", section});
  list.add("power_high", "facility power at the high PUE", f.power_high,
           {"facility.power_it_w * facility.pue_high", section});
}

std::string domains_formula(const FacilityInput& input) {
  if (input.budget) return "floor(facility.budget_usd * facility.compute_share / facility.domain_price_usd)";
  if (input.power_limit) {
    return "floor(facility.power_limit_w / (facility.domain_power_w * (1 + facility.overhead_power_share) * "
           "facility.pue_high))";
  }
  return "ceil(facility.devices_asked / facility.domain_devices)";
}

}  // namespace

void add_facility(std::vector<PlanQuantity>& out, const Plan& plan) {
  const FacilityPlan& f = plan.facility;
  const FacilityInput& input = plan.scenario.facility;
  const HbDomain& domain = plan.scenario.catalog->hb_domains.at(input.hb_domain);
  QuantityList list(out, "facility");
  list.text("hb_domain", "HB domain", plan.hb_domain, {.source = domain.info.source});
  list.text("accelerator", "accelerator", plan.accelerator);
  if (input.power_limit) list.add("power_limit", "power limit", *input.power_limit);
  if (input.devices) list.count("devices_asked", "devices asked for", *input.devices);
  list.fraction("compute_share", "budget share of compute", input.compute_share,
                {.source = "HotNets '24 section 2"});
  list.fraction("network_share", "budget share of the network", input.network_share,
                {.source = "HotNets '24 section 6.1"});
  list.add("domain_price", "price of an HB domain", f.domain_price, {.source = domain.info.source});
  list.add("domain_power", "power of an HB domain", f.domain_power, {.source = domain.info.source});
  list.count("domain_devices", "devices of an HB domain", f.domain_devices, {.source = domain.info.source});
  list.number("domain_racks", "racks of an HB domain", domain.racks, {.source = domain.info.source});
  list.add("budget", "budget", *f.budget,
           {.formula = input.budget ? "" : "facility.compute_cost_usd / facility.compute_share"});
  list.count("domains", "HB domains", plan.facility.domains,
             {domains_formula(input), "HotNets '24 section 2"});
  list.number("racks", "racks", f.racks, {.formula = "facility.domains * facility.domain_racks"});
  list.count("devices", "devices", f.devices, {.formula = "facility.domains * facility.domain_devices"});
  list.count("datacenters", "datacenters", f.datacenters);
  list.add("compute_cost", "price of the HB domains", f.compute_cost,
           {.formula = "facility.domains * facility.domain_price_usd"});
  list.add("network_budget", "budget of the network", f.network_budget,
           {.formula = "facility.budget_usd * facility.network_share"});
  list.add("other_budget", "rest of the budget", f.other_budget,
           {.formula = "facility.budget_usd * (1 - facility.compute_share - facility.network_share)"});
  add_rates(list, f, plan.scenario.catalog->accelerators.at(domain.accelerator));
  add_power(list, f, input);
}

void add_cost(std::vector<PlanQuantity>& out, const Plan& plan) {
  const CostPlan& c = plan.cost;
  const PriceModel& prices = plan.scenario.catalog->prices.at(plan.scenario.facility.prices);
  QuantityList list(out, "cost");
  list.fraction("load", "mean power over full-load power", plan.scenario.facility.load);
  list.add("electricity_price", "price of electricity", c.electricity_price, {.source = prices.info.source});
  list.add("mean_power", "mean facility power", c.mean_power,
           {.formula = "facility.power_high_w * cost.load"});
  list.add("energy", "energy of the training run", c.energy,
           {.formula = "cost.mean_power_w * step.days_to_train_s"});
  list.add("energy_cost", "cost of that energy", c.energy_cost,
           {.formula = "cost.energy_j * cost.electricity_price_usd_per_j"});
  list.add("capital_cost", "share of the budget written off meanwhile", c.capital_cost,
           {.how = "budget x training time / depreciation time"});
  list.add("run", "cost of the training run", c.run_cost,
           {.formula = "cost.energy_cost_usd + cost.capital_cost_usd"});
  list.add("per_million_tokens", "cost of a million tokens", c.per_million_tokens,
           {.formula = "cost.run_usd * 1000000 / step.tokens"});
  list.add("energy_per_token", "energy of a token", c.energy_per_token,
           {.formula = "cost.energy_j / step.tokens"});
}

}  // namespace trainyard
