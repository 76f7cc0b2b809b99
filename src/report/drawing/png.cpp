#include "report/drawing/png.h"

#include <png.h>

#include "base/errors.h"

namespace trainyard {

std::string png_file(const PalettePicture& picture) {
  TY_ASSERT(picture.pixels.size() == picture.width * picture.height, "a pixel for each place");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(picture.palette.size());
  std::vector<std::uint8_t> palette;
  for (const Rgb c : picture.palette) palette.insert(palette.end(), {c.r, c.g, c.b});
  // Asked without memory, libpng says how much it needs.
  std::string out;
  png_alloc_size_t size = 0;
  bool written = true;
  for (int pass = 0; written && pass < 2; ++pass) {
    out.resize(size);
    written = png_image_write_to_memory(&image, pass == 0 ? nullptr : out.data(), &size, 0,
                                        picture.pixels.data(), 0, palette.data()) != 0;
  }
  TY_ASSERT(written, image.message);
  return out;
}

}  // namespace trainyard
