#include "trainyard/terminal_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace trainyard {
namespace {

// Columns are those of characters, not of bytes: lines are cut as UTF-32.
using Line = std::u32string;
using Lines = std::span<const Line>;

constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kGap = 2;            // blanks between columns
constexpr std::size_t kFewestColumns = 3;  // of a table: a label and a text are none
constexpr std::size_t kProseWidth = 20;    // the least that a column of sentences needs

Line widened(std::string_view text) {
  Line out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = (byte & 0xC0U) == 0x80;
    if (!continues) {
      out += byte < 0x80 ? byte : byte < 0xE0 ? byte & 0x1FU : byte < 0xF0 ? byte & 0x0FU : byte & 0x07U;
    } else if (!out.empty()) {
      out.back() = (out.back() << 6U) | (byte & 0x3FU);
    }
  }
  return out;
}

void append(std::string& out, const Line& line) {
  const auto put = [&out](char32_t bits) { out += static_cast<char>(bits); };
  for (const char32_t c : line) {
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0U | c >> 6U);
      put(0x80U | (c & 0x3FU));
    } else if (c < 0x10000) {
      put(0xE0U | c >> 12U);
      put(0x80U | (c >> 6U & 0x3FU));
      put(0x80U | (c & 0x3FU));
    } else {
      put(0xF0U | c >> 18U);
      put(0x80U | (c >> 12U & 0x3FU));
      put(0x80U | (c >> 6U & 0x3FU));
      put(0x80U | (c & 0x3FU));
    }
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

Line trimmed_end(Line line) {
  line.erase(line.find_last_not_of(U' ') + 1);
  return line;
}

/// Where a line goes on: below what follows its label, else two columns to the right of its beginning.
std::size_t hang_of(const Line& line, std::size_t columns) {
  const std::size_t begin = std::min(line.find_first_not_of(U' '), line.size());
  const std::size_t gap = line.find(U"  ", begin);
  const std::size_t text = gap == Line::npos ? gap : line.find_first_not_of(U' ', gap);
  if (text != Line::npos && text <= columns / 2) return text;
  return std::min(begin + kGap, columns / 2);
}

/// The line on several, cut at blanks. A word that is longer than a line stays whole.
void wrap(Line line, std::size_t columns, std::size_t hang, std::vector<Line>& out) {
  line = trimmed_end(std::move(line));
  std::size_t begin = std::min(line.find_first_not_of(U' '), line.size());
  while (line.size() > columns) {
    std::size_t cut = line.rfind(U' ', columns);
    if (cut == Line::npos || cut <= begin) cut = line.find(U' ', std::max(columns, begin));
    if (cut == Line::npos) {  // one word: nearer to the left
      line.erase(0, std::min(begin, line.size() - columns));
      break;
    }
    const std::size_t next = line.find_first_not_of(U' ', cut);
    out.push_back(trimmed_end(line.substr(0, cut)));
    line = Line(hang, U' ') + line.substr(next);
    begin = hang;
  }
  out.push_back(line);
}

/// Characters from `begin` to before `end`.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t width() const { return end - begin; }
};

/// Columns of a table: what at least two blanks in every line part.
std::vector<Extent> extents_of(const std::vector<bool>& filled) {
  std::vector<Extent> out;
  for (std::size_t i = 0; i < filled.size(); ++i) {
    if (!filled[i]) continue;
    if (!out.empty() && i - out.back().end < kGap)
      out.back().end = i + 1;
    else
      out.push_back({i, i + 1});
  }
  return out;
}

void fill(std::vector<bool>& filled, const Line& line) {
  if (filled.size() < line.size()) filled.resize(line.size(), false);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != U' ') filled[i] = true;
  }
}

struct Table {
  std::size_t lines = 0;
  std::vector<Extent> columns;
};

Line cell(const Line& line, const Extent& extent) {
  return extent.begin < line.size() ? line.substr(extent.begin, extent.width()) : Line();
}

/// Sentences that all begin at the same place.
bool is_prose(Lines lines, const Extent& extent) {
  std::size_t cells = 0;
  std::size_t sentences = 0;
  for (const Line& line : lines) {
    const Line text = trimmed_end(cell(line, extent));
    if (text.empty()) continue;
    if (text.front() == U' ') return false;
    ++cells;
    if (std::count(text.begin(), text.end(), U' ') > 1) ++sentences;
  }
  return 2 * sentences > cells;
}

/// Whether a line names what is indented below it.
bool is_title(Lines lines) {
  const std::size_t begin = lines[0].find_first_not_of(U' ');
  return lines.size() > 1 && begin != Line::npos && begin < lines[1].find_first_not_of(U' ') &&
         lines[0].find(U"  ", begin) == Line::npos;
}

