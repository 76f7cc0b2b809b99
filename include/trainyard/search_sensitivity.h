// Whether the best of a search stays the best when what it rests on is wrong by as much as it may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/plan/step.h"

namespace trainyard {

class ScenarioText;
struct SearchQuestion;
struct SearchResult;

/// The best with another accelerator or training program, whose times err by themselves.
struct SearchRival {
  std::string setting;  // facility.hb_domain = "dgx-b200"
  double objective = 0;
  Interval interval;  // 80%, of its times
  bool may_win = false;
};

/// The same search where one setting is otherwise.
struct SearchWorld {
  std::string change;               // network.scale_out_efficiency=0.8
  std::optional<double> objective;  // of the best there; nothing: no answer
  bool same_choice = false;
  std::string refused;           // why the scenario takes no such value, of an assumption
  std::optional<double> winner;  // what the winner gets there; nothing: it is no answer there
};

struct SearchSensitivity {
  Interval interval;  // of the winner's times; where the objective goes by them
  std::vector<SearchRival> rivals;
  std::vector<SearchWorld> worlds;
  std::vector<SearchWorld> assumptions;  // both ends of each of the catalog's whose setting is not free
};

/// Of a result with an answer: rivals of the winner by 80% intervals of both, as independent errors; and the
/// search once more in each world (`key=value`), and, where `assumptions` says so, at both ends of each
/// assumption of the scenario's catalog. Throws InputError for a world that gives a free setting a value, or
/// that the scenario refuses.
SearchSensitivity search_sensitivity(const ScenarioText& text, const SearchQuestion& question,
                                     const SearchResult& result, const std::vector<std::string>& worlds,
                                     bool assumptions);

}  // namespace trainyard
