#include "trainyard/report/rail.h"

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/data/rail_quantities.h"
#include "trainyard/provenance.h"
#include "trainyard/rail.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

Json point_json(const RailPoint& p) {
  return {{"gpus", p.gpus},
          {"domain", p.domain},
          {"batch_tokens", p.batch_tokens},
          {"model_group", p.iteration.model_group},
          {"compute_s", p.iteration.compute.si()},
          {"across_s", p.iteration.across.si()},
          {"inside_s", p.iteration.inside.si()},
          {"model_s", p.iteration.model.si()},
          {"iteration_s", p.iteration.total().si()},
          {"ideal_s", p.ideal.si()},
          {"relative_performance", p.relative_performance()}};
}

Json points_json(const std::vector<RailPoint>& points) {
  Json out = Json::array();
  for (const RailPoint& p : points) out.push_back(point_json(p));
  return out;
}

void add_rows(CsvTable& table, const char* figure, const std::vector<RailPoint>& points) {
  for (const RailPoint& p : points)
    table.row(figure, p.gpus, p.domain, p.batch_tokens, p.iteration.model_group, p.iteration.compute,
              p.iteration.across, p.iteration.inside, p.iteration.model, p.iteration.total(), p.ideal,
              p.relative_performance());
}

}  // namespace

std::string rail_json(const Scenario& scenario) {
  const RailAnalysis a = analyse_rail(scenario);
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  for (const PlanQuantity& q : rail_quantities(scenario)) {
    json[q.section()][q.name()] = q.value;
  }
  json["by_domain"] = points_json(a.by_domain);
  json["by_batch"] = points_json(a.by_batch);
  return dumped(json);
}

std::string rail_csv(const Scenario& scenario) {
  const RailAnalysis a = analyse_rail(scenario);
  CsvTable table(
      "figure,gpus,domain,batch_tokens,model_group,compute_s,across_s,inside_s,model_s,iteration_s,ideal_s,"
      "relative_performance");
  add_rows(table, "by_domain", a.by_domain);
  add_rows(table, "by_batch", a.by_batch);
  return std::move(table).text();
}

std::string traffic_json(const TrafficSummary& s, const Provenance& provenance) {
  Json json;
  json["provenance"] = provenance_json(provenance);
  json["devices"] = s.devices;
  json["pairs"] = s.pairs;
  json["volume_bytes"] = s.volume.si();
  json["silent_pair_share"] = s.silent_pair_share;
  json["domain_pair_share"] = s.domain_pair_share;
  json["domain_volume_share"] = s.domain_volume_share;
  json["classes"] = Json::array();
  for (const TrafficShare& c : s.classes) {
    json["classes"].push_back({{"name", c.name},
                               {"in_domain", c.in_domain},
                               {"pairs", c.pairs},
                               {"pair_bytes", c.pair.si()},
                               {"volume_bytes", c.volume.si()},
                               {"pair_share", c.pair_share},
                               {"volume_share", c.volume_share}});
  }
  return dumped(json);
}

std::string traffic_csv(const TrafficSummary& s) {
  CsvTable table("name,in_domain,pairs,pair_bytes,volume_bytes,pair_share,volume_share");
  for (const TrafficShare& c : s.classes)
    table.row(c.name, c.in_domain, c.pairs, c.pair, c.volume, c.pair_share, c.volume_share);
  return std::move(table).text();
}

}  // namespace trainyard
