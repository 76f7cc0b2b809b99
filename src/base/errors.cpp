#include "base/errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "trainyard/errors.h"
#include "trainyard/printable.h"

namespace trainyard {
namespace {

constexpr std::size_t kExcerptColumns = 160;
constexpr std::size_t kColumnsBefore = 40;  // of a place further to the right
constexpr std::size_t kLongestName = 400;
constexpr std::size_t kLongestMessage = 1000;
constexpr std::size_t kMostFindings = 50;  // that are printed

std::string_view line_of(const SourceText& source, int line) {
  std::string_view rest = source.text;
  for (int i = 1; i < line; ++i) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return rest.substr(0, rest.find_first_of("\r\n"));
}

/// On one line, and of a length that can be read: a hostile file may hold keys of megabytes.
std::string shown(std::string_view text, std::size_t most) {
  std::string out = printable(elided(text, most));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return out;
}

/// Of the letter in UTF-8 that this byte is a part of.
std::size_t begin_of_letter(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

std::string excerpt(const Location& where) {
  if (!where.source || where.line <= 0) return {};
  const std::string_view line = line_of(*where.source, where.line);
  const auto column = static_cast<std::size_t>(std::max(where.column, 1)) - 1;
  if (line.empty() || column > line.size()) return {};
  const std::size_t first = column < kExcerptColumns ? 0 : begin_of_letter(line, column - kColumnsBefore);
  const std::string_view before = first > 0 ? "... " : "";
  const std::string text = shown(line.substr(first, kExcerptColumns), kExcerptColumns);
  return fmt::format("\n  {:>5} | {}{}\n        | {}^", where.line, before, text,
                     std::string(before.size() + column - first, ' '));
}

std::string first_message(const std::vector<Finding>& findings) {
  return findings.empty() ? std::string("invalid input") : describe(findings.front());
}

}  // namespace

const Location* given_place(const std::shared_ptr<const SectionPlaces>& places, const std::string& key) {
  if (!places) return nullptr;
  const auto at = places->keys.find(key);
  return at == places->keys.end() ? nullptr : &at->second;
}

const Location& place_of(const std::shared_ptr<const SectionPlaces>& places) {
  static const Location nowhere;
  return places ? places->section : nowhere;
}

const Location& place_of(const std::shared_ptr<const SectionPlaces>& places, const std::string& key) {
  const Location* given = given_place(places, key);
  return given ? *given : place_of(places);
}

std::shared_ptr<const SectionPlaces> with_place(const std::shared_ptr<const SectionPlaces>& places,
                                                const std::string& key, Location where) {
  SectionPlaces out = places ? *places : SectionPlaces{};
  out.keys[key] = std::move(where);
  return std::make_shared<const SectionPlaces>(std::move(out));
}

InputError::InputError(std::vector<Finding> findings)
    : std::runtime_error(first_message(findings)), findings_(std::move(findings)) {}

Infeasible::Infeasible(std::string constraint_, std::string shortfall_, std::string remedy_)
    : std::runtime_error(constraint_ + ": " + shortfall_),
      constraint(std::move(constraint_)),
      shortfall(std::move(shortfall_)),
      remedy(std::move(remedy_)) {}

void Findings::add(Location where, std::string message, std::string help) {
  findings_.push_back({std::move(where), std::move(message), std::move(help)});
}

void Findings::throw_if_any() const {
  if (!findings_.empty()) throw InputError(findings_);
}

void fail_input(Location where, std::string message, std::string help) {
  throw InputError({{std::move(where), std::move(message), std::move(help)}});
}

Location whole(std::string name) {
  return {std::make_shared<const SourceText>(SourceText{std::move(name), {}}), 0, 0};
}

std::string describe(const Finding& finding) {
  std::string text;
  if (finding.where.source) text = shown(finding.where.source->name, kLongestName);
  if (finding.where.line > 0) text += fmt::format(":{}:{}", finding.where.line, finding.where.column);
  if (!text.empty()) text += ": ";
  text += "error: " + shown(finding.message, kLongestMessage) + excerpt(finding.where);
  if (!finding.help.empty()) text += "\n  help: " + shown(finding.help, kLongestMessage);
  return text;
}

std::string describe(const std::vector<Finding>& findings) {
  std::string text;
  for (std::size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i)
    text += describe(findings[i]) + "\n";
  if (findings.size() > kMostFindings)
    text += fmt::format("error: and {} more of this kind or others\n", findings.size() - kMostFindings);
  return text;
}

void broken_invariant(std::string_view condition, std::string_view file, int line, std::string_view known) {
  fmt::print(stderr, "trainyard: broken invariant: {} ({}:{}): {}\n", condition, file, line, known);
  std::abort();
}

}  // namespace trainyard
