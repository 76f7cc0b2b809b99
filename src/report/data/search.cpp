#include "trainyard/report/search.h"

#include "base/finite.h"
#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/data/search_sensitivity.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

Json settings_json(const SearchResult& result, const SearchPoint& point) {
  Json out = Json::object();
  for (std::size_t s = 0; s < result.space.size(); ++s)
    out[result.space[s].key] = setting_json(result.space[s].values[point.choice[s]]);
  return out;
}

Json point_json(const SearchAnswer& answer, const SearchResult& result, const SearchPoint& point) {
  Json objectives = Json::object();
  for (std::size_t i = 0; i < point.objectives.size(); ++i)
    objectives[answer.question.objectives[i].key()] = point.objectives[i];
  Json limited = Json::object();
  for (std::size_t i = 0; i < point.limited.size(); ++i)
    limited[answer.question.limits[i].measure.key()] = or_null(if_any(point.limited[i]));
  return {{"settings", settings_json(result, point)}, {"objectives", objectives}, {"limits", limited}};
}

Json space_json(const SearchResult& result) {
  Json settings = Json::array();
  for (std::size_t s = 0; s < result.space.size(); ++s) {
    Json values = Json::array();
    for (std::size_t v = 0; v < result.space[s].values.size(); ++v)
      values.push_back({{"value", setting_json(result.space[s].values[v])},
                        {"best", or_null(result.worth[s][v].objective)}});
    settings.push_back({{"key", result.space[s].key}, {"values", std::move(values)}});
  }
  constexpr double kWhole = 9007199254740992.0;  // 2^53: beyond it, not every whole number is a double
  const bool counted = result.size < kWhole;
  return {{"points", counted ? Json(static_cast<std::uint64_t>(result.size)) : Json(result.size)},
          {"settings", std::move(settings)}};
}

Json objective_json(const SearchMeasure& measure) {
  return {{"name", measure.name},
          {"label", measure.label},
          {"unit", base_unit_name(measure.unit)},
          {"goal", measure.largest ? "largest" : "smallest"}};
}

Json limit_json(const SearchQuestion& question, const SearchResult& result, std::size_t i) {
  const SearchLimit& limit = question.limits[i];
  Json out = {{"key", limit.measure.key()},
              {"limit", limit.text},
              {"at_most", limit.at_most},
              {"bound", limit.bound},
              {"unit", base_unit_name(limit.measure.unit)}};
  if (result.ranked.empty()) {
    out["points_beyond"] = result.losses.beyond[i];
    out["closest"] = or_null(result.losses.closest[i]);
  }
  return out;
}

/// Why there is no answer; what is lost beside answers depends on what was pruned.
Json losses_json(const SearchLosses& losses) {
  Json reasons = Json::array();
  for (const LossReason& reason : losses.reasons)
    reasons.push_back({{"points", reason.points}, {"example", reason.example}, {"help", reason.help}});
  return {{"refused", losses.refused},
          {"refusal", losses.refusal},
          {"infeasible", losses.infeasible},
          {"infeasibility", losses.infeasibility},
          {"beyond_limits", losses.beyond_limits},
          {"asked_why", losses.asked_why},
          {"reasons", std::move(reasons)}};
}

Json why_not_json(const SearchAnswer& answer, const WhyNot& why) {
  Json out = {{"settings", why.settings}, {"best", nullptr}};
  if (!why.result.ranked.empty()) {
    out["best"] = point_json(answer, why.result, why.result.ranked.front());
  } else {
    out["reason"] = no_answer_text(answer.question, why.result);
  }
  return out;
}

Json run_json(const SearchResult& result, const SearchCost& cost) {
  return {{"evaluated", result.evaluated}, {"resumed", result.resumed}, {"pruned", result.pruned},
          {"threads", cost.threads},       {"ranks", cost.ranks},       {"cpu_s", cost.processor.si()},
          {"wall_s", cost.wall.si()}};
}

