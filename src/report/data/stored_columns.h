// The columns of a stored question's points, and the points as they are shown.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/data/json.h"
#include "trainyard/result_store.h"
#include "trainyard/units.h"

namespace trainyard {

/// A stored point with the values of its free settings.
struct ReadPoint {
  StoredPoint kept;
  std::map<std::string, Json> settings;
};

ReadPoint read_point(const StoredPoint& point, const StoredAsked& asked);

/// An objective or what a limit is about: the key with its unit, "training_time_s".
struct StoredColumn {
  std::string name;   // in data
  std::string title;  // for people
  Unit unit = Unit::number;
};

struct StoredColumns {
  std::vector<std::string> settings;
  std::vector<StoredColumn> objectives;
  std::vector<StoredColumn> limits;
};

StoredColumns columns_of(const StoredAsked& asked);

}  // namespace trainyard
