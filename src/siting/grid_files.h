// The folder format of a power grid: plants.csv, substations.csv, lines.csv, balancing_authorities.csv, and
// where there are any, states.csv and cities.csv (docs/siting.md names every column).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/power_grid.h"

namespace trainyard {

struct SourceText;

/// A column of one of the files, for documents and for programs that write the format.
struct GridColumn {
  std::string file;
  std::string name;
  bool required = false;  // column and value; others may be absent or empty (unknown)
  std::string sentence;
};

/// Every column that is understood. Others are errors.
std::vector<GridColumn> grid_columns();

/// The texts of a grid's files by their names, such as "plants.csv".
using GridTexts = std::map<std::string, std::shared_ptr<const SourceText>>;

/// Checks and joins the files. Throws InputError with every finding (at most twenty), each with file, row and
/// column: a required file, column or value that is missing, an unknown or repeated column, numbers out of
/// range, names that stand twice, lines that end nowhere or where they begin, a grid without plants.
Grid parse_grid(const std::string& name, const GridTexts& texts);

/// The grid of a folder. Throws InputError as above and when a file cannot be read.
Grid read_grid(const std::string& folder);

/// The small grid that comes with the program: the largest US plants and interconnections, and HotNets '24
/// Table 1.
Grid shipped_grid();

}  // namespace trainyard
