// htsim's connection matrices; the format is that of Broadcom's csg-htsim and of uet-htsim,
// sim/datacenter/connection_matrix.cpp.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "base/foreign_text.h"
#include "trainyard/nearest.h"
#include "workload/flow_collector.h"
#include "workload/flow_files.h"

namespace trainyard::workload {
namespace {

constexpr std::uint64_t kMostId = std::numeric_limits<std::uint32_t>::max();

enum class TriggerKind { oneshot, multishot, barrier };

struct Trigger {
  std::uint64_t id = 0;
  TriggerKind kind = TriggerKind::oneshot;
  std::uint64_t count = 0;  // of a barrier
  std::string_view piece;
};

/// A flow at either end of a trigger: one that fires it, or one that it begins.
struct TriggerEnd {
  std::uint64_t trigger = 0;
  std::uint32_t flow = 0;
  bool on_receipt = true;
  std::string_view piece;
};
using TriggerEnds = std::vector<TriggerEnd>;

/// The words of a line one by one: keys, some with a value behind them.
class Words {
 public:
  Words(const ForeignText& text, const std::vector<std::string_view>& words) : text_(text), words_(words) {}

  bool more() const { return at_ < words_.size(); }
  std::string_view next() { return words_[at_++]; }
  std::string_view value_of(std::string_view key) {
    if (!more()) text_.fail(key, fmt::format("'{}' without a value", key), "a value behind it");
    return next();
  }
  /// `msg` may stand alone.
  bool next_is_number() const {
    return more() && words_[at_].find_first_not_of("0123456789") == std::string_view::npos;
  }
  void end() const {
    if (more())
      text_.fail(words_[at_], fmt::format("unexpected {}", quoted(words_[at_])), "the line ends before it");
  }

 private:
  const ForeignText& text_;
  const std::vector<std::string_view>& words_;
  std::size_t at_ = 0;
};

/// Turns triggers into dependencies.
class TriggerResolver {
 public:
  TriggerResolver(const ForeignText& text, FlowCollector& out) : text_(text), out_(out) {}

  void resolve(std::vector<Trigger> triggers, TriggerEnds fired, TriggerEnds begun) {
    std::sort(triggers.begin(), triggers.end(), [](const Trigger& a, const Trigger& b) {
      return std::make_pair(a.id, a.piece.data()) < std::make_pair(b.id, b.piece.data());
    });
    for (std::size_t i = 1; i < triggers.size(); ++i) {
      if (triggers[i].id == triggers[i - 1].id)
        text_.fail(triggers[i].piece, fmt::format("trigger {} again", triggers[i].id),
                   fmt::format("line {} describes it", text_.where(triggers[i - 1].piece).line));
    }
    const auto by_trigger = [](const TriggerEnd& a, const TriggerEnd& b) { return a.trigger < b.trigger; };
    std::stable_sort(fired.begin(), fired.end(), by_trigger);
    std::stable_sort(begun.begin(), begun.end(), by_trigger);
    check_known(triggers, fired);
    check_known(triggers, begun);
    for (const Trigger& trigger : triggers) join(trigger, of(trigger, fired), of(trigger, begun));
  }

 private:
  void check_known(const std::vector<Trigger>& triggers, const TriggerEnds& ends) const {
    for (const TriggerEnd& end : ends) {
      const auto found = std::lower_bound(triggers.begin(), triggers.end(), end.trigger,
                                          [](const Trigger& t, std::uint64_t id) { return t.id < id; });
      if (found == triggers.end() || found->id != end.trigger)
        text_.fail(end.piece, fmt::format("no trigger {}", end.trigger),
                   fmt::format("a line 'trigger id {} oneshot'", end.trigger));
    }
  }

