#include "trainyard/terminal_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace trainyard {
namespace {

/// Every word once, without blanks: what must survive any layout.
std::string letters(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') out += c;
  }
  return out;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto bytes = std::count_if(line.begin(), line.end(),
                                     [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; });
    most = std::max(most, static_cast<std::size_t>(bytes));
  }
  return most;
}

TEST(TerminalText, WhatFitsStaysAsItIs) {
  for (const std::string text : {"", "\n", "a", "a\n", "a    b   c\nd    e   f\n\n\n", "no end of line"})
    EXPECT_EQ(fitted(text, 80), text);
}

TEST(TerminalText, ASentenceGoesOnBelowItsBeginning) {
  EXPECT_EQ(fitted("   power            one two three four five six\nshort\n", 40),
            "   power            one two three four\n"
            "                    five six\n"
            "short\n");
  EXPECT_EQ(fitted("  - a remark that is longer than forty columns are", 40),
            "  - a remark that is longer than forty\n"
            "    columns are");
}

TEST(TerminalText, ALongWordStaysWhole) {
  const std::string address = "https://example.org/" + std::string(60, 'x');
  EXPECT_EQ(fitted("   see " + address + " for more\n", 40), "   see\n     " + address + "\n     for more\n");
  EXPECT_EQ(fitted(address + "\n", 40), address + "\n");
  EXPECT_EQ(fitted("                              twenty-characters-xx\n", 40),
            "                    twenty-characters-xx\n");
}

TEST(TerminalText, ATableLosesBlanksBeforeItIsCut) {
  EXPECT_EQ(fitted("name            price            power\n"
                   "one               $12              3 W\n"
                   "three              $4             12 W\n",
                   40),
            "name            price            power\n"
            "one               $12              3 W\n"
            "three              $4             12 W\n");
  EXPECT_EQ(fitted("name                price            power\n"
                   "one                   $12              3 W\n",
                   40),
            "name  price  power\n"
            "one     $12    3 W\n");
}

TEST(TerminalText, AWideTableGoesOnWithItsFirstColumn) {
  EXPECT_EQ(fitted("design          alpha-alpha     beta-beta-beta     gamma-gamma\n"
                   "switches                 12                  8               7\n",
                   40),
            "design    alpha-alpha  beta-beta-beta\n"
            "switches           12               8\n"
            "\n"
            "design    gamma-gamma\n"
            "switches            7\n");
}

/// Where its last column is cut into lines, they stand below each other: at the column, or in the middle of
/// what is left of it.
TEST(TerminalText, ALongLastCellGoesOnBelowItself) {
  const std::string words = "one two three four five six seven eight nine ten";
  for (const std::size_t first : {4U, 8U, 13U, 16U, 18U, 21U, 24U, 27U}) {
    const auto cell = [&](std::string text) { return text + std::string(first + 3 - text.size(), ' '); };
    const std::string name(first, 'n');
    const std::string text =
        fitted(cell(name) + "12   " + words + "\n" + cell("b") + "34   " + words + "\n", 40);
    std::istringstream lines(text);
    std::string line;
    std::size_t begin = std::string::npos;
    while (begin == std::string::npos && std::getline(lines, line)) begin = line.find("one");
    ASSERT_NE(begin, std::string::npos) << text;
    ASSERT_TRUE(std::getline(lines, line)) << text;
    EXPECT_EQ(line.find_first_not_of(' '), std::min<std::size_t>(begin, 20)) << text;
  }
}

TEST(TerminalText, ATitleIsNoCellOfTheTableBelowIt) {
  EXPECT_EQ(fitted("Step\n"
                   "    forward       12 ms      of all microbatches\n"
                   "    backward      24 ms      with the recomputation\n",
                   36),
            "Step\n"
            "    forward   12 ms\n"
            "    backward  24 ms\n"
            "\n"
            "    forward   of all microbatches\n"
            "    backward  with the recomputation\n");
}

