#include "workload/flow_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "base/counted.h"
#include "base/foreign_text.h"
#include "trainyard/nearest.h"
#include "workload/flow_collector.h"

namespace trainyard::workload {
namespace {

enum Column : std::size_t {
  kFrom,
  kTo,
  kBytes,
  kStart,
  kId,
  kAfter,
  kAfterSent,
  kPath,
  kPathBack,
  kConnection,
  kColumns
};
constexpr std::size_t kRequired = kId;  // the columns before it

const std::vector<std::string>& column_names() {
  static const std::vector<std::string> kNames = {"from",  "to",         "bytes", "start_s",   "id",
                                                  "after", "after_sent", "path",  "path_back", "connection"};
  return kNames;
}

/// A flow's id, where it was given.
struct NamedFlow {
  std::string_view id;
  std::uint32_t flow = 0;
};

/// A flow waits for the one of this id.
struct Wait {
  std::string_view id;
  std::uint32_t flow = 0;
  bool on_receipt = true;
};

/// Reads the rows one by one: a file of millions of flows is never held as strings.
class FlowFile {
 public:
  FlowFile(const std::shared_ptr<const SourceText>& text, std::int64_t hosts, std::size_t most_flows,
           std::uint32_t paths)
      : text_(text),
        out_(text_, hosts, most_flows),
        paths_(std::min<std::uint32_t>(paths, Flow::kPathOfHash)) {}

  Workload read() {
    read_header();
    while (const auto line = text_.next_line()) {
      split(*line);
      read_row(*line);
    }
    resolve();
    return out_.finish();
  }

 private:
  void read_header() {
    const auto line = text_.next_line();
    if (!line) fail_input_empty();
    split(*line);
    place_.fill(kMissing);
    for (std::size_t at = 0; at < fields_.size(); ++at) {
      const auto& names = column_names();
      const auto name = std::find(names.begin(), names.end(), fields_[at]);
      if (name == names.end())
        text_.fail(fields_[at], fmt::format("no column {}", quoted(fields_[at])),
                   suggestion(fields_[at], names));
      std::size_t& place = place_[static_cast<std::size_t>(name - names.begin())];
      if (place != kMissing) text_.fail(fields_[at], fmt::format("column '{}' again", *name), "name it once");
      place = at;
    }
    for (std::size_t c = 0; c < kRequired; ++c) {
      if (place_[c] == kMissing)
        text_.fail(*line, fmt::format("column '{}' is missing", column_names()[c]), kHeaderHelp);
    }
    const bool waits = place_[kAfter] != kMissing || place_[kAfterSent] != kMissing;
    if (waits && place_[kId] == kMissing)
      text_.fail(*line, "column 'id' is missing", "flows that wait for others name them by their ids");
    columns_ = fields_.size();
  }

  [[noreturn]] void fail_input_empty() const { text_.fail(text_.end(), "no header line", kHeaderHelp); }

  /// The fields of a line into fields_.
  void split(std::string_view line) {
    fields_.clear();
    for (;;) {
      fields_.push_back(take_field(line));
      if (line.empty()) return;
      line.remove_prefix(1);  // the comma
    }
  }

  /// Cuts a field from the front of a line, up to its comma or the end.
  std::string_view take_field(std::string_view& line) const {
    const std::string_view from_quote = trimmed_front(line);
    std::string_view field;
    if (from_quote.starts_with('"')) {
      const std::size_t close = from_quote.find('"', 1);
      if (close == std::string_view::npos)
        text_.fail(from_quote, "a quote that does not end on this line", "\"like this\"");
      field = from_quote.substr(1, close - 1);
      line = trimmed_front(from_quote.substr(close + 1));
      if (!line.empty() && line.front() != ',')
        text_.fail(line, "text after a quote", "names of flows have no quotes in them");
    } else {
      field = line.substr(0, line.find(','));
      line.remove_prefix(field.size());
    }
    return trimmed(field);
  }

  static std::string_view trimmed_front(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }

  std::string_view field(Column column) const {
    return place_[column] == kMissing ? std::string_view{} : fields_[place_[column]];
  }