  static TriggerEnds of(const Trigger& trigger, const TriggerEnds& ends) {
    struct ById {
      bool operator()(const TriggerEnd& a, std::uint64_t id) const { return a.trigger < id; }
      bool operator()(std::uint64_t id, const TriggerEnd& a) const { return id < a.trigger; }
    };
    const auto [first, last] = std::equal_range(ends.begin(), ends.end(), trigger.id, ById{});
    return TriggerEnds(first, last);
  }

  void join(const Trigger& trigger, const TriggerEnds& fired, const TriggerEnds& begun) {
    if (begun.empty()) return;
    if (fired.empty())
      text_.fail(begun.front().piece, fmt::format("no flow fires trigger {}", trigger.id),
                 "what waits for it would never begin");
    if (trigger.kind == TriggerKind::multishot) return join_multishot(trigger, fired, begun);
    if (trigger.kind == TriggerKind::oneshot && fired.size() > 1)
      text_.fail(
          trigger.piece, fmt::format("oneshot trigger {} is fired {} times", trigger.id, fired.size()),
          fmt::format("the first of them would begin what waits; 'barrier count {}' waits for all of them",
                      fired.size()));
    if (trigger.kind == TriggerKind::barrier && fired.size() != trigger.count)
      fail_barrier(trigger, fired.size());
    for (const TriggerEnd& before : fired) {
      for (const TriggerEnd& after : begun)
        out_.depend(before.flow, after.flow, before.on_receipt, after.piece);
    }
  }

  [[noreturn]] void fail_barrier(const Trigger& trigger, std::size_t fired) const {
    text_.fail(trigger.piece,
               fmt::format("barrier {} counts to {} and is fired {}", trigger.id, trigger.count,
                           counted(fired, "time")),
               fired < trigger.count
                   ? "what waits for it would never begin"
                   : "any of them could complete it: only barriers over all that fire them are read");
  }

  /// A multishot trigger begins one flow each time. Which one it is does not depend on the run when they form
  /// a chain: each flow that it begins fires it for the next.
  void join_multishot(const Trigger& trigger, const TriggerEnds& fired, const TriggerEnds& begun) {
    std::vector<TriggerEnd> by_flow = fired;
    std::sort(by_flow.begin(), by_flow.end(),
              [](const TriggerEnd& a, const TriggerEnd& b) { return a.flow < b.flow; });
    const auto event_of = [&](std::uint32_t flow) -> const TriggerEnd* {
      const auto at = std::lower_bound(by_flow.begin(), by_flow.end(), flow,
                                       [](const TriggerEnd& a, std::uint32_t f) { return a.flow < f; });
      return at != by_flow.end() && at->flow == flow ? &*at : nullptr;
    };
    std::vector<std::uint32_t> waiting;
    for (const TriggerEnd& end : begun) waiting.push_back(end.flow);  // in the order of lines: sorted
    const auto waits = [&](const TriggerEnd& end) {
      return std::binary_search(waiting.begin(), waiting.end(), end.flow);
    };
    const auto first = std::find_if_not(fired.begin(), fired.end(), waits);
    const bool one_first =
        first != fired.end() && std::find_if_not(first + 1, fired.end(), waits) == fired.end();
    const bool once_each =
        std::adjacent_find(by_flow.begin(), by_flow.end(),
                           [](const auto& a, const auto& b) { return a.flow == b.flow; }) == by_flow.end();
    const bool fired_between = std::all_of(begun.begin(), begun.end() - 1,
                                           [&](const TriggerEnd& end) { return event_of(end.flow); });
    if (!one_first || !once_each || !fired_between) return line_up(trigger, fired, begun, std::move(waiting));
    const TriggerEnd* before = &*first;
    for (const TriggerEnd& after : begun) {
      out_.depend(before->flow, after.flow, before->on_receipt, after.piece);
      before = event_of(after.flow);
    }
  }

