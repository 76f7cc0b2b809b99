// Points of a search in a store of results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/space/losses.h"
#include "trainyard/free_setting.h"
#include "trainyard/result_store.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// The store's part for one question.
class StoredOutcomes {
 public:
  StoredOutcomes(ResultStore& store, const ScenarioText& text, const SearchQuestion& question,
                 const std::vector<FreeSetting>& space, std::uint64_t points);

  /// What tells the question from others.
  static std::string identity(const ScenarioText& text, const SearchQuestion& question,
                              const std::vector<FreeSetting>& space);

  /// Points that are kept already; their `choice` is left to the caller.
  void each(const std::function<void(Outcome)>& visit) const;
  void keep(std::span<const Outcome> outcomes);

 private:
  ResultStore& store_;
  StoredQuestion question_;
};

}  // namespace trainyard
