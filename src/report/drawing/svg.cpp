#include "report/drawing/svg.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace trainyard {
namespace {

// The first eight are Okabe and Ito's with brown and grey; the others keep twelve lines apart (Fig. 6 of
// HotNets '24).
constexpr std::array<std::string_view, 12> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                       "#56B4E9", "#E69F00", "#8C6D31", "#5B5B5B",
                                                       "#7B5BD6", "#A61E5B", "#44AA99", "#999933"};

// Light by default, dark where the reader's system is.
constexpr std::string_view kStyle =
    "<style>text{font-family:system-ui,sans-serif}.ink{fill:#1d2733}.soft{fill:#5d6b7a}.white{fill:#fff}"
    ".grid{stroke:#d9dfe6}.axis{stroke:#5d6b7a}.frame{fill:none;stroke:#5d6b7a}.empty{fill:#eef1f4}"
    "@media(prefers-color-scheme:dark){.ink{fill:#e6ebf0}.soft{fill:#9fb0c0}.grid{stroke:#33404d}"
    ".axis{stroke:#9fb0c0}.frame{stroke:#9fb0c0}.empty{fill:#27323d}}</style>";

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += (c >= 0 && c < ' ') || c == '\x7f' ? ' ' : c;
    }
  }
  return out;
}

std::string valid_utf8(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0x80                   ? 1
                               : byte >= 0xC2 && byte < 0xE0 ? 2
                               : byte >= 0xE0 && byte < 0xF0 ? 3
                               : byte >= 0xF0 && byte < 0xF5 ? 4
                                                             : 0;
    bool whole = length > 0 && at + length <= text.size();
    for (std::size_t i = 1; whole && i < length; ++i) whole = (text[at + i] & '\xC0') == '\x80';
    if (whole && length > 2) {
      // Overlong forms, surrogates, and what lies beyond U+10FFFF.
      const auto second = static_cast<unsigned char>(text[at + 1]);
      whole = !(byte == 0xE0 && second < 0xA0) && !(byte == 0xED && second >= 0xA0) &&
              !(byte == 0xF0 && second < 0x90) && !(byte == 0xF4 && second >= 0x90);
    }
    out += whole ? text.substr(at, length) : "\xEF\xBF\xBD";
    at += whole ? length : 1;
  }
  return out;
}

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

double text_width(std::string_view text, double size) {
  double letters = 0;  // of the size; those of a wide sans-serif (DejaVu Sans), so that others need less
  for (const char c : text) {
    if ((c & 0xC0) == 0x80) continue;  // continuation bytes of UTF-8 are not letters
    if (std::string_view("ijlI.,:;'| ()").find(c) != std::string_view::npos)
      letters += 0.34;
    else if (std::string_view("mwMW%@").find(c) != std::string_view::npos)
      letters += 0.93;
    else
      letters += c >= 'A' && c <= 'Z' ? 0.69 : 0.59;
  }
  return letters * size;
}

double round_step(double end, int most) {
  if (!(end > 0)) return 1;
  const double rough = end / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

std::string_view series_colour(std::size_t index) { return kColours[index % kColours.size()]; }
std::size_t series_colour_count() { return kColours.size(); }

Svg::Svg(double width, double height, std::string_view title)
    : body_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
          "role=\"img\"><title>{2}</title>{3}\n",
          coordinate(width), coordinate(height), escape_markup(title), kStyle)) {}

void Svg::rect(double x, double y, double width, double height, std::string_view fill,
               std::string_view extra) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {} {}/>\n", coordinate(x),
                  coordinate(y), coordinate(width), coordinate(height),
                  fill.starts_with("class") ? std::string(fill) : fmt::format("fill=\"{}\"", fill), extra);
}

void Svg::rect_with_title(double x, double y, double width, double height, std::string_view fill,
                          std::string_view title) {
  body_ += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n",
      coordinate(x), coordinate(y), coordinate(width), coordinate(height), fill, escape_markup(title));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
               std::string_view extra) {
  const std::string paint =
      stroke.starts_with("class") ? std::string(stroke) : fmt::format("stroke=\"{}\"", stroke);
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {} stroke-width=\"{}\" {}/>\n",
                       coordinate(x1), coordinate(y1), coordinate(x2), coordinate(y2), paint,
                       coordinate(width), extra);
}

void Svg::polyline(const std::string& points, std::string_view stroke, double width, std::string_view extra) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" {}/>\n",
                       points, stroke, coordinate(width), extra);
}

void Svg::circle(double x, double y, double radius, std::string_view fill) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", coordinate(x), coordinate(y),
                       coordinate(radius), fill);
}

void Svg::text(double x, double y, std::string_view text, TextStyle style) {
  const std::string turn = style.rotate == 0 ? ""
                                             : fmt::format(" transform=\"rotate({} {} {})\"", style.rotate,
                                                           coordinate(x), coordinate(y));
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{}{}>{}</text>\n",
                  coordinate(x), coordinate(y), style.css, coordinate(style.size), style.anchor,
                  style.bold ? " font-weight=\"600\"" : "", turn, escape_markup(text));
}

std::string Svg::finish() && { return std::move(body_) + "</svg>\n"; }

}  // namespace trainyard
