#include "cli/manual.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/help.h"
#include "trainyard/provenance.h"

namespace trainyard {
namespace {

/// Text in which roff sees no request and no escape, and whose dashes can be copied.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;  // a line
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (c == '^') {
      out += "\\(ha";
    } else {
      out += c;
    }
    begins = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string heading(const std::string& page, const std::string& sentence) {
  return fmt::format(".TH {} 1 \"\" \"trainyard {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     roff(upper(page)), program_version(), roff(page), roff(sentence));
}

/// Text whose lines stay as they are.
std::string verbatim(const std::string& text) {
  return ".PP\n.nf\n" + roff(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

std::string entry_item(const FlagEntry& entry) {
  const std::string value = shown(entry).substr(entry.name.size());
  std::string out = ".TP\n\\fB" + roff(entry.name) + "\\fR";
  if (!value.empty()) out += "\\fI" + roff(value) + "\\fR";
  return out + "\n" + roff(described(entry)) + "\n";
}

std::string synopsis(const Command& command) {
  std::string out = "\\fBtrainyard " + roff(command.name) + "\\fR";
  for (const FlagEntry& entry : command.entries) {
    if (!entry.is_positional()) continue;
    out += entry.required ? " \\fI" + roff(entry.name) + "\\fR" : " [\\fI" + roff(entry.name) + "\\fR]";
  }
  return out + " [\\fIoptions\\fR]\n";
}

std::string entries(const Command& command) {
  std::string out;
  for (const FlagEntry& entry : command.entries) out += entry_item(entry);
  return out;
}

std::string example_items(const std::string& verb) {
  std::string out;
  for (const Example& e : examples_of(verb))
    out += ".TP\n" + roff(e.command) + "\n" + roff(e.sentence) + "\n";
  return out;
}

std::string see_also(const std::string& pages) { return ".SH SEE ALSO\n" + pages; }

}  // namespace

std::string manual_page(const std::vector<Command>& commands) {
  std::string out = heading("trainyard", "design, price and simulate AI training datacenters");
  out += ".SH SYNOPSIS\n\\fBtrainyard\\fR \\fIverb\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n";
  out += verbatim(start_page());
  out += ".SH VERBS\n";
  std::string pages;
  for (const Command& c : commands) {
    out += ".TP\n\\fBtrainyard\\-" + roff(c.name) + "\\fR(1)\n" + roff(c.sentence) + "\n";
    const char* behind = &c == &commands.back() ? "" : ",";
    pages += ".BR trainyard\\-" + roff(c.name) + " (1)" + behind + "\n";
  }
  for (const Topic& topic : topics()) {
    if (topic.name != "start") out += ".SH " + roff(upper(topic.name)) + "\n" + verbatim(topic.text);
  }
  return out + see_also(pages);
}

std::string manual_page(const Command& command) {
  std::string out = heading("trainyard-" + command.name, command.sentence) + ".SH SYNOPSIS\n";
  if (command.parts.empty()) out += synopsis(command) + ".SH OPTIONS\n" + entries(command);
  for (const Command& part : command.parts) out += synopsis(part) + ".br\n";
  for (const Command& part : command.parts)
    out += ".SH " + roff(upper(part.name)) + "\n" + roff(part.sentence) + "\n" + entries(part);
  std::string examples = example_items(command.name);
  for (const Command& part : command.parts) examples += example_items(part.name);
  if (!examples.empty()) out += ".SH EXAMPLES\n" + examples;
  out += ".SH EXIT STATUS\n0: an answer; 1: a check failed; 2: the question is wrong; 3: it has no answer.\n";
  return out + see_also(".BR trainyard (1)\n");
}

}  // namespace trainyard
