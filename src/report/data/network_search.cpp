#include "trainyard/network_search.h"

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/data/mapping_words.h"
#include "scenario/choices/designs.h"
#include "scenario/choices/mapping.h"
#include "trainyard/report/networks.h"

namespace trainyard {
namespace {

Json chosen_mapping_json(const MappingInput& m) {
  return {{"tensor", m.tensor.value_or(1)},
          {"pipeline", m.pipeline.value_or(1)},
          {"data", m.data.value_or(1)},
          {"context", m.context},
          {"expert", m.expert},
          {"expert_tensor", m.expert_tensor.value_or(m.tensor.value_or(1))},
          {"virtual_stages", m.virtual_stages},
          {"microbatch", m.microbatch},
          {"zero_stage", m.zero_stage},
          {"recompute", choice_name(m.recompute)},
          {"placement", choice_name(m.placement)}};
}

Json choice_json(const NetworkChoice& c) {
  Json out = {
      {"name", c.input.name},
      {"topology", choice_name(c.input.topology)},
      {"switch", c.input.switch_name},
      {"planes", c.input.planes},
      {"rails", c.input.rails.value_or(1)},
      {"rails_per_switch", c.input.rails_per_switch ? Json(*c.input.rails_per_switch) : Json(nullptr)},
      {"tiers", c.tiers},
      {"oversubscription", c.input.oversubscription},
      {"switches", c.chips},
      {"price_usd", c.score.price.si()},
      {"power_w", c.score.power.si()},
      {"exposed_share", c.exposed_share},
      {"lost_share", c.score.lost_share},
      {"domain_kept", c.score.kept},
      {"pipeline_share", c.shares.pipeline},
      {"gradient_share", c.shares.gradient},
      {"expert_share", c.shares.expert},
      {"weights_share", c.shares.weights},
      {"all_to_all_share", c.carries.all_to_all},
      {"permutation_share", c.carries.permutation ? Json(*c.carries.permutation) : Json(nullptr)},
      {"shifted_share", c.carries.shifted},
      {"failed_speed_share", c.carries.failed}};
  if (c.mapping) out["mapping"] = chosen_mapping_json(*c.mapping);
  return out;
}

Json optional_choice(const std::optional<NetworkChoice>& choice) {
  return choice ? choice_json(*choice) : Json(nullptr);
}

Json requirements_json(const NetworkSearch& search) {
  Json out = Json::array();
  for (const NetworkRequirement& r : search.requirements) {
    out.push_back({{"key", "optimize." + r.key},
                   {"title", r.title},
                   {"least", r.least},
                   {"carried", r.carried},
                   {"binds", r.without.has_value()},
                   {"without", optional_choice(r.without)}});
  }
  return out;
}

}  // namespace

std::string network_search_json(const NetworkSearch& search, const Provenance& provenance) {
  Json front = Json::array();
  for (const FrontMember& member : search.front) {
    Json one = choice_json(member.choice);
    Json neighbours = Json::array();
    for (const NetworkNeighbour& n : member.neighbours)
      neighbours.push_back({{"change", n.change},
                            {"name", n.choice.input.name},
                            {"on_front", n.on_front},
                            {"verdict", n.verdict}});
    one["neighbours"] = neighbours;
    front.push_back(std::move(one));
  }
  Json tolerated = Json::array();
  for (const ToleratedNetwork& t : search.tolerated) {
    Json one = choice_json(t.choice);
    one["beyond_least_lost_share"] = t.beyond;
    tolerated.push_back(std::move(one));
  }
  Json json = {{"tried", search.tried},
               {"possible", search.possible},
               {"tolerance", search.tolerance},
               {"best", search.best},
               {"requirements", requirements_json(search)},
               {"without_any_requirement", optional_choice(search.without_any)},
               {"tolerated", tolerated},
               {"front", front},
               {"best_full_bisection", optional_choice(search.best_full)},
               {"best_any_to_any", optional_choice(search.best_any)},
               {"fewest_rails", optional_choice(search.fewest_rails)},
               {"fewer_rails", optional_choice(search.fewer_rails)}};
  json["provenance"] = provenance_json(provenance);
  return dumped(json);
}

std::string network_search_csv(const NetworkSearch& search) {
  const bool mapped = search.front[search.best].choice.mapping.has_value();
  std::string header =
      "name,topology,switch,planes,rails,tiers,switches,price_usd,power_w,exposed_share,lost_share,domain_"
      "kept,best,all_"
      "to_all_share,"
      "permutation_share,shifted_share,failed_speed_share";
  CsvTable table(mapped ? header + ",mapping" : header);
  for (std::size_t i = 0; i < search.front.size(); ++i) {
    const NetworkChoice& c = search.front[i].choice;
    const auto row = [&](const auto&... mapping) {
      table.row(c.input.name, choice_name(c.input.topology), c.input.switch_name, c.input.planes,
                c.input.rails.value_or(1), c.tiers, c.chips, c.score.price, c.score.power, c.exposed_share,
                c.score.lost_share, c.score.kept, i == search.best, c.carries.all_to_all,
                c.carries.permutation, c.carries.shifted, c.carries.failed, mapping...);
    };
    c.mapping ? row(mapping_text(*c.mapping)) : row();
  }
  return std::move(table).text();
}

}  // namespace trainyard
