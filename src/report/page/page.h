// What the HTML reports share: a template with its style, script and charts, all in one file.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct Chart;
struct Provenance;
struct Scenario;

/// Labels with values.
using PageFacts = std::vector<std::pair<std::string, std::string>>;

/// What stands around the sections of every page.
struct PageFrame {
  std::string kind;          // "months", above the title
  std::string title;         // escaped by page()
  std::string subject = {};  // a sentence below the title, escaped by page(); empty: none
  PageFacts cards = {};
  std::string remarks = {};  // HTML below the cards
  std::string footer = {};   // page_footer()
  bool charts = true;        // whether the page needs the chart library
};

/// The page of that name ("plan") in one file: web/frame.html around the sections of web/NAME.html, whose
/// {{parts}} are replaced. web/NAME.css and web/NAME.js follow the common style and script where they exist;
/// `charts` are drawn where the sections have an element chart-list and {{static_charts}}.
std::string page(const std::string& name, const PageFrame& frame, std::map<std::string, std::string> parts,
                 const std::vector<Chart>& charts);

/// The scenario's title, or its file's name.
std::string page_title(const Scenario& scenario);

/// An embedded file of src/report/page/web/.
std::string page_file(const std::string& name);

/// JSON as it may stand in a script element: no text in it can close the element.
std::string page_json(const std::string& json);

/// What the pages' scripts call a unit.
std::string_view page_unit(Unit unit);

/// As cards at the top of a page; escaped.
std::string page_cards(const PageFacts& cards);

/// As rows of two columns; escaped. An empty value is one that was left to the program.
std::string page_facts(const PageFacts& facts);

/// Settings that a scenario leaves out: shown as such, or not at all.
enum class LeftOut { shown, hidden };
/// Its settings whose keys begin with one of these ("circuits.").
PageFacts page_settings(const Scenario& scenario, std::initializer_list<std::string_view> starts,
                        LeftOut left_out = LeftOut::hidden);

/// Names with values in base units.
using PageParts = std::vector<std::pair<std::string, double>>;

/// Parts of a whole as a coloured bar with a key; those of 0 are left out. Escaped.
std::string page_bar(const std::string& title, double whole, const PageParts& parts, Unit unit);

/// A section with the charts of a page that may have none; nothing then.
std::string chart_section(const std::string& title, const std::vector<Chart>& charts);

/// Who wrote the page, of which scenario.
std::string page_footer(const Provenance& provenance);
std::string page_footer(const Scenario& scenario);

}  // namespace trainyard
