#include "cost/nccl_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr double kLongestUs = 1e15;

/// Without a byte order mark.
std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end;
  }
  return out;
}

std::optional<double> number_of(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!(value >= 0) || value > kLongestUs) return std::nullopt;
  return value;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// The operation that a name mentions, or "".
std::string operation_in(std::string_view text) {
  const std::string name = lower(text);
  for (const char* word : {"all_reduce", "all_gather", "reduce_scatter", "alltoall"}) {
    if (name.find(word) != std::string::npos) return word;
  }
  const std::map<std::string, std::string> spelled = {{"allreduce", "all_reduce"},
                                                      {"allgather", "all_gather"},
                                                      {"reducescatter", "reduce_scatter"},
                                                      {"all_to_all", "alltoall"}};
  for (const auto& [spelling, operation] : spelled) {
    if (name.find(spelling) != std::string::npos) return operation;
  }
  return {};
}

/// nccl-tests' name of a type as tables name it; only its width matters.
std::string dtype_of(std::string_view type) {
  if (type == "half") return "fp16";
  if (type == "bfloat16") return "bf16";
  if (type == "float" || type == "int32" || type == "uint32") return "fp32";
  if (type.starts_with("f8") || type.starts_with("fp8")) return "fp8";
  return "int8";
}

/// Or the beginning of one.
bool is_type(std::string_view word) {
  constexpr std::array<std::string_view, 6> kStems = {"half", "bfloat", "float", "double", "int", "uint"};
  const auto begins = [&](std::string_view stem) { return word.starts_with(stem) || stem.starts_with(word); };
  return std::any_of(kStems.begin(), kStems.end(), begins) || dtype_of(word) == "fp8";
}