/// Labels with sentences, some of which happen to have blanks at the same places, are no table.
bool is_table(Lines lines, std::span<const Extent> columns) {
  if (lines.size() < 2 || columns.size() < kFewestColumns) return false;
  return columns.size() > kFewestColumns || !is_prose(lines, columns[1]);
}

/// The table that these lines begin with; no lines where they begin with none. A line that would join most of
/// its columns belongs to another one, or is a sentence.
Table table_at(Lines lines) {
  if (is_title(lines)) return {};
  Table table;
  std::vector<bool> filled;
  std::size_t most = 0;
  for (const Line& line : lines) {
    std::vector<bool> with = filled;
    fill(with, line);
    auto columns = extents_of(with);
    const bool joins = columns.size() < kFewestColumns || 3 * columns.size() < 2 * most;
    if (table.lines > 0 && joins) break;
    most = std::max(most, columns.size());
    filled = std::move(with);
    table.columns = std::move(columns);
    ++table.lines;
  }
  return is_table(lines.subspan(0, table.lines), table.columns) ? table : Table{};
}

/// Some columns of a table side by side, the last wrapped where it is too wide.
void lay_out(Lines lines, std::span<const Extent> columns, std::size_t indent, std::size_t width,
             std::vector<Line>& out) {
  for (const Line& line : lines) {
    Line row(indent, U' ');
    std::size_t last = indent;
    for (const Extent& extent : columns) {
      last = row.size();
      Line text = cell(line, extent);
      text.resize(extent.width(), U' ');
      row += text + Line(kGap, U' ');
    }
    wrap(std::move(row), width, std::min(last, width / 2), out);
  }
}

/// How many of the columns stand side by side with the first `kept` ones, which every part begins with.
std::size_t fitting(std::span<const Extent> columns, std::size_t room) {
  std::size_t used = 0;
  std::size_t count = 0;
  for (const Extent& extent : columns) {
    used += extent.width() + (count > 0 ? kGap : 0);
    if (used > room && count > 0) break;
    ++count;
  }
  return count;
}

void lay_out_table(Lines lines, const Table& table, std::size_t width, std::vector<Line>& out) {
  const std::size_t indent = table.columns.front().begin;
  // A mark before the names is no name.
  const std::size_t kept =
      table.columns.front().width() <= 2 && table.columns.size() > kFewestColumns ? 2 : 1;
  std::size_t names = indent;
  for (std::size_t i = 0; i < kept; ++i) names += table.columns[i].width() + kGap;
  const std::size_t room = width > names ? width - names : 0;
  std::span<const Extent> rest = std::span(table.columns).subspan(kept);
  bool first = true;
  while (!rest.empty()) {
    std::size_t count = fitting(rest, room);
    // Sentences at the end need no part of their own where there is some room.
    if (count + 1 == rest.size() && is_prose(lines, rest.back())) {
      std::size_t used = 0;
      for (std::size_t i = 0; i < count; ++i) used += rest[i].width() + kGap;
      if (used + kProseWidth <= room) ++count;
    }
    std::vector<Extent> part(table.columns.begin(),
                             table.columns.begin() + static_cast<std::ptrdiff_t>(kept));
    part.insert(part.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
    if (!first) out.emplace_back();
    lay_out(lines, part, indent, width, out);
    rest = rest.subspan(count);
    first = false;
  }
}

bool is_wide(Lines lines, std::size_t width) {
  return std::any_of(lines.begin(), lines.end(), [width](const Line& l) { return l.size() > width; });
}

/// Lines without an empty one between them.
void lay_out_block(Lines block, std::size_t width, std::vector<Line>& out) {
  while (!block.empty()) {
    const Table table = table_at(block);
    const Lines lines = block.subspan(0, std::max<std::size_t>(table.lines, 1));
    if (!is_wide(lines, width))
      out.insert(out.end(), lines.begin(), lines.end());
    else if (table.lines > 0)
      lay_out_table(lines, table, width, out);
    else
      wrap(lines.front(), width, hang_of(lines.front(), width), out);
    block = block.subspan(lines.size());
  }
}

/// All lines as one text again, which ends as `text` does.
std::string joined(const std::vector<Line>& lines, std::string_view text) {
  std::string out;
  for (const Line& line : lines) {
    append(out, line);
    out += '\n';
  }
  if (!text.ends_with('\n')) out.pop_back();
  return out;
}

constexpr std::size_t kMargin = 10;  // of a quoted line: "      8 | "
constexpr Line::size_type kNoMark = Line::npos;

/// Where in the quoted line above it this one has its mark.
std::size_t mark_in(const Line& line) {
  const bool marks = line.size() > kMargin && line.back() == U'^' && line[kMargin - 2] == U'|';
  const bool only = line.find_first_not_of(U" |") == line.size() - 1;
  return marks && only ? line.size() - 1 - kMargin : kNoMark;
}

/// A quoted line and the one with its mark: what fits of them around the mark.
void cut_quote(const Line& quoted, std::size_t mark, std::size_t width, std::vector<Line>& out) {
  const Line ellipsis = U"...";
  const std::size_t room = width - kMargin;
  Line text = quoted.substr(kMargin);
  std::size_t begin = 0;
  if (text.size() > room) {
    if (mark + room / 2 > room) begin = std::min(mark - room / 3, text.size() - std::min(text.size(), room));
    const bool more = begin + room < text.size();
    text = text.substr(begin, room);
    if (begin > 0) text.replace(0, ellipsis.size(), ellipsis);
    if (more) text.replace(text.size() - ellipsis.size(), ellipsis.size(), ellipsis);
  }
  out.push_back(quoted.substr(0, kMargin) + text);
  Line below = Line(kMargin - 2, U' ');
  below += U"| ";
  below.append(mark - begin, U' ');
  below += U'^';
  out.push_back(std::move(below));
}

/// Where a sentence about an input goes on.
std::size_t hang_of_finding(const Line& line) {
  constexpr std::size_t kHelp = 8;  // below what follows "  help: "
  constexpr std::size_t kFurther = 4;
  return line.starts_with(U"  help: ") ? kHelp : kFurther;
}

/// The lines of a text that has one beyond the columns, laid out anew by `lay_out(lines, width)`.
template <class LayOut>
std::string fitted_by(std::string_view text, std::size_t columns, const LayOut& lay_out) {
  const std::size_t width = std::max(columns, kNarrowest);
  std::vector<Line> lines;
  for (const std::string_view line : lines_of(text)) lines.push_back(widened(line));
  return is_wide(lines, width) ? joined(lay_out(lines, width), text) : std::string(text);
}

std::vector<Line> findings_laid_out(Lines lines, std::size_t width) {
  std::vector<Line> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t mark = i + 1 < lines.size() ? mark_in(lines[i + 1]) : kNoMark;
    if (mark != kNoMark && lines[i].size() > kMargin)
      cut_quote(lines[i++], mark, width, out);
    else
      wrap(lines[i], width, hang_of_finding(lines[i]), out);
  }
  return out;
}

