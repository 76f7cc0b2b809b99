// Texts of a picture, and whether they stand on each other or beyond its edge.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "report/drawing/svg.h"

namespace trainyard {

/// A text that is not turned, as wide as text_width() says.
struct TextBox {
  std::string text;
  double left;
  double right;
  double top;
  double bottom;
};

inline std::vector<TextBox> text_boxes(const std::string& svg) {
  static const std::regex kText(
      "<text x=\"([^\"]*)\" y=\"([^\"]*)\" class=\"[^\"]*\" font-size=\"([^\"]*)\" text-anchor=\"([^\"]*)\""
      "(?: font-weight=\"600\")?>([^<]*)<");
  std::vector<TextBox> out;
  for (auto at = std::sregex_iterator(svg.begin(), svg.end(), kText); at != std::sregex_iterator(); ++at) {
    const double size = std::stod((*at)[3]);
    const double width = text_width((*at)[5].str(), size);
    const double x = std::stod((*at)[1]);
    const double y = std::stod((*at)[2]);
    const double left = (*at)[4] == "end" ? x - width : (*at)[4] == "middle" ? x - width / 2 : x;
    out.push_back({(*at)[5], left, left + width, y - 0.7 * size, y});
  }
  return out;
}

/// What is wrong with a picture's texts, a line each.
inline std::string ill_placed_texts(const std::string& svg) {
  static const std::regex kSize("viewBox=\"0 0 ([0-9.]+) ([0-9.]+)\"");
  std::smatch size;
  if (!std::regex_search(svg, size, kSize)) return "no picture";
  std::string out;
  const std::vector<TextBox> boxes = text_boxes(svg);
  for (auto a = boxes.begin(); a != boxes.end(); ++a) {
    if (a->left < 0 || a->right > std::stod(size[1]) || a->bottom > std::stod(size[2]))
      out += "cut off: " + a->text + "\n";
    const auto over = std::find_if(std::next(a), boxes.end(), [&](const TextBox& b) {
      return a->left < b.right && b.left < a->right && a->top < b.bottom && b.top < a->bottom;
    });
    if (over != boxes.end()) out += a->text + " over " + over->text + "\n";
  }
  return out;
}

}  // namespace trainyard
