
#include "trainyard/scenario.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string_view>

#include "base/hash.h"
#include "catalog/catalog.h"
#include "model/model.h"
#include "scenario/checks.h"
#include "scenario/designs.h"
#include "scenario/free_settings.h"
#include "scenario/scenario_files.h"
#include "scenario/section_list.h"
#include "scenario/sections.h"
#include "scenario/step_faults.h"
#include "scenario/sweeps.h"
#include "scenario/table_lists.h"
#include "scenario/transport_sections.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario/search.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr std::string_view kExtension = ".toml";

/// Lays `over` on `base`: tables merge, everything else replaces.
Value merged(const Value& base, const Value& over);

void merge_member(Table& base, const Member& over) {
  for (Member& member : base.members) {
    if (member.key != over.key) continue;
    member.value = merged(member.value, over.value);
    return;
  }
  base.members.push_back(over);
}

Value merged(const Value& base, const Value& over) {
  const Table* low = base.as<Table>();
  const Table* high = over.as<Table>();
  if (!low || !high) return over;
  Table out = *low;
  for (const Member& member : high->members) merge_member(out, member);
  return {std::move(out), base.where()};
}

/// Reads one `[section]` with its field table.
template <class R>
void read_section(R& record, const Table& document, const std::string& name, const FieldTable<R>& fields,
                  Findings& findings) {
  const Value* value = document.find(name);
  if (!value) return;
  const Table* table = value->as<Table>();
  if (!table) return wrong_type(*value, name, "a table", findings);
  read_fields(record, *table, fields, name, findings);
}

/// [model]: `name` and `parameters`, and any field of a model's shape laid over the named entry.
void read_model(ModelInput& model, const Table& document, const Catalog& catalog, Findings& findings) {
  const Value* value = document.find("model");
  if (!value) return;
  const Table* table = value->as<Table>();
  if (!table) return wrong_type(*value, "model", "a table", findings);
  if (const Value* name = table->find("name")) {
    Codec<std::optional<std::string>>::read(model.name, *name, "model.name", anything(), findings);
  }
  if (model.name && catalog.models.contains(*model.name)) model.shape = catalog.models.at(*model.name);
  auto names = field_names(model_choice_fields());
  for (const std::string& name : field_names(model_fields())) {
    if (name != "name") names.push_back(name);
  }
  for (const Member& member : table->members) {
    if (member.key == "name") continue;
    Table single;
    single.members.push_back(member);
    const bool is_choice = member.key == "parameters";
    if (std::find(names.begin(), names.end(), member.key) == names.end()) {
      unknown_key(member, "model." + member.key, names, findings);
    } else if (is_choice) {
      read_fields(model, single, model_choice_fields(), "model", findings);
    } else {
      read_fields(model.shape, single, model_fields(), "model", findings);
    }
  }
  if (!model.name && model.shape.info.name.empty()) model.shape.info.name = "the scenario's own model";
}

/// A parameter count becomes a shape, so that mappings are held against its layers as against any others.
/// What `check_scenario` refuses stays as it is.
void size_model(ModelInput& model) {
  const ModelShape& shape = model.shape;
  const bool free = shape.layers <= 0 && shape.hidden <= 0;
  if (model.parameters && !model.name && free && shape.sequence > 0 && shape.vocabulary > 0)
    model.shape = resolve_shape(model);
}

bool mentions(const Table& document, std::string_view section, std::string_view key) {
  const Value* value = document.find(section);
  const Table* table = value ? value->as<Table>() : nullptr;
  return table && table->find(key);
}

/// [mapping]: what it does not mention is the program's choice.
void read_mapping(MappingInput& mapping, const Table& document, Findings& findings) {
  mapping.open = mapping.absent = MappingOpen::all();
  read_section(mapping, document, "mapping", mapping_fields(), findings);
  constexpr std::pair<std::string_view, bool MappingOpen::*> kKeys[] = {
      {"context", &MappingOpen::context},
      {"expert", &MappingOpen::expert},
      {"virtual_stages", &MappingOpen::virtual_stages},
      {"microbatch", &MappingOpen::microbatch},
      {"zero_stage", &MappingOpen::zero_stage},
      {"recompute", &MappingOpen::recompute}};
  for (const auto& [key, flag] : kKeys) {
    if (mentions(document, "mapping", key)) mapping.absent.*flag = false;
  }
  // Modules say what recomputes.
  if (mapping.absent.recompute && !mapping.recompute_modules.empty()) {
    mapping.recompute = Recompute::none;
    mapping.open.recompute = false;
  }
  mapping.placement_absent = !mentions(document, "mapping", "placement");
}

