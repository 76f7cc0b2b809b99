// A square matrix of bytes as a picture: log scale, white where nothing is sent.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

/// Row by row; equal neighbours in a row become one rectangle. Empty matrices give an empty picture.
std::string heat_map_svg(const std::vector<double>& bytes, const std::string& title);

/// The same as PNG, one pixel or more a cell (at least 512 pixels wide).
std::string heat_map_png(const std::vector<double>& bytes);

}  // namespace trainyard
