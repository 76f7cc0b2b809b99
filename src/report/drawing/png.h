// Pictures of few colours as PNG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
};

/// A picture whose pixels, row by row, are places in a palette of at most 256 colours.
struct PalettePicture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<Rgb> palette;
  std::vector<std::uint8_t> pixels;
};

std::string png_file(const PalettePicture& picture);

}  // namespace trainyard