  void line_up(const Trigger& trigger, const TriggerEnds& fired, const TriggerEnds& begun, Lineup flows) {
    if (fired.size() < begun.size())
      text_.fail(trigger.piece,
                 fmt::format("multishot trigger {} is fired {} times, and {} flows wait for it", trigger.id,
                             fired.size(), begun.size()),
                 "each time it begins one of them: the last ones would never begin");
    for (const TriggerEnd& end : begun) {
      if (out_.from(end.flow) != out_.from(flows.front()))
        text_.fail(end.piece,
                   fmt::format("multishot trigger {} begins flows of hosts {} and {}", trigger.id,
                               out_.from(flows.front()), out_.from(end.flow)),
                   "flows of one host, or a chain in which each that it begins fires it for the next");
    }
    const std::uint32_t lineup = out_.line_up(std::move(flows));
    for (const TriggerEnd& event : fired) out_.depend(event.flow, lineup, event.on_receipt, event.piece);
  }

  const ForeignText& text_;
  FlowCollector& out_;
};

class ConnectionMatrix {
 public:
  ConnectionMatrix(const std::shared_ptr<const SourceText>& text, std::int64_t hosts, std::size_t most_flows)
      : text_(text), hosts_(hosts), out_(text_, hosts, most_flows) {}

  Workload read() {
    for (auto words = text_.next_words(); !words.empty(); words = text_.next_words()) read_line(words);
    check_count(kConnections, out_.flows());
    check_count(kTriggers, triggers_.size());
    check_count(kFailures, 0);
    check_ids();
    ids_ = std::vector<FlowId>();
    TriggerResolver(text_, out_).resolve(std::move(triggers_), std::move(fired_), std::move(begun_));
    return out_.finish();
  }

 private:
  enum Count : std::size_t { kNodes, kConnections, kTriggers, kFailures, kCounts };
  static constexpr std::array<std::string_view, kCounts> kCountNames = {"Nodes", "Connections", "Triggers",
                                                                        "Failures"};
  struct Stated {
    std::uint64_t count = 0;
    std::string_view piece;
  };
  /// Flows with the same id are messages of one connection (connection reuse of uet-htsim). A file has
  /// millions: where the id stands is kept as its distance from the flow's pair.
  struct FlowId {
    std::uint32_t id = 0;
    std::uint32_t flow = 0;
    std::uint32_t behind = 0;
    bool is_message = false;
  };
  /// The words that begin or connect flows, each at most once.
  struct Attributes {
    std::string_view id, start, size, trigger, sent, received, prio, msg;
  };

  void read_line(const std::vector<std::string_view>& all) {
    Words words(text_, all);
    const std::string_view first = words.next();
    if (const std::size_t arrow = first.find("->"); arrow != std::string_view::npos)
      return read_flow(first, arrow, words);
    if (first == "trigger") return read_trigger(first, words);
    if (first == "failure") fail_failure(first);
    const auto name = std::find(kCountNames.begin(), kCountNames.end(), first);
    if (name != kCountNames.end())
      return read_count(static_cast<Count>(name - kCountNames.begin()), first, words);
    text_.fail(
        first, fmt::format("unknown {}", quoted(first)),
        suggestion(first, {"Nodes", "Connections", "Triggers", "Failures", "trigger", "failure", "0->1"}));
  }

  void read_count(Count which, std::string_view key, Words& words) {
    if (stated_[which]) text_.fail(key, fmt::format("'{}' again", key), "name it once");
    if (out_.flows() > 0 || !triggers_.empty())
      text_.fail(key, fmt::format("'{}' behind flows or triggers", key),
                 "it belongs to the head of the file");
    stated_[which] = Stated{text_.whole(words.value_of(key), "count", which == kNodes ? 1 : 0, kMostId), key};
    words.end();
    if (which == kNodes &&
        stated_[which]->count > static_cast<std::uint64_t>(std::max<std::int64_t>(0, hosts_)))
      text_.fail(key,
                 fmt::format("{}; the network has {}", counted(stated_[which]->count, "node"),
                             counted(hosts_, "host")),
                 "a network of at least as many");
    if (which == kFailures && stated_[which]->count > 0) fail_failure(key);
    if (which == kConnections) reserve(stated_[which]->count);
  }

