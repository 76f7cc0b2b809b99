// Drawing SVG: a few shapes, text escaped, numbers short.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// & < > " as entities, control characters as blanks.
std::string escape_markup(std::string_view text);

/// Bytes that are not UTF-8, which no reader of XML takes, as U+FFFD.
std::string valid_utf8(const std::string& text);

/// Where and how text stands.
struct TextStyle {
  double size = 12;
  std::string_view anchor = "start";
  std::string_view css = "ink";  // class
  bool bold = false;
  double rotate = 0;
};

/// A picture of a fixed size that scales with its box.
class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  void rect(double x, double y, double width, double height, std::string_view fill,
            std::string_view extra = {});
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
            std::string_view extra = {});
  void polyline(const std::string& points, std::string_view stroke, double width,
                std::string_view extra = {});
  void circle(double x, double y, double radius, std::string_view fill);
  void text(double x, double y, std::string_view text, TextStyle style = {});
  /// A shape with a tooltip.
  void rect_with_title(double x, double y, double width, double height, std::string_view fill,
                       std::string_view title);

  /// The whole picture.
  std::string finish() &&;

 private:
  std::string body_;
};

/// A coordinate with at most two decimals.
std::string coordinate(double value);

/// Width that text of this size takes, roughly: no font is at hand.
double text_width(std::string_view text, double size);

/// A step of an axis: 1, 2 or 5 times a power of ten, about `most` of them up to the end.
double round_step(double end, int most);

/// Colours, the first of which the colour-blind tell apart (Okabe and Ito 2008).
std::string_view series_colour(std::size_t index);
/// After so many lines their colours come again.
std::size_t series_colour_count();

}  // namespace trainyard