void check_failure(const FailureInput& failure, Findings& findings) {
  if (failure.until && *failure.until <= failure.from)
    findings.add(place_of(failure.places, "until"), "a failure ends before it begins",
                 "'failure.until' after 'failure.from'");
}

void check_probe(const ProbeInput& probe, Findings& findings) {
  const bool is_one = probe.node.has_value() != probe.flow.has_value();
  const bool is_one_refused =
      (given_place(probe.places, "node") != nullptr) != (given_place(probe.places, "flow") != nullptr);
  if (!is_one && !is_one_refused)
    findings.add(place_of(probe.places, "flow"), "a probe looks at the links of a node, or at a flow",
                 "either 'probe.node' or 'probe.flow'");
  if (probe.flow && (probe.uplink || probe.plane != 0 || probe.direction)) {
    const char* key = probe.uplink ? "uplink" : probe.plane != 0 ? "plane" : "direction";
    findings.add(place_of(probe.places, key), fmt::format("'probe.{}': a flow has no links of its own", key),
                 "'probe.node' in place of 'probe.flow'");
  }
  if (probe.until && *probe.until < probe.from)
    findings.add(place_of(probe.places, "until"), "a probe ends before it begins",
                 "'probe.until' after 'probe.from'");
}

/// [step], with the places of its keys for checks that need the plan.
void read_step(StepInput& step, const Table& document, const std::string& name, Findings& findings) {
  step.places = std::make_shared<const SectionPlaces>(SectionPlaces{whole(name)});
  read_section(step, document, "step", step_fields(), findings);
  const Value* value = document.find("step");
  if (value && value->as<Table>()) step.places = places_of(*value);
}

void check_step_failure(const StepFailureInput& failure, Findings& findings) {
  if (failure.until && *failure.until <= failure.from)
    findings.add(place_of(failure.places, "until"), "a failure ends before it begins",
                 "'step_failure.until' after 'step_failure.from'");
  if (taken_by(failure.what) == FaultTakes::everything && failure.lost)
    findings.add(place_of(failure.places, "lost"), "'step_failure.lost': a device is there or it is not",
                 "leave it out; a straggler computes more slowly");
}

/// [[step_failure]] in their order.
void read_step_failures(std::vector<StepFailureInput>& failures, const Table& document, Findings& findings) {
  constexpr std::size_t kMost = 1000;
  read_tables(failures, "step_failure", step_failure_fields(), document, findings);
  if (failures.size() > kMost)
    findings.add(document.find("step_failure")->where(),
                 fmt::format("{} failures in a step", failures.size()),
                 fmt::format("allowed: up to {}; 'replicas' makes one of equal ones", kMost));
  for (const StepFailureInput& failure : failures) check_step_failure(failure, findings);
}

std::string title_of(const Table& document) {
  const Value* title = document.find("title");
  const std::string* text = title ? title->as<std::string>() : nullptr;
  return text ? *text : "";
}

const std::vector<std::string>& top_level_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out = section_names();
    out.insert(out.begin(), {"title", "catalog"});
    return out;
  }();
  return names;
}

void check_top_level(const Table& document, Findings& findings) {
  for (const Member& member : document.members) {
    const auto& names = top_level_names();
    if (std::find(names.begin(), names.end(), member.key) == names.end()) {
      unknown_key(member, member.key, names, findings);
    }
  }
}

std::shared_ptr<const Catalog> with_folders(const std::vector<std::string>& folders) {
  if (folders.empty()) return shipped_catalog();
  auto catalog = std::make_shared<Catalog>(*shipped_catalog());
  for (const std::string& folder : folders) extend_from_folder(*catalog, folder);
  Findings findings;
  check_references(*catalog, findings);
  findings.throw_if_any();
  return catalog;
}