  /// No more than the file has room for, whatever it says.
  void reserve(std::uint64_t flows) {
    constexpr std::size_t kShortestLine = 20;  // "0->1 size 1 start 0" and its end
    const std::size_t most = text_.whole_text().source->text.size() / kShortestLine + 1;
    const auto expected = static_cast<std::size_t>(std::min<std::uint64_t>(flows, most));
    out_.reserve(expected);
    ids_.reserve(expected);
  }

  void check_count(Count which, std::size_t found) const {
    const auto& stated = stated_[which];
    if ((stated ? stated->count : 0) == found) return;
    const std::string message =
        stated ? fmt::format("'{} {}', and there are {}", kCountNames[which], stated->count, found)
               : fmt::format("{} of them without a line '{} {}'", found, kCountNames[which], found);
    text_.fail(stated ? stated->piece : text_.end(), message, "is the file complete?");
  }

  [[noreturn]] void fail_failure(std::string_view piece) const {
    text_.fail(piece, "failures are not read from connection matrices",
               "in the scenario: [[failure]] node = \"aggregation 0\", uplink = 1");
  }

  std::uint32_t host_of_pair(std::string_view piece) const {
    const std::uint32_t host = out_.host(piece);
    if (stated_[kNodes] && host >= stated_[kNodes]->count)
      text_.fail(piece, fmt::format("host {} of {}", host, counted(stated_[kNodes]->count, "node")),
                 fmt::format("nodes are numbered 0 to {}", stated_[kNodes]->count - 1));
    return host;
  }

  void read_flow(std::string_view pair, std::size_t arrow, Words& words) {
    Flow flow;
    flow.from = host_of_pair(pair.substr(0, arrow));
    flow.to = host_of_pair(pair.substr(arrow + 2));
    const Attributes a = attributes(words);
    if (a.size.empty()) text_.fail(pair, "a flow without 'size'", "size and its bytes");
    if (a.size == "0")
      text_.fail(a.size, "a flow without an end", "in htsim size 0 goes on for ever; at least 1 byte");
    flow.bytes = out_.bytes(a.size);
    if (a.start.empty() == a.trigger.empty())
      text_.fail(pair, a.start.empty() ? "neither 'start' nor 'trigger'" : "both 'start' and 'trigger'",
                 "'start' and picoseconds, or 'trigger' and its id");
    if (!a.start.empty())
      flow.start = static_cast<Picoseconds>(
          text_.decimal(a.start, "start in picoseconds", 0, kLatestStart.si() * kPicosecondsPerSecond));
    const std::uint32_t number = out_.add(flow, pair);
    if (!a.id.empty()) add_id(a, pair, number);
    if (!a.trigger.empty()) begun_.push_back({id(a.trigger), number, true, a.trigger});
    if (!a.received.empty()) fired_.push_back({id(a.received), number, true, a.received});
    if (!a.sent.empty()) fired_.push_back({id(a.sent), number, false, a.sent});
  }

  void add_id(const Attributes& a, std::string_view pair, std::uint32_t flow) {
    const auto behind = static_cast<std::uint32_t>(a.id.data() - pair.data());
    ids_.push_back({static_cast<std::uint32_t>(id(a.id)), flow, behind, !a.msg.empty()});
  }
  std::string_view piece_of(const FlowId& flow) const {
    return {out_.piece(flow.flow).data() + flow.behind, 1};
  }

  std::uint64_t id(std::string_view piece) const { return text_.whole(piece, "id", 1, kMostId); }

