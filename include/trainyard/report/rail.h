// The rail-only analysis and traffic matrices as text, JSON, CSV and pictures.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Provenance;
struct Scenario;
struct TrafficSummary;

std::string rail_text(const Scenario& scenario);
std::string traffic_text(const TrafficSummary& summary);

std::string rail_json(const Scenario& scenario);
std::string rail_csv(const Scenario& scenario);

std::string traffic_json(const TrafficSummary& summary, const Provenance& provenance);
std::string traffic_csv(const TrafficSummary& summary);

/// Row by row; equal neighbours in a row become one rectangle. Empty matrices give an empty picture.
std::string heat_map_svg(const std::vector<double>& bytes, const std::string& title);

/// The same as PNG, one pixel or more a cell (at least 512 pixels wide).
std::string heat_map_png(const std::vector<double>& bytes);

}  // namespace trainyard