/// The catalog with a scenario's own `[catalog]` on top.
std::shared_ptr<const Catalog> with_own_entries(const std::shared_ptr<const Catalog>& base,
                                                const Table& document) {
  const Value* own = document.find("catalog");
  if (!own) return base;
  Findings findings;
  auto catalog = std::make_shared<Catalog>(*base);
  if (const Table* table = own->as<Table>()) {
    extend_catalog(*catalog, *table, "catalog", findings);
  } else {
    wrong_type(*own, "catalog", "a table", findings);
  }
  findings.throw_if_any();
  check_references(*catalog, findings);
  findings.throw_if_any();
  std::string own_texts;
  for (const CatalogKind& kind : catalog_kinds()) {
    for (const std::string& key : kind.keys(*catalog)) {
      for (const auto& [field, text] : kind.entry(*catalog, key)) own_texts += key + field + text;
    }
  }
  catalog->own_version = text_hash(base->version() + own_texts);
  return catalog;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

template <class R>
void add_settings(Settings& out, const std::string& section, const R& record, const FieldTable<R>& fields) {
  for (const Field<R>& f : fields) {
    std::string text = f.text(record);
    if (f.info.listed_when_absent || !text.empty())
      out.emplace_back(section + "." + f.info.name, std::move(text));
  }
}

/// "scenarios/x.toml" as "x".
std::string stem(std::string_view file_name) {
  file_name.remove_prefix(file_name.rfind('/') + 1);
  return std::string(file_name.ends_with(kExtension)
                         ? file_name.substr(0, file_name.size() - kExtension.size())
                         : file_name);
}

}  // namespace

ScenarioText ScenarioText::parse(std::shared_ptr<const SourceText> source,
                                 const std::vector<std::string>& folders) {
  return parse(std::move(source), with_folders(folders));
}

ScenarioText ScenarioText::parse(std::shared_ptr<const SourceText> source,
                                 std::shared_ptr<const Catalog> catalog) {
  ScenarioText out;
  out.name_ = source->name;
  out.document_ = std::make_shared<const Table>(parse_document(source));
  out.catalog_ = std::move(catalog);
  out.extended_ = with_own_entries(out.catalog_, *out.document_);
  return out;
}

ScenarioText ScenarioText::load(const std::string& file_or_name, const std::vector<std::string>& folders) {
  std::error_code code;
  if (!std::filesystem::exists(file_or_name, code) && !code) {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : scenario_files()) {
      names.push_back(stem(file.name));
      if (names.back() != file_or_name) continue;
      return parse(
          std::make_shared<const SourceText>(SourceText{std::string(file.name), std::string(file.text)}),
          folders);
    }
    fail_input(whole(file_or_name), "no such file, and no shipped scenario of that name",
               suggestion(file_or_name, names));
  }
  return parse(read_text(file_or_name), folders);
}

void ScenarioText::set(const std::string& assignment, const std::string& flag) {
  set(std::vector{assignment}, flag);
}

void ScenarioText::set(const std::vector<std::string>& assignments, const std::string& flag) {
  Table changed = *document_;
  for (const std::string& assignment : assignments) merge_member(changed, parse_assignment(assignment, flag));
  document_ = std::make_shared<const Table>(std::move(changed));
  extended_ = with_own_entries(catalog_, *document_);
}

bool ScenarioText::has(std::string_view section) const { return document_->find(section) != nullptr; }

bool ScenarioText::has(std::string_view section, std::string_view key) const {
  return mentions(*document_, section, key);
}

FreeSettings ScenarioText::free() const { return {*document_, *extended_}; }

std::string ScenarioText::title() const { return title_of(*document_); }

SearchInput ScenarioText::search() const {
  SearchInput out;
  Findings findings;
  read_section(out, *document_, "search", search_fields(), findings);
  findings.throw_if_any();
  return out;
}

std::string ScenarioText::hash() const { return text_hash(extended_->version() + document_text(*document_)); }

Scenario ScenarioText::resolve() const { return resolve(std::vector<Member>{}); }

