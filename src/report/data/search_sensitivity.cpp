#include "report/data/search_sensitivity.h"

#include "trainyard/search_sensitivity.h"

namespace trainyard {
namespace {

Json interval_json(const Interval& interval) {
  return {{"low", interval.low}, {"high", interval.high}, {"basis", interval.basis}};
}

Json worlds_json(const std::vector<SearchWorld>& worlds) {
  Json out = Json::array();
  for (const SearchWorld& world : worlds) {
    Json one = {{"change", world.change},
                {"best", or_null(world.objective)},
                {"same_choice", world.same_choice},
                {"winner", or_null(world.winner)}};
    if (!world.refused.empty()) one["refused"] = world.refused;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Json sensitivity_json(const SearchSensitivity& sensitivity) {
  Json out = {{"time_interval", interval_json(sensitivity.interval)}};
  out["rivals"] = Json::array();
  for (const SearchRival& rival : sensitivity.rivals)
    out["rivals"].push_back({{"setting", rival.setting},
                             {"best", rival.objective},
                             {"time_interval", interval_json(rival.interval)},
                             {"may_win", rival.may_win}});
  out["what_if"] = worlds_json(sensitivity.worlds);
  out["assumptions"] = worlds_json(sensitivity.assumptions);
  return out;
}

}  // namespace trainyard