std::vector<Line> blocks_laid_out(Lines lines, std::size_t width) {
  std::vector<Line> out;
  for (auto at = lines.begin(); at != lines.end();) {
    const auto end = std::find_if(at, lines.end(), [](const Line& l) { return l.empty(); });
    lay_out_block(Lines(at, end), width, out);
    if (end != lines.end()) out.emplace_back();
    at = end == lines.end() ? end : end + 1;
  }
  return out;
}

}  // namespace

std::string fitted_findings(std::string_view text, std::size_t columns) {
  return fitted_by(text, columns, findings_laid_out);
}

std::string fitted(std::string_view text, std::size_t columns) {
  return fitted_by(text, columns, blocks_laid_out);
}

namespace {

constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kBold = "\x1b[1m";

struct Word {
  std::string_view word;
  std::string_view colour;
};
constexpr std::array<Word, 5> kWords = {{{"error:", "\x1b[1;31m"},
                                         {"infeasible:", "\x1b[1;31m"},
                                         {"warning:", "\x1b[1;33m"},
                                         {"help:", "\x1b[1;36m"},
                                         {"note:", "\x1b[1;36m"}}};

/// Where one of the words stands: behind blanks, or a place and a colon ("my.toml:8:1: error:").
std::size_t find_word(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return at;
  const std::string_view before = line.substr(0, at);
  const bool leads = before.find_first_not_of(' ') == std::string_view::npos || before.ends_with(": ");
  return leads ? at : std::string_view::npos;
}

std::string coloured_line(std::string_view line, bool heading) {
  for (const Word& w : kWords) {
    const std::size_t at = find_word(line, w.word);
    if (at == std::string_view::npos) continue;
    return std::string(line.substr(0, at)) + std::string(w.colour) + std::string(w.word) +
           std::string(kPlain) + std::string(line.substr(at + w.word.size()));
  }
  if (!heading || line.empty() || line.front() == ' ') return std::string(line);
  return std::string(kBold) + std::string(line) + std::string(kPlain);
}

}  // namespace

std::string coloured(std::string_view text) {
  std::string out;
  bool begins = true;  // a heading has nothing or an empty line before it
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += coloured_line(lines[i], begins);
    begins = lines[i].empty();
    if (i + 1 < lines.size() || text.ends_with('\n')) out += '\n';
  }
  return out;
}

}  // namespace trainyard