Scenario ScenarioText::resolve(const std::vector<Member>& changes) const {
  if (changes.empty()) return resolve(*document_, extended_, true);
  Table changed = *document_;
  bool own_catalog_changed = false;
  for (const Member& change : changes) {
    merge_member(changed, change);
    own_catalog_changed |= change.key == "catalog";
  }
  return resolve(changed, own_catalog_changed ? with_own_entries(catalog_, changed) : extended_, false);
}

Scenario ScenarioText::resolve(const Table& document) const { return resolve(document, extended_, false); }

Scenario ScenarioText::resolve(const Table& document, std::shared_ptr<const Catalog> catalog,
                               bool with_sweeps) const {
  Scenario scenario;
  scenario.source_name = name_;
  scenario.catalog = std::move(catalog);
  Findings findings;
  refuse_free(document, findings);
  findings.throw_if_any();
  check_top_level(document, findings);
  if (const Value* title = document.find("title")) {
    Codec<std::string>::read(scenario.title, *title, "title", anything(), findings);
  }
  read_section(scenario.facility, document, "facility", facility_fields(), findings);
  read_section(scenario.training, document, "training", training_fields(), findings);
  read_model(scenario.model, document, *scenario.catalog, findings);
  read_mapping(scenario.mapping, document, findings);
  read_section(scenario.precision, document, "precision", precision_fields(), findings);
  read_section(scenario.network, document, "network", network_fields(), findings);
  read_section(scenario.assumptions, document, "assumptions", assumption_fields(), findings);
  scenario.assumptions.compute_model_absent = !mentions(document, "assumptions", "compute_model");
  read_section(scenario.measurement, document, "measurement", measurement_fields(), findings);
  read_section(scenario.rail, document, "rail", rail_fields(), findings);
  if (document.find("circuits"))
    read_section(scenario.circuits.emplace(), document, "circuits", circuit_fields(), findings);
  if (document.find("ownership"))
    read_section(scenario.ownership.emplace(), document, "ownership", ownership_fields(), findings);
  if (document.find("operation"))
    read_section(scenario.operation.emplace(), document, "operation", operation_fields(), findings);
  if (document.find("schedule"))
    read_section(scenario.schedule.emplace(), document, "schedule", schedule_fields(), findings);
  if (document.find("resilience"))
    read_section(scenario.resilience.emplace(), document, "resilience", resilience_fields(), findings);
  read_section(scenario.site, document, "site", site_fields(), findings);
  read_section(scenario.floor, document, "floor", floor_fields(), findings);
  read_section(scenario.optimize, document, "optimize", optimize_fields(), findings);
  SearchInput search;
  read_section(search, document, "search", search_fields(), findings);
  read_section(scenario.wide_area, document, "wide_area", wide_area_fields(), findings);
  read_section(scenario.long_haul, document, "long_haul", long_haul_fields(), findings);
  read_section(scenario.simulation, document, "simulation", simulation_fields(), findings);
  each_transport_section(scenario.transports, [&](const char* name, auto& record, const auto& fields) {
    read_section(record, document, name, fields, findings);
  });
  read_tables(scenario.failures, "failure", failure_fields(), document, findings);
  for (const FailureInput& failure : scenario.failures) check_failure(failure, findings);
  read_tables(scenario.probes, "probe", probe_fields(), document, findings);
  for (const ProbeInput& probe : scenario.probes) check_probe(probe, findings);
  read_tables(scenario.tiers, "tier", tier_fields(), document, findings);
  read_step(scenario.step, document, scenario.source_name, findings);
  read_tables(scenario.stragglers, "straggler", straggler_fields(), document, findings);
  read_tables(scenario.phases, "phase", phase_fields(), document, findings);
  read_step_failures(scenario.step_failures, document, findings);
  read_designs(scenario.designs, document, *scenario.catalog, findings);
  if (with_sweeps) read_sweeps(scenario.sweeps, document, findings);
  findings.throw_if_any();
  size_model(scenario.model);
  check_scenario(scenario, document, findings);
  check_tiers(scenario.tiers, findings);
  check_search(search, document, name_, findings);
  check_resilience(scenario, document, findings);
  check_circuits(scenario, document, findings);
  check_schedule(scenario, document, findings);
  check_operation(scenario, document, findings);
  check_ownership(scenario, findings);
  check_optimize(scenario.optimize, document, *scenario.catalog, findings);
  findings.throw_if_any();
  return scenario;
}

