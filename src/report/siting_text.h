// Where a datacenter can stand, for people and programs.
#pragma once

#include <optional>
#include <string>

#include "report/output.h"
#include "siting/grid_files.h"
#include "trainyard/siting.h"

namespace trainyard {

/// Whether the network feeds a split, and what is left after the worst loss.
std::string joint_words(const std::optional<JointFlow>& joint);

/// A training run in a few words: what the distance adds to a step and how long the run takes.
std::string training_brief(const TrainingRun& run);
/// The same with the exchange between sites behind it, and what it costs.
std::string training_words(const TrainingRun& run);

std::string siting_text(const SitingPlan& plan);
std::string siting_json(const SitingPlan& plan, const Provenance& provenance);
/// One row for every site of the single sites and of every split.
std::string siting_csv(const SitingPlan& plan);

/// Places that were asked for. JSON and CSV name the figures of a power node as docs/siting.md does; the JSON
/// of one place at one radius holds them at its top.
std::string places_text(const PlacesPlan& plan, const Grid& grid);
std::string places_json(const PlacesPlan& plan, const Grid& grid);
std::string places_csv(const PlacesPlan& plan, const Grid& grid);

}  // namespace trainyard
