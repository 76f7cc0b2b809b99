// Where a datacenter can stand, for programs.
#pragma once

#include <string>

#include "report/data/provenance.h"
#include "siting/grid_files.h"
#include "trainyard/siting.h"

namespace trainyard {

std::string siting_json(const SitingPlan& plan, const Provenance& provenance);

/// One row for every site of the single sites and of every split.
std::string siting_csv(const SitingPlan& plan);

/// Places that were asked for. JSON and CSV name the figures of a power node as docs/siting.md does; the JSON
/// of one place at one radius holds them at its top.
std::string places_json(const PlacesPlan& plan, const Grid& grid);
std::string places_csv(const PlacesPlan& plan, const Grid& grid);

}  // namespace trainyard