void add_transport_sections(std::vector<SectionInfo>& out) {
  static const TransportsInput defaults;
  each_transport_section(defaults, [&](const char* name, const auto&, const auto& fields) {
    out.push_back({name, fmt::format("Parameters of {}.", name), field_infos(fields)});
  });
}

static void add_transport_names(std::vector<std::string>& out) {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) out.emplace_back(#section);
#include "trainyard/registries/transports.def"
}

std::vector<ShippedScenario> shipped_scenarios() {
  std::vector<ShippedScenario> out;
  for (const EmbeddedFile& file : scenario_files()) {
    const auto source =
        std::make_shared<const SourceText>(SourceText{std::string(file.name), std::string(file.text)});
    const Table document = parse_document(source);
    Findings free;
    refuse_free(document, free);
    out.push_back({stem(file.name), title_of(document), source->text, !free.empty()});
  }
  return out;
}

namespace {

/// A section whose fields are described when somebody asks: names alone are asked for in every run.
struct SectionRow {
  const char* name;
  const char* sentence;
  std::vector<FieldInfo> (*fields)();
  std::string_view verbs;  // that alone read it; kOfPlan
  bool repeated = false;
};
constexpr std::string_view kOfPlan;  // which most verbs make
constexpr std::string_view kOfPackets = "simulate step wide-area schedule";

template <auto Fields>
std::vector<FieldInfo> infos() {
  return field_infos(Fields());
}

std::vector<FieldInfo> model_infos() {
  auto out = field_infos(model_choice_fields());
  for (FieldInfo info : field_infos(model_fields())) {
    if (info.name == "name" || info.name == "source" || info.name == "sources") continue;
    info.required = false;
    out.push_back(std::move(info));
  }
  return out;
}

constexpr SectionRow kSections[] = {
    {"facility", "What is bought, and the power that it takes.", infos<facility_fields>, kOfPlan},
    {"training", "How long training may take, and on how much data.", infos<training_fields>, kOfPlan},
    {"model", "Which model: a catalog entry, a shape, or a parameter count.", model_infos, kOfPlan},
    {"mapping", "How the model is cut over the devices.", infos<mapping_fields>, kOfPlan},
    {"precision", "The number format of every term of memory and traffic.", infos<precision_fields>, kOfPlan},
    {"network", "Rates and delays of the three networks.", infos<network_fields>, kOfPlan},
    {"assumptions", "Where a paper and physics part ways; the defaults are the physical ones.",
     infos<assumption_fields>, kOfPlan},
    {"measurement", "What a run of the scenario measured, for `trainyard validate --runs`.",
     infos<measurement_fields>, kOfPlan},
    {"rail", "The HB-domain analysis of rail-only '23 (equations 1 to 3).", infos<rail_fields>,
     "rail traffic network"},
    {"resilience", "Failures, spares and checkpoints of a run of months (`trainyard goodput`).",
     infos<resilience_fields>, kOfPlan},
    {"circuits", "Rails of optical circuit switches that change within a step (`trainyard circuits`).",
     infos<circuit_fields>, "circuits"},
    {"schedule", "Many jobs that share the cluster (`trainyard schedule`).", infos<schedule_fields>,
     "schedule"},
    {"operation", "Training beside other work through the hours of a day (`trainyard operate`).",
     infos<operation_fields>, "operate years"},
    {"ownership", "Years of a site, what it costs until the end and who watches it (`trainyard years`).",
     infos<ownership_fields>, "years"},
    {"phase", "What of a site is ordered at once.", infos<phase_fields>, "years", true},
    {"site", "Where datacenters may stand on a power grid.", infos<site_fields>, kOfPlan},
    {"floor", "Where racks stand, for the lengths of cables.", infos<floor_fields>, kOfPlan},
    {"optimize", "What `trainyard network --optimize` may try.", infos<optimize_fields>, "network"},
    {"search", "What `trainyard search` looks for, over settings that are { search = ... }.",
     infos<search_fields>, "search"},
    {"wide_area", "The exchange of gradients between sites.", infos<wide_area_fields>, kOfPlan},
    {"long_haul", "Packets between sites.", infos<long_haul_fields>, "wide-area"},
    {"simulation", "Packets on one network of a design.", infos<simulation_fields>, kOfPackets},
    {"design", "One network of a datacenter, to be counted, priced and compared.", infos<design_fields>,
     kOfPlan, true},
    {"tier", "Links of one tier that differ from the others, and the queues before them.", infos<tier_fields>,
     kOfPackets, true},
    {"failure", "Links that are down for a while during a packet simulation.", infos<failure_fields>,
     kOfPackets, true},
    {"probe", "What `trainyard simulate --series` samples over simulated time.", infos<probe_fields>,
     kOfPackets, true},
    {"step", "How `trainyard step` simulates a training step.", infos<step_fields>, kOfPlan},
    {"straggler", "A stage that computes more slowly in some replicas.", infos<straggler_fields>, kOfPlan,
     true},
    {"step_failure", "What fails before or during a step that `trainyard step` simulates.",
     infos<step_failure_fields>, kOfPlan, true},
    {"sweep", "One key over many values, once for each series: a chart.", infos<sweep_fields>, "sweep plan",
     true},
};

}  // namespace

