// The lines in which an answer reaches the page, each a JSON object: {"progress": ...} while it is worked on,
// {"page": "..."} (HTML) of a result that is kept, {"draft": ...} of what is known before the result, and in
// the end one of {"result": ...}, {"findings": [...]}, {"free": [...]}, {"infeasible": {...}}, {"failed":
// "..."}.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {
class Infeasible;
struct Finding;
struct FreeSetting;
}  // namespace trainyard

namespace trainyard::serving {

class Teller {
 public:
  Teller(int to, bool wants_page) : to_(to), wants_page_(wants_page) {}

  /// Five times a second at most.
  void progress(double done, double all, const std::string& text = {});

  /// Whether the result is to come with its page, as `--report` writes it: told before the result.
  bool wants_page() const { return wants_page_; }
  void page(const std::string& html);

  /// A JSON text, whose line ends are taken out.
  void result(std::string json);
  /// In the form of the result, which follows: what is there at once, or from a part of the work. From here
  /// on the process gives way to those whose questions have nothing to show yet.
  void draft(std::string json);
  void findings(const std::vector<Finding>& findings);
  /// Settings that a search is to choose, where a question needs their values.
  void left_free(const std::vector<FreeSetting>& settings);
  void infeasible(const Infeasible& answer);
  void failed(const std::string& why);

 private:
  void write(std::string_view text) const;
  void line(std::string_view name, std::string json) const;

  int to_;
  bool wants_page_;
  std::chrono::steady_clock::time_point told_ = {};
};

/// The last line of an answer whose process ended without one.
std::string failed_line(const std::string& why);

/// A JSON string: bytes that are no UTF-8 are replaced.
std::string quoted(const std::string& text);

}  // namespace trainyard::serving
