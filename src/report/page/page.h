// What the HTML reports share: a template with its style, script and charts, all in one file.
#pragma once

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

/// The embedded template of that name (src/report/web/) with every {{part}} replaced: `parts`, and the style,
/// script, chart library and charts that every page has.
std::string page(const std::string& template_name, std::map<std::string, std::string> parts,
                 const std::vector<Chart>& charts);

/// An embedded script or style of src/report/web/.
std::string page_file(const std::string& name);

/// JSON as it may stand in a script element: no text in it can close the element.
std::string page_json(const std::string& json);

/// What the pages' scripts call a unit.
std::string_view page_unit(Unit unit);

/// Labels with values.
using PageFacts = std::vector<std::pair<std::string, std::string>>;

/// As cards at the top of a page; escaped.
std::string page_cards(const PageFacts& cards);

/// As rows of two columns; escaped. An empty value is one that was left to the program.
std::string page_facts(const PageFacts& facts);

/// Who wrote the page, of which scenario.
std::string page_footer(const Provenance& provenance);
std::string page_footer(const Scenario& scenario);

}  // namespace trainyard
