#include "scenario/one_setting.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/fields.h"
#include "catalog/catalog.h"
#include "scenario/sections.h"
#include "scenario/transport_sections.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/sweeps.h"

namespace trainyard {
namespace {

using SettingCheck = std::function<void(const Table& one, const std::string& path, Findings& findings)>;

template <class R>
SettingCheck by_fields(const FieldTable<R>& fields) {
  return [&fields](const Table& one, const std::string& path, Findings& findings) {
    const std::string& key = one.members.front().key;
    const bool known =
        std::any_of(fields.begin(), fields.end(), [&](const Field<R>& f) { return f.info.name == key; });
    R record{};
    if (known) read_fields(record, one, fields, path, findings);
  };
}

/// [model] says which one, or has a shape of its own.
void check_model(const Table& one, const std::string& path, Findings& findings) {
  const bool of_choice = one.find("name") || one.find("parameters");
  (of_choice ? by_fields(model_choice_fields()) : by_fields(model_fields()))(one, path, findings);
}

using SettingChecks = std::map<std::string, SettingCheck>;

void add_repeated(SettingChecks& out) {
  out["phase"] = by_fields(phase_fields());
  out["design"] = by_fields(design_fields());
  out["tier"] = by_fields(tier_fields());
  out["failure"] = by_fields(failure_fields());
  out["probe"] = by_fields(probe_fields());
  out["straggler"] = by_fields(straggler_fields());
  out["step_failure"] = by_fields(step_failure_fields());
}

SettingChecks all_checks() {
  SettingChecks out;
  out["facility"] = by_fields(facility_fields());
  out["training"] = by_fields(training_fields());
  out["model"] = check_model;
  out["mapping"] = by_fields(mapping_fields());
  out["precision"] = by_fields(precision_fields());
  out["network"] = by_fields(network_fields());
  out["assumptions"] = by_fields(assumption_fields());
  out["measurement"] = by_fields(measurement_fields());
  out["rail"] = by_fields(rail_fields());
  out["resilience"] = by_fields(resilience_fields());
  out["circuits"] = by_fields(circuit_fields());
  out["schedule"] = by_fields(schedule_fields());
  out["operation"] = by_fields(operation_fields());
  out["ownership"] = by_fields(ownership_fields());
  out["site"] = by_fields(site_fields());
  out["floor"] = by_fields(floor_fields());
  out["optimize"] = by_fields(optimize_fields());
  out["wide_area"] = by_fields(wide_area_fields());
  out["long_haul"] = by_fields(long_haul_fields());
  out["simulation"] = by_fields(simulation_fields());
  out["step"] = by_fields(step_fields());
  add_repeated(out);
  static const TransportsInput defaults;
  each_transport_section(
      defaults, [&](const char* name, const auto&, const auto& fields) { out[name] = by_fields(fields); });
  return out;
}

}  // namespace

void check_setting(const std::string& section, const Member& setting, const std::string& path,
                   Findings& findings) {
  static const SettingChecks checks = all_checks();
  const auto found = checks.find(section);
  if (found == checks.end()) return;
  Table one;
  one.members.push_back(setting);
  found->second(one, path, findings);
}

}  // namespace trainyard