  Attributes attributes(Words& words) const {
    static const std::vector<std::pair<std::string, std::string_view Attributes::*>> kNames = {
        {"id", &Attributes::id},
        {"start", &Attributes::start},
        {"size", &Attributes::size},
        {"trigger", &Attributes::trigger},
        {"send_done_trigger", &Attributes::sent},
        {"recv_done_trigger", &Attributes::received},
        {"prio", &Attributes::prio},
        {"msg", &Attributes::msg}};
    Attributes out;
    while (words.more()) {
      const std::string_view key = words.next();
      const auto name =
          std::find_if(kNames.begin(), kNames.end(), [&](const auto& n) { return n.first == key; });
      if (name == kNames.end()) fail_attribute(key);
      const bool alone = key == "msg" && !words.next_is_number();
      set_once(out.*name->second, key, alone ? key : words.value_of(key));
    }
    if (!out.prio.empty()) text_.whole(out.prio, "priority", 0, kMostId);
    return out;
  }

  [[noreturn]] void fail_attribute(std::string_view word) const {
    text_.fail(word, fmt::format("unknown {}", quoted(word)),
               suggestion(word, {"id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger",
                                 "prio", "msg"}));
  }

  void read_trigger(std::string_view line, Words& words) {
    static const std::vector<std::pair<std::string, TriggerKind>> kKinds = {
        {"oneshot", TriggerKind::oneshot},
        {"multishot", TriggerKind::multishot},
        {"barrier", TriggerKind::barrier}};
    Trigger trigger;
    trigger.piece = line;
    std::string_view number, kind, count;
    while (words.more()) {
      const std::string_view key = words.next();
      const auto known =
          std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.first == key; });
      if (known != kKinds.end()) {
        set_once(kind, key, key);
        trigger.kind = known->second;
      } else if (key == "id") {
        set_once(number, key, words.value_of(key));
      } else if (key == "count") {
        set_once(count, key, words.value_of(key));
      } else {
        text_.fail(key, fmt::format("unknown {}", quoted(key)),
                   suggestion(key, {"id", "count", "oneshot", "multishot", "barrier"}));
      }
    }
    if (number.empty()) text_.fail(line, "a trigger without 'id'", "trigger id 1 oneshot");
    if (kind.empty()) text_.fail(line, "a trigger without a kind", "allowed: oneshot, multishot, barrier");
    if (count.empty() != (trigger.kind != TriggerKind::barrier))
      text_.fail(line,
                 count.empty() ? "a barrier without 'count'" : fmt::format("a {} trigger with a count", kind),
                 "a barrier counts, the others do not");
    trigger.id = id(number);
    if (!count.empty()) trigger.count = text_.whole(count, "count", 1, kMostId);
    triggers_.push_back(trigger);
  }

  void set_once(std::string_view& slot, std::string_view key, std::string_view value) const {
    if (!slot.empty()) text_.fail(key, fmt::format("'{}' again", key), "name it once");
    slot = value;
  }

  void check_ids() {
    std::sort(ids_.begin(), ids_.end(), [](const FlowId& a, const FlowId& b) {
      return std::make_pair(a.id, a.flow) < std::make_pair(b.id, b.flow);
    });
    for (std::size_t i = 1, first = 0; i < ids_.size(); ++i) {
      if (ids_[i].id != ids_[first].id) {
        first = i;
        continue;
      }
      if (!ids_[i].is_message)
        text_.fail(piece_of(ids_[i]), fmt::format("id {} again", ids_[i].id),
                   fmt::format("line {} has it; another message of that connection says 'msg'",
                               text_.where(piece_of(ids_[i - 1])).line));
      out_.continue_connection(ids_[first].flow, ids_[i].flow, piece_of(ids_[i]));
    }
  }

  ForeignText text_;
  std::int64_t hosts_;
  FlowCollector out_;
  std::array<std::optional<Stated>, kCounts> stated_;
  std::vector<FlowId> ids_;
  std::vector<Trigger> triggers_;
  TriggerEnds fired_, begun_;
};

}  // namespace

Workload read_connection_matrix(const std::shared_ptr<const SourceText>& text, std::int64_t hosts,
                                std::size_t most_flows) {
  return ConnectionMatrix(text, hosts, most_flows).read();
}

}  // namespace trainyard::workload
