// The named quantities of a plan: one table from which come the text, JSON, CSV, `--explain` and
// docs/output.md.
#pragma once

#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

/// One number (or text) of a plan.
struct PlanQuantity {
  std::string key;    // "facility.power_low_w": section, name, unit
  std::string label;  // for people
  Unit unit = Unit::number;
  double value = 0;
  std::string text;     // for Unit::none
  std::string formula;  // of other keys, as plain arithmetic; empty for inputs
  std::string how;      // in words, where there is no single formula
  std::string source;   // paper and section, or the catalog entry
  bool known = true;    // else no value: null in JSON, empty in CSV

  std::string section() const { return key.substr(0, key.find('.')); }
  /// Behind the section: "power_low_w".
  std::string name() const { return key.substr(key.find('.') + 1); }
};

/// Its text or its value with a unit, for people; "unknown" where it is not known.
std::string shown_quantity(const PlanQuantity& quantity);

/// Every quantity of a plan, in the order of the story. Keys are stable. Throws InputError for a plan whose
/// settings were so far from those of any system that a quantity is infinite or not a number.
std::vector<PlanQuantity> plan_quantities(const Plan& plan);

/// The quantity of a key, or of a name without section and unit that is the only one of its kind. Throws
/// InputError with the nearest key.
const PlanQuantity& find_quantity(const std::vector<PlanQuantity>& quantities, const std::string& key,
                                  const Location& asked_at = {});

/// The value of one quantity, without making the others' sections: for sweeps. NaN when this plan has no such
/// quantity, or does not know it.
double read_quantity_value(const Plan& plan, const std::string& key);

/// The keys that a formula names, each once.
std::vector<std::string> formula_keys(const std::string& formula);

/// The formula of a quantity with the numbers filled in, its inputs, and its source: the text of `--explain`.
std::string explain(const std::vector<PlanQuantity>& quantities, const std::string& key);

/// The same as a record: key, label, value, formula, its inputs with their values, how, source.
std::string explain_json(const std::vector<PlanQuantity>& quantities, const std::string& key);

/// One section of the story.
struct QuantitySection {
  std::string name;   // "facility"
  std::string title;  // "Infrastructure"
};
const std::vector<QuantitySection>& quantity_sections();

}  // namespace trainyard
