// What is served without a question: the page's files and documents of the interface.
#pragma once

#include <string>
#include <string_view>

namespace trainyard::serving {

/// A file that the program holds.
struct ServedFile {
  std::string_view text;  // lives as long as the program
  std::string_view type;
};

/// The file of a path ("/", "/app.js"): its text is empty where there is none.
ServedFile page_file(std::string_view path);

}  // namespace trainyard::serving
