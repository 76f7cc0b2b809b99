// One cluster over one, two, three, ... sites: a plan of each, and what the wide area adds to its step.
#pragma once

#include <optional>
#include <vector>

#include "trainyard/sites_point.h"
#include "trainyard/units.h"

namespace trainyard {

struct LongHaulCase;
struct Scenario;

struct WideAreaAnswer {
  std::vector<SitesPoint> points;        // 1, 2, ... sites at network.wide_area_rate
  std::optional<std::int64_t> too_many;  // the first number whose added share is above the largest allowed
  BitRate nic_rate;                      // of a device: more than this cannot leave it
  std::vector<BitRate> rates;            // of the curves: Fig. 3c of HotNets '24
  std::vector<std::vector<SitesPoint>> curves;     // of each number of sites from 2 on, at each rate
  std::vector<Seconds> rtts;                       // of the distances: all sites equally far apart
  std::vector<std::vector<SitesPoint>> distances;  // the same numbers of sites at network.wide_area_rate
};

/// Plans every number of sites up to wide_area.most_sites, or as many as have places. Numbers without a plan
/// say why. Throws Infeasible when there is none for a single site.
WideAreaAnswer plan_wide_area(const Scenario& scenario);

/// What a device sums of a layer's gradients with the other sites of [long_haul].
Bytes long_haul_bytes(const Scenario& scenario);

/// The runs that [long_haul] asks for: each transport at each bit-error rate; with flows inside sites, each
/// without and with priority for the wide area.
std::vector<LongHaulCase> long_haul_cases(const Scenario& scenario);

}  // namespace trainyard
