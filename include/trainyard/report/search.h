// Searches as text, JSON and CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/search.h"
#include "trainyard/search_sensitivity.h"
#include "trainyard/units.h"

namespace trainyard {

class ScenarioText;
struct Provenance;
struct SearchInput;

/// What a scenario's [search] asks. Throws InputError for an objective or limit that is none, with the
/// nearest.
SearchQuestion search_question(const ScenarioText& text, const SearchInput& input);

/// How far a search is.
struct SearchProgress {
  std::uint64_t done = 0;
  std::uint64_t points = 0;
  std::optional<double> best;  // of the objective
  double points_per_second = 0;
};
/// One line.
std::string search_progress_text(const SearchMeasure& objective, const SearchProgress& progress);

/// What a search took.
struct SearchCost {
  Seconds processor;  // of all ranks
  Seconds wall;
  unsigned threads = 1;  // of each rank
  unsigned ranks = 1;
};

/// The best that has the values which somebody asks about.
struct WhyNot {
  std::string settings;  // "mapping.tensor=4"
  SearchResult result;   // of the space with those values
};

/// A result with what it answers.
struct SearchAnswer {
  std::string title;
  SearchQuestion question;
  SearchResult result;
  std::vector<WhyNot> why_not;
  std::optional<SearchSensitivity> sensitivity;  // where it is asked for
  SearchCost cost;
};

std::string search_text(const SearchAnswer& answer);
std::string search_json(const SearchAnswer& answer, const Provenance& provenance);

/// Ranked points, then those of the front that are not among them: one row each.
std::string search_csv(const SearchAnswer& answer);

/// What one share of a space has kept, of so many points, in a store.
struct ShareAnswer {
  SearchShare share;
  SearchResult result;
  std::string store;
  SearchCost cost;
};
std::string search_share_text(const ShareAnswer& answer);
std::string search_share_json(const ShareAnswer& answer);

/// One self-contained HTML page: what was asked, the best, the front and the ranking as a chart and a table
/// to filter, what each value costs, why points are no answers, and the plan of every point shown (at most
/// 200 of the ranking and of the front) with the command that asks for it again: `trainyard plan` with
/// `plan_words` (the scenario, catalogs, changes) and the point's settings. Throws as plan_point() does.
std::string search_page(const SearchAnswer& answer, const ScenarioText& text,
                        const std::vector<std::string>& plan_words);

/// How far the best is from what is proven, as a share of the best; nothing where no bound is known.
std::optional<double> search_gap(const SearchQuestion& question, const SearchResult& result);

/// How many points there were and how they were tried; of a sample also what is proven, on a second line.
std::string search_counts_text(const SearchQuestion& question, const SearchResult& result);

/// Why a space has no answer: which limits, and by how much.
std::string no_answer_text(const SearchQuestion& question, const SearchResult& result);

}  // namespace trainyard
