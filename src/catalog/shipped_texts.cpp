#include "catalog/shipped_texts.h"

#include <algorithm>
#include <stdexcept>

namespace trainyard {
namespace {

/// The key that a heading `[kind.key...]` names.
std::string key_of(std::string_view heading) {
  const std::size_t begin = heading.find('.') + 1;
  return std::string(heading.substr(begin, heading.find_first_of(".]", begin) - begin));
}

std::size_t next_heading(std::string_view text, std::size_t from) {
  const std::size_t found = text.find("\n[", from);
  return found == std::string_view::npos ? text.size() : found + 1;
}

}  // namespace

std::map<std::string, std::string_view> entry_texts(const EmbeddedFile& file) {
  const std::string_view text = file.text;
  std::map<std::string, std::string_view> texts;
  for (std::size_t at = text.starts_with('[') ? 0 : next_heading(text, 0); at < text.size();) {
    const std::size_t end = next_heading(text, at);
    const std::string key = key_of(text.substr(at));
    std::string_view& own = texts[key];
    if (!own.empty() && own.data() + own.size() != text.data() + at)
      throw std::logic_error(std::string(file.name) + ": '" + key + "' is in two places");
    own = own.empty() ? text.substr(at, end - at) : std::string_view(own.data(), own.size() + end - at);
    at = end;
  }
  return texts;
}

}  // namespace trainyard
