#include "report/reproduction/rows.h"

#include <algorithm>

namespace trainyard {

const RowSource* source_of(const std::string& id) {
  for (const auto& rows : {&hotnets24_rows(), &railonly23_rows()}) {
    const auto found =
        std::find_if(rows->begin(), rows->end(), [&](const RowSource& row) { return id == row.id; });
    if (found != rows->end()) return &*found;
  }
  return nullptr;
}

}  // namespace trainyard
