#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/provenance_json.h"
#include "report/rail_quantities.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string show(Seconds time) { return format_quantity(time.si(), Unit::seconds); }
std::string show_share(double share) { return format_quantity(share, Unit::fraction); }
std::string show_count(double count) { return format_quantity(count, Unit::count); }

std::string point_row(const RailPoint& p) {
  return fmt::format("   {:>8} {:>6} {:>11} {:>6} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9}\n",
                     show_count(p.gpus), p.domain, show_count(p.batch_tokens), p.iteration.model_group,
                     show(p.iteration.compute), show(p.iteration.across), show(p.iteration.inside),
                     show(p.iteration.model), show(p.iteration.total()), show(p.ideal),
                     show_share(p.relative_performance()));
}

std::string points_text(const std::string& title, const std::vector<RailPoint>& points) {
  std::string out = fmt::format(
      "\n{}\n   {:>8} {:>6} {:>11} {:>6} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>9}\n", title, "GPUs",
      "K", "batch", "N_M", "compute", "across", "inside", "model", "iteration", "ideal", "relative");
  for (const RailPoint& p : points) out += point_row(p);
  return out;
}

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

}  // namespace

std::string rail_text(const Scenario& scenario) {
  const RailAnalysis a = analyse_rail(scenario);
  const RailCase& r = a.rail;
  std::string out = fmt::format("{}\n\nHB domains of {} in a cluster of {} GPUs, batches of {} tokens\n",
                                scenario.title, r.domain, show_count(r.gpus), show_count(r.batch_tokens));
  out += fmt::format(
      "   {:<28}{} best of the divisors of K; {:.2f} by equation 2 as printed, {:.2f} where the derivative "
      "vanishes\n",
      "model-parallel group (N_M)", a.best.model_group, a.printed_group, a.stationary_group);
  out += fmt::format("   {:<28}{} = compute {} + across {} + inside {} + model {}\n",
                     "iteration (equation 1)", show(a.best.total()), show(a.best.compute),
                     show(a.best.across), show(a.best.inside), show(a.best.model));
  out += fmt::format("   {:<28}{} (equation 3): {:.3f} times as fast; B_F / B_S = {:.4g}\n",
                     "one HB network for all", show(a.ideal), a.best.total() / a.ideal, a.bandwidth_ratio);
  out += fmt::format("   {:<28}{} for {} tokens at perfect utilization\n", "training", show(a.days_to_train),
                     show_count(a.tokens));
  out += points_text("Iteration time over HB-domain size (Fig. 7)", a.by_domain);
  if (!a.by_batch.empty()) out += points_text("Iteration time over batch size (Fig. 8)", a.by_batch);
  return out + "\n" + traffic_text(summarize(traffic_of(r, a.best.model_group)));
}

std::string rail_json(const Scenario& scenario) {
  const RailAnalysis a = analyse_rail(scenario);
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  for (const PlanQuantity& q : rail_quantities(scenario)) {
    const auto dot = q.key.find('.');
    json[q.key.substr(0, dot)][q.key.substr(dot + 1)] = q.value;
  }
  json["by_domain"] = points_json(a.by_domain);
  json["by_batch"] = points_json(a.by_batch);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string rail_csv(const Scenario& scenario) {
  const RailAnalysis a = analyse_rail(scenario);
  std::string out =
      "figure,gpus,domain,batch_tokens,model_group,compute_s,across_s,inside_s,model_s,iteration_s,ideal_s,"
      "relative_performance\n";
  const auto add = [&](const char* figure, const std::vector<RailPoint>& points) {
    for (const RailPoint& p : points) {
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", figure, p.gpus, p.domain, p.batch_tokens,
                         p.iteration.model_group, p.iteration.compute.si(), p.iteration.across.si(),
                         p.iteration.inside.si(), p.iteration.model.si(), p.iteration.total().si(),
                         p.ideal.si(), p.relative_performance());
    }
  };
  add("by_domain", a.by_domain);
  add("by_batch", a.by_batch);
  return out;
}

std::string traffic_text(const TrafficSummary& s) {
  std::string out = fmt::format("Traffic of a batch between {} devices: {} in all\n", show_count(s.devices),
                                format_quantity(s.volume.si(), Unit::bytes));
  out += fmt::format("   {:<36}{:>12} {:>11} {:>11} {:>11} {:>11}\n", "kind", "pairs", "of pairs", "a pair",
                     "volume", "of volume");
  for (const TrafficShare& c : s.classes) {
    out += fmt::format("   {:<36}{:>12} {:>11} {:>11} {:>11} {:>11}{}\n", c.name, show_count(c.pairs),
                       show_share(c.pair_share), format_quantity(c.pair.si(), Unit::bytes),
                       format_quantity(c.volume.si(), Unit::bytes), show_share(c.volume_share),
                       c.in_domain ? "  in HB domains" : "");
  }
  out += fmt::format(
      "   {} of the pairs exchange nothing; {} exchange inside HB domains, with {} of the bytes\n",
      show_share(s.silent_pair_share), show_share(s.domain_pair_share), show_share(s.domain_volume_share));
  return out;
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string traffic_csv(const TrafficSummary& s) {
  std::string out = "name,in_domain,pairs,pair_bytes,volume_bytes,pair_share,volume_share\n";
  for (const TrafficShare& c : s.classes) {
    out += fmt::format("{},{},{},{},{},{},{}\n", csv_field(c.name), c.in_domain, c.pairs, c.pair.si(),
                       c.volume.si(), c.pair_share, c.volume_share);
  }
  return out;
}

}  // namespace trainyard