TEST(TerminalText, SentencesAtTheEndOfATableAreWrapped) {
  EXPECT_EQ(fitted("part     keep   then\n"
                   "switch    10%   other rails carry it, forwarded\n"
                   "fibre     90%   one port less\n",
                   40),
            "part    keep  then\n"
            "switch   10%  other rails carry it,\n"
            "              forwarded\n"
            "fibre    90%  one port less\n");
}

TEST(TerminalText, CharactersCountNotBytes) {
  const std::string line = "\u00a7\u00a7\u00a7\u00a7\u00a7\u00a7\u00a7\u00a7 ";
  std::string text;
  for (int i = 0; i < 9; ++i) text += line;
  const std::string out = fitted(text, 40);
  EXPECT_EQ(letters(out), letters(text));
  EXPECT_EQ(widest(out), 37U);  // two blanks and four words; a fifth would end at the 46th
  EXPECT_EQ(fitted("\U0001F600 \u20ac " + std::string(40, 'x'), 40),
            "\U0001F600 \u20ac\n" + std::string(40, 'x'));
}

TEST(TerminalText, NoWordIsLostAndNoLineTooWide) {
  std::string text;
  unsigned seed = 1;
  const auto drawn = [&seed](unsigned most) { return (seed = seed * 1664525U + 1013904223U) >> 16U % most; };
  for (int line = 0; line < 400; ++line) {
    const unsigned words = drawn(14) % 14;
    text += std::string(drawn(6) % 6, ' ');
    for (unsigned w = 0; w < words; ++w)
      text +=
          std::string(1 + drawn(11) % 11, static_cast<char>('a' + w)) + std::string(1 + drawn(7) % 7, ' ');
    text += "\n";
  }
  for (const std::size_t columns : {40U, 57U, 80U, 200U}) {
    const std::string out = fitted(text, columns);
    EXPECT_LE(widest(out), columns);
    std::string before = letters(text);
    std::string after = letters(out);
    EXPECT_GE(after.size(), before.size());  // names of tables stand again
  }
}

TEST(TerminalText, FindingsGoOnBelowWithTheirMarksInPlace) {
  EXPECT_EQ(fitted_findings("my.toml:12:1: error: unknown key 'design.kiind' of it\n"
                            "     12 | kiind = 3\n"
                            "        | ^\n"
                            "  help: allowed: name, title, topology, hosts, domain\n",
                            40),
            "my.toml:12:1: error: unknown key\n"
            "    'design.kiind' of it\n"
            "     12 | kiind = 3\n"
            "        | ^\n"
            "  help: allowed: name, title, topology,\n"
            "        hosts, domain\n");
  EXPECT_EQ(fitted_findings("x: error: short\n", 40), "x: error: short\n");
}

TEST(TerminalText, OfALongQuotedLineThePartAroundTheMarkIsLeft) {
  const std::string letters_of_line = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (std::size_t at = 0; at < letters_of_line.size(); ++at) {
    const std::string out =
        fitted_findings("      1 | " + letters_of_line + "\n        | " + std::string(at, ' ') + "^", 40);
    EXPECT_LE(widest(out), 40U) << out;
    const std::size_t mark = out.rfind('^') - out.find('\n') - 1;
    EXPECT_EQ(out[mark], letters_of_line[at]) << out;
  }
}

TEST(TerminalText, HeadingsAreBoldAndErrorsRed) {
  EXPECT_EQ(coloured("Title\n\n1. Part\n   label  text\n"),
            "\x1b[1mTitle\x1b[0m\n\n\x1b[1m1. Part\x1b[0m\n   label  text\n");
  EXPECT_EQ(coloured("my.toml:8:1: error: no\n  help: yes\n"),
            "my.toml:8:1: \x1b[1;31merror:\x1b[0m no\n  \x1b[1;36mhelp:\x1b[0m yes\n");
  EXPECT_EQ(coloured("a\nwarning: b"), "\x1b[1ma\x1b[0m\n\x1b[1;33mwarning:\x1b[0m b");
  EXPECT_EQ(coloured("   no error: inside"), "   no error: inside");
}

}  // namespace
}  // namespace trainyard
