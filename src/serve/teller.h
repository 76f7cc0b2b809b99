// The lines in which an answer reaches the page, each a JSON object: {"progress": ...} while it is worked on,
// and in the end one of {"result": ...}, {"findings": [...]}, {"free": [...]}, {"infeasible": {...}},
// {"failed": "..."}.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/free_setting.h"

namespace trainyard::serving {

class Teller {
 public:
  explicit Teller(int to) : to_(to) {}

  /// Five times a second at most.
  void progress(double done, double all, const std::string& text = {});

  /// A JSON text, whose line ends are taken out.
  void result(std::string json);
  void findings(const std::vector<Finding>& findings);
  /// Settings that a search is to choose, where a question needs their values.
  void left_free(const std::vector<FreeSetting>& settings);
  void infeasible(const Infeasible& answer);
  void failed(const std::string& why);

 private:
  void write(std::string_view text) const;

  int to_;
  std::chrono::steady_clock::time_point told_ = {};
};

/// The last line of an answer whose process ended without one.
std::string failed_line(const std::string& why);

/// A JSON string: bytes that are no UTF-8 are replaced.
std::string quoted(const std::string& text);

}  // namespace trainyard::serving