  void read_row(std::string_view line) {
    if (fields_.size() != columns_)
      text_.fail(line,
                 fmt::format("{} under {}", counted(fields_.size(), "field"), counted(columns_, "column")),
                 "a field for each column, empty where there is nothing to say");
    Flow flow;
    flow.from = out_.host(field(kFrom));
    flow.to = out_.host(field(kTo));
    flow.bytes = out_.bytes(field(kBytes));
    const double start = text_.decimal(field(kStart), "start in seconds", 0, kLatestStart.si());
    flow.start = static_cast<Picoseconds>(std::llround(start * kPicosecondsPerSecond));
    flow.path = path(kPath);
    flow.path_back = path(kPathBack);
    const std::uint32_t number = out_.add(flow, field(kFrom));
    if (const std::string_view id = field(kId); !id.empty()) {
      if (words_of_ids(id).size() != 1)
        text_.fail(id, fmt::format("{} is no id", quoted(id)), "one name without blanks and semicolons");
      named_.push_back({id, number});
    }
    if (const std::string_view name = field(kConnection); !name.empty())
      on_connection_.push_back({name, number});
    for (const std::string_view id : words_of_ids(field(kAfter))) waits_.push_back({id, number, true});
    for (const std::string_view id : words_of_ids(field(kAfterSent))) waits_.push_back({id, number, false});
  }

  std::uint16_t path(Column column) const {
    const std::string_view text = field(column);
    if (text.empty()) return Flow::kPathOfHash;
    if (paths_ == 0)
      text_.fail(text, "a path for a flow, but none are chosen flow by flow",
                 "packets over a network of two tiers or more, simulation.load_balancing = \"ecmp\"");
    return static_cast<std::uint16_t>(text_.whole(text, "path from this leaf", 0, paths_ - 1));
  }

  static std::vector<std::string_view> words_of_ids(std::string_view ids) { return words_of(ids, " \t;"); }

  /// Rows that name the same connection are its messages, in the order of lines.
  void connect() {
    std::sort(on_connection_.begin(), on_connection_.end(), by_name);
    for (std::size_t i = 1, first = 0; i < on_connection_.size(); ++i) {
      const NamedFlow& message = on_connection_[i];
      if (message.id != on_connection_[first].id) {
        first = i;
      } else {
        out_.continue_connection(on_connection_[first].flow, message.flow, message.id);
      }
    }
  }

  void resolve() {
    connect();
    // Sorted, not hashed: no file can make this slow.
    std::sort(named_.begin(), named_.end(), by_name);
    const auto twin = std::adjacent_find(named_.begin(), named_.end(),
                                         [](const NamedFlow& a, const NamedFlow& b) { return a.id == b.id; });
    if (twin != named_.end())
      text_.fail((twin + 1)->id, fmt::format("id {} again", quoted(twin->id)),
                 fmt::format("line {} has it", text_.where(twin->id).line));
    for (const Wait& wait : waits_) {
      const auto found = std::lower_bound(named_.begin(), named_.end(), wait.id,
                                          [](const NamedFlow& a, std::string_view id) { return a.id < id; });
      if (found == named_.end() || found->id != wait.id)
        text_.fail(wait.id, fmt::format("no flow has the id {}", quoted(wait.id)), near(wait.id));
      out_.depend(found->flow, wait.flow, wait.on_receipt, wait.id);
    }
  }

  static bool by_name(const NamedFlow& a, const NamedFlow& b) {
    return std::tie(a.id, a.flow) < std::tie(b.id, b.flow);
  }

  /// What a few ids suggest; comparing with all of them would take long.
  std::string near(std::string_view id) const {
    constexpr std::size_t kCompared = 1000;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < named_.size() && i < kCompared; ++i) ids.emplace_back(named_[i].id);
    return ids.empty() ? "no flow has an id" : suggestion(id, ids);
  }

  static constexpr std::size_t kMissing = ~std::size_t{0};
  static constexpr const char* kHeaderHelp = "the first line names the columns: from,to,bytes,start_s";

  ForeignText text_;
  FlowCollector out_;
  std::uint32_t paths_;
  std::array<std::size_t, kColumns> place_{};  // of each column among the fields
  std::size_t columns_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<NamedFlow> named_;
  std::vector<NamedFlow> on_connection_;  // by the connection's name
  std::vector<Wait> waits_;
};

}  // namespace

Workload read_flow_file(const std::shared_ptr<const SourceText>& text, std::int64_t hosts,
                        std::size_t most_flows, std::uint32_t paths) {
  return FlowFile(text, hosts, most_flows, paths).read();
}

}  // namespace trainyard::workload
