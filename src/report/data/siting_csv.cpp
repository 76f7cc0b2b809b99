#include <fmt/core.h>

#include <utility>

#include "report/data/csv.h"
#include "report/data/siting_numbers.h"
#include "trainyard/report/siting.h"
#include "trainyard/siting.h"

namespace trainyard {
namespace {

/// Of the whole run, not of a site.
void add_training(CsvTable& table, const std::optional<TrainingRun>& run) {
  if (!run || !run->infeasible.empty()) {
    table.add_empty(6);
    return;
  }
  table.add(run->exchange).add(as<Seconds>(run->exchange_time)).add(run->added_share);
  table.add(run->hiding_bit_rate());
  table.add(run->duration.count()).add(run->cost());
}

void add_site(CsvTable& table, const std::string& list, std::size_t rank, const Site& s) {
  table.add(list)
      .add(rank)
      .add(s.name)
      .add(s.node.at.lat_deg)
      .add(s.node.at.lon_deg)
      .add(s.node.radius.count());
  table.add(s.node.authority)
      .add(s.state)
      .add(s.available.count())
      .add(count_of(s.spare))
      .add(s.usable.count());
  table.add(count_of(s.price)).add(count_of(s.co2));
  if (s.deliverable) {
    table.add(s.deliverable->intact.count()).add(s.deliverable->producer_lost.count());
  } else {
    table.add_empty(2);
  }
}

void add_split(CsvTable& table, const SplitSite& part, const Split& split) {
  table.add(part.power.count()).add(part.share).add(part.domains).add(part.racks);
  table.add(split.rtt.count()).add(split.cost.count());
  table.add(split.co2_known ? std::optional(split.co2.count()) : std::nullopt);
  table.add(split.joint ? std::optional(split.joint->holds() ? 1 : 0) : std::nullopt);
  add_training(table, split.training);
}

}  // namespace

std::string siting_csv(const SitingPlan& plan) {
  constexpr std::size_t kOfSplit = 14;
  CsvTable table(
      "list,rank,site,lat_deg,lon_deg,radius_km,ba,state,available_mw,spare_mw,usable_mw,price_usd_per_mwh,"
      "co2_kg_per_mwh,deliverable_mw,deliverable_n1_mw,power_mw,share,hb_domains,racks,split_rtt_ms,"
      "split_usd_per_year,split_co2_t_per_year,network_feeds_it,exchange,exchange_s,added_share,"
      "hiding_rate_bps,training_days,training_usd");
  for (std::size_t s = 0; s < plan.singles.size(); ++s) {
    add_site(table, "single", s + 1, plan.singles[s]);
    table.add_empty(kOfSplit).end_row();
  }
  for (const SplitResult& result : plan.splits) {
    for (std::size_t s = 0; s < result.splits.size(); ++s) {
      const Split& split = result.splits[s];
      for (const SplitSite& part : split.sites) {
        add_site(table, fmt::format("split_{}", result.sites), s + 1, plan.places[part.site]);
        add_split(table, part, split);
        table.end_row();
      }
    }
  }
  return std::move(table).text();
}

}  // namespace trainyard
