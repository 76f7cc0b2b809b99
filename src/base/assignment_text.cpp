#include "trainyard/assignment_text.h"

#include "base/foreign_text.h"

namespace trainyard {

std::optional<AssignmentText> assignment_text(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const AssignmentText out{trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
  if (out.key.empty()) return std::nullopt;
  return out;
}

}  // namespace trainyard
