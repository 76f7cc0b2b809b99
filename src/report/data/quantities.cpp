#include "trainyard/quantities.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "base/finite.h"
#include "report/data/quantity_list.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

bool part_of_key(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// The words of a formula that are keys: they start with a letter and hold a dot.
template <class Visit>
void for_each_word(const std::string& formula, Visit visit) {
  for (std::size_t at = 0; at < formula.size();) {
    std::size_t end = at;
    while (end < formula.size() && part_of_key(formula[end])) ++end;
    const bool is_key = end > at && std::isalpha(static_cast<unsigned char>(formula[at])) != 0 &&
                        formula.substr(at, end - at).find('.') != std::string::npos;
    if (end == at) ++end;
    visit(formula.substr(at, end - at), is_key);
    at = end;
  }
}

/// Sections in the order of the story.
struct SectionMaker {
  const char* name;
  const char* title;
  void (*add)(std::vector<PlanQuantity>&, const Plan&);
};

constexpr SectionMaker kSections[] = {
    {"facility", "Infrastructure", add_facility},
    {"scaling", "Scaling laws", add_scaling},
    {"model", "Architecture", add_model},
    {"mapping", "Mapping and memory", add_mapping},
    {"communication", "Communication of a layer", add_communication},
    {"step", "Step time", add_step},
    {"cost", "Cost of the training run", add_cost},
};

std::string filled_in(const std::vector<PlanQuantity>& quantities, const std::string& formula) {
  std::string text;
  for_each_word(formula, [&](const std::string& word, bool is_key) {
    text += is_key ? shown_quantity(find_quantity(quantities, word)) : word;
  });
  return text;
}

}  // namespace

std::string shown_quantity(const PlanQuantity& quantity) {
  if (!quantity.known) return "unknown";
  return quantity.unit == Unit::none ? quantity.text : format_quantity(quantity.value, quantity.unit);
}

std::vector<PlanQuantity> plan_quantities(const Plan& plan) {
  std::vector<PlanQuantity> out;
  for (const SectionMaker& section : kSections) {
    section.add(out, plan);
    if (section.add == add_step) add_months(out, plan);
  }
  for (const PlanQuantity& q : out) finite(q.value, fmt::format("{} ({})", q.label, q.key));
  return out;
}

double read_quantity_value(const Plan& plan, const std::string& key) {
  std::vector<PlanQuantity> out;
  const auto find = [&] {
    return std::find_if(out.begin(), out.end(), [&](const PlanQuantity& q) { return q.key == key; });
  };
  for (const SectionMaker& section : kSections) {
    if (key.starts_with(std::string(section.name) + ".")) section.add(out, plan);
  }
  // They plan steps on slower networks: only for who asks.
  if (key.starts_with("step.") && find() == out.end()) add_months(out, plan);
  const auto found = find();
  return found == out.end() || !found->known ? std::numeric_limits<double>::quiet_NaN() : found->value;
}

namespace {

/// "mfu" for "step.mfu", "forward" for "step.forward_s".
bool short_for(const std::string& name, const PlanQuantity& q) {
  return q.name() == name || q.name() == name + std::string(unit_suffix(q.unit));
}

}  // namespace

const PlanQuantity& find_quantity(const std::vector<PlanQuantity>& quantities, const std::string& key,
                                  const Location& asked_at) {
  const auto found =
      std::find_if(quantities.begin(), quantities.end(), [&](const PlanQuantity& q) { return q.key == key; });
  if (found != quantities.end()) return *found;
  const auto is_short = [&](const PlanQuantity& q) { return short_for(key, q); };
  if (std::count_if(quantities.begin(), quantities.end(), is_short) == 1) {
    return *std::find_if(quantities.begin(), quantities.end(), is_short);
  }
  std::vector<std::string> keys;
  for (const PlanQuantity& q : quantities) keys.push_back(q.key);
  fail_input(asked_at.source ? asked_at : whole(key), "the plan has no quantity '" + key + "'",
             suggestion(key, keys));
}

std::vector<std::string> formula_keys(const std::string& formula) {
  std::vector<std::string> keys;
  for_each_word(formula, [&](const std::string& word, bool is_key) {
    if (is_key && std::find(keys.begin(), keys.end(), word) == keys.end()) keys.push_back(word);
  });
  return keys;
}

std::string explain(const std::vector<PlanQuantity>& quantities, const std::string& key) {
  const PlanQuantity& q = find_quantity(quantities, key, whole("--explain"));
  std::string text = fmt::format("{}\n  {} = {}\n", q.label, q.key, shown_quantity(q));
  if (!q.formula.empty()) {
    text += fmt::format("  = {}\n  = {}\n", q.formula, filled_in(quantities, q.formula));
    for (const std::string& word : formula_keys(q.formula)) {
      const PlanQuantity& input = find_quantity(quantities, word);
      text += fmt::format("    {:<44} {:>16}  {}\n", word, shown_quantity(input), input.label);
    }
  }
  if (!q.how.empty()) text += fmt::format("  how: {}\n", q.how);
  if (!q.source.empty()) text += fmt::format("  source: {}\n", q.source);
  if (q.formula.empty() && q.how.empty() && q.source.empty())
    text += "  an input of the scenario or the catalog\n";
  return text;
}

const std::vector<QuantitySection>& quantity_sections() {
  static const std::vector<QuantitySection> sections = [] {
    std::vector<QuantitySection> out;
    for (const SectionMaker& section : kSections) out.push_back({section.name, section.title});
    return out;
  }();
  return sections;
}

}  // namespace trainyard
