// Line charts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

/// Of y, from its lowest to its highest value.
struct ErrorBar {
  double low = 0;
  double high = 0;
};

struct ChartPoint {
  double x = 0;
  double y = 0;  // NaN: a gap
  std::optional<ErrorBar> bar = std::nullopt;
  std::string label = {};  // what the point is; empty: nothing beyond its line
};

struct ChartLine {
  std::string label;
  std::vector<ChartPoint> points;
  bool joined = true;  // else points alone
};

struct ChartAxis {
  std::string label;
  Unit unit = Unit::number;
  bool log = false;
};

struct Chart {
  std::string name;
  std::string title;
  ChartAxis x;
  ChartAxis y;
  std::vector<ChartLine> lines;
};

/// The chart as a picture of 760 x 420.
std::string chart_svg(const Chart& chart);

}  // namespace trainyard