std::vector<SectionInfo> scenario_sections() {
  std::vector<SectionInfo> out;
  for (const SectionRow& row : kSections) out.push_back({row.name, row.sentence, row.fields(), row.repeated});
  add_transport_sections(out);
  return out;
}

std::vector<std::string> section_names() {
  std::vector<std::string> out;
  for (const SectionRow& row : kSections) out.emplace_back(row.name);
  add_transport_names(out);
  return out;
}

std::vector<SectionReaders> section_readers() {
  std::vector<SectionReaders> out;
  const auto add = [&](const std::string& name, std::string_view verbs) {
    SectionReaders& section = out.emplace_back();
    section.name = name;
    section.of_packets = verbs == kOfPackets;
    std::istringstream words{std::string(verbs)};
    for (std::string verb; words >> verb;) section.verbs.push_back(verb);
  };
  for (const SectionRow& row : kSections) {
    if (row.verbs != kOfPlan) add(row.name, row.verbs);
  }
  std::vector<std::string> transports;
  add_transport_names(transports);
  for (const std::string& name : transports) add(name, kOfPackets);
  return out;
}

namespace {

/// Settings of those sections of which `wanted(section)` holds.
Settings settings_of(const Scenario& s, const std::function<bool(const std::string&)>& wanted) {
  Settings out;
  const auto add = [&](const std::string& section, const auto& record, const auto& fields) {
    if (wanted(section)) add_settings(out, section, record, fields);
  };
  add("facility", s.facility, facility_fields());
  add("training", s.training, training_fields());
  add("model", s.model, model_choice_fields());
  add("model", s.model.shape, model_fields());
  add("mapping", s.mapping, mapping_fields());
  add("precision", s.precision, precision_fields());
  add("network", s.network, network_fields());
  add("assumptions", s.assumptions, assumption_fields());
  add("measurement", s.measurement, measurement_fields());
  add("rail", s.rail, rail_fields());
  if (s.resilience) add("resilience", *s.resilience, resilience_fields());
  if (s.circuits) add("circuits", *s.circuits, circuit_fields());
  if (s.schedule) add("schedule", *s.schedule, schedule_fields());
  if (s.operation) add("operation", *s.operation, operation_fields());
  if (s.ownership) add("ownership", *s.ownership, ownership_fields());
  for (std::size_t i = 0; i < s.phases.size(); ++i)
    add(fmt::format("phase.{}", i), s.phases[i], phase_fields());
  add("site", s.site, site_fields());
  add("floor", s.floor, floor_fields());
  add("optimize", s.optimize, optimize_fields());
  add("wide_area", s.wide_area, wide_area_fields());
  add("long_haul", s.long_haul, long_haul_fields());
  add("simulation", s.simulation, simulation_fields());
  each_transport_section(s.transports, [&](const char* name, const auto& record, const auto& fields) {
    add(name, record, fields);
  });
  for (std::size_t i = 0; i < s.tiers.size(); ++i) add(fmt::format("tier.{}", i), s.tiers[i], tier_fields());
  for (std::size_t i = 0; i < s.failures.size(); ++i)
    add(fmt::format("failure.{}", i), s.failures[i], failure_fields());
  for (std::size_t i = 0; i < s.probes.size(); ++i)
    add(fmt::format("probe.{}", i), s.probes[i], probe_fields());
  add("step", s.step, step_fields());
  for (std::size_t i = 0; i < s.stragglers.size(); ++i)
    add(fmt::format("straggler.{}", i), s.stragglers[i], straggler_fields());
  for (std::size_t i = 0; i < s.step_failures.size(); ++i)
    add(fmt::format("step_failure.{}", i), s.step_failures[i], step_failure_fields());
  for (const DesignInput& design : s.designs) add("design." + design.name, design, design_fields());
  return out;
}

std::string hash_of(std::string text, const Settings& settings) {
  for (const auto& [key, value] : settings) text.append(key).append("=").append(value).append("\n");
  return text_hash(text);
}

}  // namespace

