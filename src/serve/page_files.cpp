#include "serve/page_files.h"

#include "serve/serve.h"
#ifdef TRAINYARD_HAS_PAGE
#include "serve/web_files.h"
#endif

namespace trainyard {
namespace serving {
namespace {

#ifndef TRAINYARD_HAS_PAGE
constexpr std::string_view kNoPage =
    "<!doctype html><html lang=\"en\"><title>Trainyard</title><h1>Trainyard was built without its page</h1>"
    "<p>The interface for programs below /api/ answers. For the page: install Node.js 18 or later with npm, "
    "then <code>tools/bootstrap build web</code> and <code>make build</code>.</p></html>";
#endif

constexpr std::string_view kHtml = "text/html; charset=utf-8";

std::string_view type_of(std::string_view path) {
  if (path.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (path.ends_with(".css")) return "text/css; charset=utf-8";
  return path.ends_with(".svg") ? "image/svg+xml" : kHtml;
}

}  // namespace

ServedFile page_file(std::string_view path) {
  if (path == "/") path = "/index.html";
#ifdef TRAINYARD_HAS_PAGE
  for (const EmbeddedFile& file : web_files()) {
    if (file.name.ends_with(path)) return {file.text, type_of(path)};
  }
  return {};
#else
  return path == "/index.html" ? ServedFile{kNoPage, type_of(path)} : ServedFile{};
#endif
}

}  // namespace serving

bool has_page() {
#ifdef TRAINYARD_HAS_PAGE
  return true;
#else
  return false;
#endif
}

}  // namespace trainyard
