// A scenario as Python gives it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {
class ScenarioText;
}  // namespace trainyard

namespace trainyard::python {

struct Question {
  std::string scenario;  // a file, a shipped scenario's name, or what to call `text`
  bool is_text = false;
  std::string text;                  // TOML
  std::vector<std::string> changes;  // key=value
  std::vector<std::string> catalog_folders;

  /// Throws InputError.
  ScenarioText read() const;
};

/// As many as the program's --threads may be. Throws InputError for others.
unsigned threads_of(std::int64_t threads);

}  // namespace trainyard::python