/// With what chance decided, of an evolution.
Json method_json(const SearchQuestion& question, const SearchResult& result) {
  if (result.method != SearchMethod::evolution) return {{"name", "exhaustive"}, {"sampled", false}};
  return {{"name", "evolution"},
          {"sampled", true},
          {"points", result.points},
          {"evaluations", question.evaluations},
          {"seed", question.seed}};
}

void add_row(CsvTable& table, const SearchAnswer& answer, const SearchPoint& point,
             std::optional<std::size_t> rank, bool on_front) {
  table.add(rank).add(on_front);
  for (std::size_t s = 0; s < answer.result.space.size(); ++s)
    table.add(setting_word(setting_json(answer.result.space[s].values[point.choice[s]])));
  for (const double value : point.objectives) table.add(value);
  for (const double value : point.limited) table.add(if_any(value));
  table.end_row();
}

}  // namespace

std::string search_json(const SearchAnswer& answer, const Provenance& provenance) {
  const SearchResult& result = answer.result;
  const bool any = !result.ranked.empty();
  Json json;
  json["provenance"] = provenance_json(provenance);
  json["space"] = space_json(result);
  json["objective"] = objective_json(answer.question.objectives.front());
  json["objective"]["value"] = any ? Json(result.ranked.front().objectives[0]) : Json(nullptr);
  json["limits"] = Json::array();
  for (std::size_t i = 0; i < answer.question.limits.size(); ++i)
    json["limits"].push_back(limit_json(answer.question, result, i));
  json["best"] = any ? settings_json(result, result.ranked.front()) : Json(nullptr);
  json["bound"] = or_null(result.bound.value);
  json["bound_unknown"] = result.bound.unknown.empty() ? Json(nullptr) : Json(result.bound.unknown);
  json["gap"] = or_null(search_gap(answer.question, result));
  json["method"] = method_json(answer.question, result);
  if (!any) json["lost"] = losses_json(result.losses);
  for (const auto& [name, points] :
       {std::pair{"ranked", &result.ranked}, std::pair{"front", &result.front}}) {
    json[name] = Json::array();
    for (const SearchPoint& point : *points) json[name].push_back(point_json(answer, result, point));
  }
  json["why_not"] = Json::array();
  for (const WhyNot& why : answer.why_not) json["why_not"].push_back(why_not_json(answer, why));
  if (answer.sensitivity) json["sensitivity"] = sensitivity_json(*answer.sensitivity);
  json["run"] = run_json(result, answer.cost);
  return dumped(json);
}

std::string search_share_json(const ShareAnswer& answer) {
  return dumped({{"share",
                  {{"number", answer.share.number},
                   {"of", answer.share.of},
                   {"points", answer.result.points},
                   {"store", answer.store}}},
                 {"run", run_json(answer.result, answer.cost)}});
}

std::string search_csv(const SearchAnswer& answer) {
  std::string columns = "rank,on_front";
  for (const FreeSetting& setting : answer.result.space) columns += "," + setting.key;
  for (const SearchMeasure& objective : answer.question.objectives) columns += "," + objective.key();
  for (std::size_t i = 0; i < answer.question.limits.size(); ++i)
    columns += ",limit_" + std::to_string(i + 1);
  CsvTable table(columns);
  const auto same = [](const SearchPoint& a) {
    return [&](const SearchPoint& b) { return a.choice == b.choice; };
  };
  const std::vector<SearchPoint>& ranked = answer.result.ranked;
  const std::vector<SearchPoint>& front = answer.result.front;
  for (std::size_t i = 0; i < ranked.size(); ++i)
    add_row(table, answer, ranked[i], i + 1, std::any_of(front.begin(), front.end(), same(ranked[i])));
  for (const SearchPoint& point : front) {
    if (std::none_of(ranked.begin(), ranked.end(), same(point))) add_row(table, answer, point, {}, true);
  }
  return std::move(table).text();
}

}  // namespace trainyard