/// A device's name as a key: "NVIDIA H100 PCIe" is nvidia_h100_pcie.
std::string key_of(std::string_view device) {
  std::string out;
  for (const char c : lower(device)) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

std::string system_of(std::string_view device, const Catalog& catalog) {
  for (const auto& [key, system] : catalog.operator_systems) {
    if (std::find(system.devices.begin(), system.devices.end(), device) != system.devices.end()) return key;
  }
  return key_of(device);
}

class NcclReader {
 public:
  NcclReader(std::shared_ptr<const SourceText> source, const Catalog& catalog)
      : source_(std::move(source)), catalog_(catalog), operation_(operation_in(source_->name)) {}

  OperatorTable read() {
    std::string_view rest = without_mark(source_->text);
    while (!rest.empty()) {
      ++line_;
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos) continue;
      if (line[first] == '#') {
        read_comment(line);
      } else {
        read_row(line);
      }
    }
    if (table_.series.empty())
      fail_input({source_, 1, 1}, "no row of nccl-tests: size count type redop root time algbw busbw");
    return std::move(table_);
  }

 private:
  void read_comment(std::string_view line) {
    if (line.find("Collective test starting") != std::string_view::npos) operation_ = operation_in(line);
    if (line.find("Using devices") != std::string_view::npos) begin_run();
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() > 1 && words[1] == "size") {
      columns_ = 0;
      const auto time = std::find(words.begin() + 1, words.end(), "time");
      if (time != words.end()) time_at_ = static_cast<std::size_t>(time - words.begin()) - 1;
      const auto wrong = std::find(time, words.end(), "#wrong");
      if (wrong != words.end()) wrong_at_ = static_cast<std::size_t>(wrong - words.begin()) - 1;
    }
    if (words.size() < 3 || words[1] != "Rank" || !number_of(words[2])) return;
    ++ranks_;
    const std::size_t bus = line.find("] ");
    if (bus != std::string_view::npos && device_.empty()) {
      std::string_view name = line.substr(bus + 2);
      name.remove_suffix(name.size() - std::min(name.find_last_not_of(" \t\r") + 1, name.size()));
      device_ = name;
    }
  }

  /// A text may hold the output of several programs, of other ranks each.
  void begin_run() {
    ranks_ = 0;
    device_.clear();
  }

  /// size count type redop root time algbw busbw ...; older versions print no root, as their header says.
  void read_row(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    const auto is_number = [](std::string_view word) { return number_of(word).has_value(); };
    const std::size_t beginning = std::min<std::size_t>(words.size(), 2);
    if (!std::all_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(beginning), is_number))
      return;                                            // "Out of bounds", warnings
    if (words.size() > 2 && !is_type(words[2])) return;  // likewise
    if (columns_ == 0) columns_ = words.size();
    if (words.size() < std::max(columns_, time_at_ + 3)) return fail_row("a row that is cut off");
    const auto bytes = number_of(words[0]);
    const auto time = number_of(words[time_at_]);
    if (!time) return fail_row("no time where nccl-tests prints one");
    if (!(*bytes >= 1)) return;  // empty messages
    if (!(*time > 0)) return fail_row("a time has to be more than 0");
    check_results(words);
    if (ranks_ < 2) return fail_row("the ranks are not known: no two lines '#  Rank' stand before the table");
    add(operation_.empty() ? guessed(words) : named(words), dtype_of(words[2]), *bytes, *time);
  }

  /// Of elements that were checked: a collective whose results are wrong did not do what was timed.
  void check_results(const std::vector<std::string_view>& words) const {
    if (wrong_at_ == 0 || wrong_at_ >= words.size()) return;
    const auto wrong = number_of(words[wrong_at_]);  // "N/A" without checks
    if (wrong && *wrong > 0)
      fail_input({source_, line_, 1}, "wrong results, " + std::string(words[wrong_at_]) + " under '#wrong'",
                 "find out why, or leave the line out");
  }

  /// The operation by its name, which the row does not contradict.
  std::string named(const std::vector<std::string_view>& words) const {
    const bool sums = operation_ == "all_reduce" || operation_ == "reduce_scatter";
    if (sums && words[3] == "none")
      fail_row(fmt::format("'none' is no sum, and {} by its name sums", operation_));
    return operation_;
  }

  /// The operation from redop and rates where no name tells it.
  std::string guessed(const std::vector<std::string_view>& words) {
    const double ranks = ranks_;
    const auto algbw = number_of(words[time_at_ + 1]), busbw = number_of(words[time_at_ + 2]);
    const bool sums = words[3] != "none";
    const double ratio = algbw && busbw && *algbw > 0 ? *busbw / *algbw : 0;
    if (sums) return ratio > 1.5 * (ranks - 1) / ranks ? "all_reduce" : "reduce_scatter";
    fail_input({source_, line_, 1}, "all_gather and alltoall print the same columns",
               "name the file after its program, as alltoall_perf.txt");
  }

  void add(const std::string& operation, const std::string& dtype, double bytes, double time) {
    const std::string system = device_.empty() ? "own" : system_of(device_, catalog_);
    for (OperatorSeries& s : table_.series) {
      if (s.key.operation == operation && s.key.dtype == dtype && s.key.system == system) {
        s.rows.push_back({{static_cast<double>(ranks_), bytes}, time, line_});
        return;
      }
    }
    table_.series.push_back({{system, operation, dtype},
                             "nccl",
                             "",
                             "",
                             false,
                             {{{static_cast<double>(ranks_), bytes}, time, line_}},
                             {source_, line_, 1}});
  }

  void fail_row(const std::string& message) const { fail_input({source_, line_, 1}, message); }

  std::shared_ptr<const SourceText> source_;
  const Catalog& catalog_;
  std::string operation_;
  std::string device_;
  int ranks_ = 0;
  int line_ = 0;
  std::size_t columns_ = 0;   // of the table's first row; 0: none yet
  std::size_t time_at_ = 5;   // of the words of a row
  std::size_t wrong_at_ = 0;  // 0: not printed
  OperatorTable table_;
};

}  // namespace

bool is_nccl_text(std::string_view text) {
  text = without_mark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '#') return true;
  return text.find("\n# nThread") != std::string_view::npos;  // behind what launchers say
}

OperatorTable read_nccl_text(std::shared_ptr<const SourceText> source, const Catalog& catalog) {
  return NcclReader(std::move(source), catalog).read();
}

}  // namespace trainyard