Settings scenario_settings(const Scenario& scenario) {
  return settings_of(scenario, [](const std::string&) { return true; });
}

std::string scenario_hash(const Scenario& scenario) {
  return hash_of(scenario.catalog->version(), scenario_settings(scenario));
}

namespace {

template <class Record>
std::vector<std::string> sections_with(const char* section) {
  std::vector<std::string> out = {section};
  if constexpr (requires { Record::kBesides; }) out.emplace_back(Record::kBesides);
  return out;
}

}  // namespace

std::vector<std::string> transport_sections(Transport transport) {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) \
  if (transport == Transport::name) return sections_with<Record>(#section);
#include "trainyard/registries/transports.def"
  return {};
}

namespace {

/// What a simulated design takes from the cluster where it does not say it itself.
std::vector<std::string> settings_of_cluster(const DesignInput* design) {
  if (design == nullptr) return {"facility.", "network."};
  std::vector<std::string> out;
  if (!design->hosts) out.emplace_back("facility.");
  if (!design->domain || !design->rate) out.emplace_back("facility.hb_domain");
  if (!design->rate) out.insert(out.end(), {"network.scale_up_rate", "network.scale_out_rate"});
  return out;
}

/// And what the rest of a datacenter, or of several, takes from it.
std::vector<std::string> settings_of_extent(SimulationExtent extent) {
  if (extent == SimulationExtent::network) return {};
  if (extent == SimulationExtent::datacenter) return {"facility.hb_domain", "network.scale_up_rate"};
  return {"facility.", "network.", "wide_area."};
}

const DesignInput* simulated_input(const Scenario& scenario) {
  for (const DesignInput& design : scenario.designs) {
    if (scenario.simulation.design.empty() || design.name == scenario.simulation.design) return &design;
  }
  return nullptr;
}

}  // namespace

Settings simulation_settings(const Scenario& scenario) {
  const DesignInput* design = simulated_input(scenario);
  std::vector<std::string> beginnings = settings_of_cluster(design);
  for (std::string& beginning :
       settings_of_extent(scenario.simulation.extent.value_or(SimulationExtent::network)))
    beginnings.push_back(std::move(beginning));
  beginnings.insert(beginnings.end(), {"simulation.", "tier.", "failure."});
  if (design != nullptr) beginnings.push_back("design." + design->name + ".");
  for (const std::string& section : transport_sections(scenario.simulation.transport))
    beginnings.push_back(section + ".");
  const auto any = [&](const auto& holds) {
    return std::any_of(beginnings.begin(), beginnings.end(), holds);
  };
  const auto wanted = [&](const std::string& section) {
    const std::string begin = section + ".";
    return any([&](const std::string& b) { return begin.starts_with(b) || b.starts_with(begin); });
  };
  Settings out = settings_of(scenario, wanted);
  std::erase_if(out, [&](const auto& setting) {
    return setting.second.empty() || !any([&](const std::string& b) { return setting.first.starts_with(b); });
  });
  return out;
}

std::string simulation_hash(const Scenario& scenario) { return hash_of({}, simulation_settings(scenario)); }

}  // namespace trainyard
