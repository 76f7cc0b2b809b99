#include "serve/charts.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "trainyard/quantity_text.h"

namespace trainyard::serving {
namespace {

using Json = nlohmann::ordered_json;

Json axis_of(const ChartAxis& axis) {
  return {{"label", axis.label}, {"unit", base_unit_name(axis.unit)}, {"log", axis.log}};
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

std::string charts_document(const std::vector<Chart>& charts) {
  Json out = Json::array();
  for (const Chart& chart : charts) {
    Json lines = Json::array();
    for (const ChartLine& line : chart.lines) {
      Json points = Json::array();
      for (const ChartPoint& point : line.points)
        points.push_back(Json::array({number(point.x), number(point.y)}));
      lines.push_back({{"label", line.label}, {"joined", line.joined}, {"points", std::move(points)}});
    }
    out.push_back({{"name", chart.name},
                   {"title", chart.title},
                   {"x", axis_of(chart.x)},
                   {"y", axis_of(chart.y)},
                   {"lines", std::move(lines)}});
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace trainyard::serving
