#include "report/data/search_sensitivity.h"

#include "trainyard/search_sensitivity.h"

namespace trainyard {
namespace {

Json interval_json(const Interval& interval) {
  return {{"low", interval.low}, {"high", interval.high}, {"basis", interval.basis}};
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
  out["what_if"] = Json::array();
  for (const SearchWorld& world : sensitivity.worlds)
    out["what_if"].push_back({{"change", world.change},
                              {"best", or_null(world.objective)},
                              {"same_choice", world.same_choice},
                              {"winner", or_null(world.winner)}});
  return out;
}

}  // namespace trainyard
