#include "catalog/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "base/hash.h"
#include "catalog/catalog_files.h"
#include "catalog/entry_fields.h"
#include "catalog/shipped_texts.h"
#include "catalog/version_name.h"
#include "trainyard/catalog.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

/// Reads one `[kind.key]` table: over the known entry, over the one it is based on, or as a new one.
template <class R>
void read_entry(std::map<std::string, R>& entries, const Member& member, const FieldTable<R>& fields,
                const std::string& path, Findings& findings) {
  const Table* table = member.value.template as<Table>();
  if (!table) return wrong_type(member.value, path, "a table", findings);
  Table own = *table;
  bool complete = entries.contains(member.key);
  R record = complete ? entries.at(member.key) : R{};
  const auto base = std::find_if(own.members.begin(), own.members.end(),
                                 [](const Member& m) { return m.key == "based_on"; });
  if (base != own.members.end()) {
    const std::string* key = base->value.template as<std::string>();
    if (!key || !entries.contains(*key)) {
      std::vector<std::string> keys;
      for (const auto& [name, unused] : entries) keys.push_back(name);
      findings.add(base->value.where(), "'" + path + ".based_on' names no entry",
                   suggestion(key ? *key : "", keys));
      return;
    }
    record = entries.at(*key);
    complete = true;
    own.members.erase(base);
  }
  if (complete && !own.find("source")) {
    findings.add(member.where, "'" + path + "' lacks the key 'source'",
                 "every change of the catalog names its source");
  }
  if constexpr (std::is_same_v<R, Calibration>) record.estimated = false;  // goes with the source
  read_fields(record, own, fields, path, findings);
  if (!complete) check_required(own, member.where, fields, path, findings);
  if (record.info.name.empty()) record.info.name = member.key;
  if constexpr (std::is_same_v<R, ModelShape>) check_shape(record, member.where, path, findings);
  if (own.find("source") && record.info.source.empty()) {
    findings.add(own.find("source")->where(), "'" + path + ".source' is empty",
                 "name where the figures come from");
  }
  entries[member.key] = std::move(record);
}

template <class R>
void read_kind(std::map<std::string, R>& entries, const Value& value, const FieldTable<R>& fields,
               const std::string& path, Findings& findings) {
  const Table* table = value.as<Table>();
  if (!table) return wrong_type(value, path, "a table of entries", findings);
  for (const Member& member : table->members)
    read_entry(entries, member, fields, path + "." + member.key, findings);
}

/// Reads the entry of a key from its own text, first the one that it is based on.
template <class R>
void read_shipped(std::map<std::string, R>& entries, const std::string& key,
                  const std::map<std::string, std::string_view>& texts, const FieldTable<R>& fields) {
  const auto text =
      std::make_shared<const SourceText>(SourceText{"catalog: " + key, std::string(texts.at(key))});
  const Table document = parse_document(text);
  const Member& kind = document.members.at(0);
  const Member& entry = kind.value.template as<Table>()->members.at(0);
  if (const Value* base = entry.value.template as<Table>()->find("based_on"))
    read_shipped(entries, *base->template as<std::string>(), texts, fields);
  Findings findings;
  read_entry(entries, entry, fields, kind.key + "." + key, findings);
  findings.throw_if_any();
}

/// The entries of one kind as the program ships them, each read when somebody asks for it.
template <class R>
Entries<R> shipped_entries(const EmbeddedFile& file, const FieldTable<R>& (*fields)()) {
  const auto texts = std::make_shared<std::map<std::string, std::string_view>>();
  return {[file, texts] {
            *texts = entry_texts(file);
            std::vector<std::string> keys;
            for (const auto& [key, unused] : *texts) keys.push_back(key);
            return keys;
          },
          [texts, fields](const std::string& key) {
            std::map<std::string, R> entries;
            read_shipped(entries, key, *texts, fields());
            return std::move(entries.at(key));
          }};
}

template <class R>
std::vector<std::pair<std::string, std::string>> texts_of(const R& record, const FieldTable<R>& fields) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const Field<R>& f : fields) {
    std::string text = f.text(record);
    if (!text.empty()) texts.emplace_back(f.info.name, std::move(text));
  }
  return texts;
}

using Reader = void (*)(Catalog&, const Value&, const std::string&, Findings&);

/// A kind with its reader; the table below is the only place that lists the kinds.
struct KindRow {
  std::string_view name;
  std::string_view sentence;
  CatalogKind (*kind)(const KindRow&);  // described when somebody asks
  Reader read;
  /// Lets a catalog read the kind's shipped file when somebody asks for it.
  void (*ship)(Catalog&, const EmbeddedFile&);
};

template <auto Kind, auto Fields>
KindRow kind_row(std::string_view name, std::string_view sentence) {
  return {name, sentence,
          [](const KindRow& row) {
            return CatalogKind{std::string(row.name),
                               std::string(row.sentence),
                               field_infos(Fields()),
                               [](const Catalog& c) { return (c.*Kind).keys(); },
                               [](const Catalog& c, const std::string& key) {
                                 return texts_of((c.*Kind).at(key), Fields());
                               },
                               [](const Catalog& c, const std::string& key) -> const EntryInfo& {
                                 return (c.*Kind).at(key).info;
                               }};
          },
          [](Catalog& c, const Value& value, const std::string& path, Findings& findings) {
            read_kind((c.*Kind).own(), value, Fields(), path, findings);
          },
          [](Catalog& c, const EmbeddedFile& file) { c.*Kind = shipped_entries(file, Fields); }};
}

const std::vector<KindRow>& kind_rows() {
  static const std::vector<KindRow> rows = {
      kind_row<&Catalog::accelerators, accelerator_fields>("accelerators", "GPUs, TPUs and their like."),
      kind_row<&Catalog::calibrations, calibration_fields>(
          "calibrations", "Measured constants of the calibrated compute model."),
      kind_row<&Catalog::operator_systems, operator_system_fields>(
          "operator_systems", "Devices whose operators were measured one by one."),
      kind_row<&Catalog::operators, operator_fields>("operators",
                                                     "Constants of measured operators: time by shape."),
      kind_row<&Catalog::software, software_fields>("software", "Habits of training programs."),
      kind_row<&Catalog::hb_domains, hb_domain_fields>("hb_domains",
                                                       "High-bandwidth domains: servers and racks."),
      kind_row<&Catalog::nics, nic_fields>("nics", "Network interfaces of the scale-out network."),
      kind_row<&Catalog::switches, switch_fields>("switches", "Switch chips as switches."),
      kind_row<&Catalog::circuit_switches, circuit_switch_fields>(
          "circuit_switches", "Optical circuit switches: ports, time to change, loss, price, power."),
      kind_row<&Catalog::links, link_fields>("links", "Cables and optical modules."),
      kind_row<&Catalog::prices, price_fields>("prices", "Named price models."),
      kind_row<&Catalog::models, model_fields>("models", "Transformer shapes."),
      kind_row<&Catalog::failures, failure_set_fields>(
          "failures", "How often parts fail, and how operators find and repair them."),
      kind_row<&Catalog::assumptions, assumed_setting_fields>(
          "assumptions", "How far settings may be from what a scenario says."),
  };
  return rows;
}

/// Absent, it is empty: there is no default to name.
template <class T>
Field<EntryInfo> without_default(std::string_view name, T EntryInfo::*member, std::string_view sentence) {
  Field<EntryInfo> out = field(name, member, sentence);
  out.info.default_text.clear();
  return out;
}

}  // namespace

Catalog::Catalog() = default;
Catalog::Catalog(const Catalog&) = default;
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(const Catalog&) = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

const std::string& Catalog::version() const {
  if (!own_version.empty()) return own_version;
  static const std::string named = shipped_version();
  return shipped ? named : own_version;
}

const FieldTable<EntryInfo>& entry_info_fields() {
  using I = EntryInfo;
  static const FieldTable<I> table = {
      without_default("name", &I::name, "Name for people."),
      without_default("source", &I::source, "Where the figures come from.").required(),
      without_default("sources", &I::sources, "Sources of single fields."),
      without_default("note", &I::note, "What else a user should know."),
  };
  return table;
}

void extend_catalog(Catalog& catalog, const Table& document, const std::string& path, Findings& findings) {
  for (const Member& member : document.members) {
    const std::string key = path.empty() ? member.key : path + "." + member.key;
    const KindRow* found = nullptr;
    std::vector<std::string> names;
    for (const KindRow& row : kind_rows()) {
      names.emplace_back(row.name);
      if (row.name == member.key) found = &row;
    }
    if (found) {
      found->read(catalog, member.value, key, findings);
    } else {
      unknown_key(member, key, names, findings);
    }
  }
}

void extend_from_folder(Catalog& catalog, const std::string& folder) {
  std::error_code code;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
  }
  if (code) fail_input(whole(folder), "cannot be read as a folder: " + code.message());
  if (paths.empty()) fail_input(whole(folder), "holds no .toml file");
  std::sort(paths.begin(), paths.end());
  Findings findings;
  for (const std::string& path : paths) {
    const auto text = read_text(path);
    catalog.own_version = text_hash(catalog.version() + text->text);
    extend_catalog(catalog, parse_document(text), "", findings);
  }
  findings.throw_if_any();
}

static void check_operator_systems(const Catalog& catalog, Findings& findings) {
  if (catalog.operator_systems.as_read()) return;
  for (const auto& [key, system] : catalog.operator_systems) {
    if (system.accelerator.empty() || catalog.accelerators.contains(system.accelerator)) continue;
    findings.add(whole("catalog: operator_systems." + key), "no accelerator '" + system.accelerator + "'",
                 suggestion(system.accelerator, catalog.accelerators.keys()));
  }
}

static void check_operators(const Catalog& catalog, Findings& findings) {
  if (catalog.operators.as_read()) return;
  for (const auto& [key, entry] : catalog.operators) {
    if (catalog.operator_systems.contains(entry.system)) continue;
    findings.add(whole("catalog: operators." + key), "no operator system '" + entry.system + "'",
                 suggestion(entry.system, catalog.operator_systems.keys()));
  }
}

/// A kernel that nobody measured would silently be the usual one.
static void check_attention_kernel(const Catalog& catalog, const Calibration& calibration,
                                   const Location& where, Findings& findings) {
  if (calibration.operators.empty() || calibration.attention_kernel.empty()) return;
  std::vector<std::string> kernels;
  for (const auto& [key, entry] : catalog.operators) {
    if (entry.system == calibration.operators && entry.operation == "attention" && !entry.kernel.empty())
      kernels.push_back(entry.kernel);
  }
  if (std::find(kernels.begin(), kernels.end(), calibration.attention_kernel) != kernels.end()) return;
  findings.add(
      where,
      "no attention kernel '" + calibration.attention_kernel + "' on the operator system '" +
          calibration.operators + "'",
      kernels.empty() ? "leave attention_kernel out" : suggestion(calibration.attention_kernel, kernels));
}

static void check_calibrations(const Catalog& catalog, Findings& findings) {
  if (catalog.calibrations.as_read() && catalog.operators.as_read()) return;
  for (const auto& [key, calibration] : catalog.calibrations) {
    const Location where = whole("catalog: calibrations." + key);
    if (const std::string& system = calibration.operators;
        !system.empty() && !catalog.operator_systems.contains(system)) {
      findings.add(where, "no operator system '" + system + "'",
                   suggestion(system, catalog.operator_systems.keys()));
    }
    check_attention_kernel(catalog, calibration, where, findings);
    if (const std::string& other = calibration.fitted_with;
        !other.empty() && !catalog.calibrations.contains(other)) {
      findings.add(where, "no calibration '" + other + "'", suggestion(other, catalog.calibrations.keys()));
    }
    for (const std::string& accelerator : calibration.measured_on) {
      if (!catalog.accelerators.contains(accelerator))
        findings.add(where, "no accelerator '" + accelerator + "'",
                     suggestion(accelerator, catalog.accelerators.keys()));
    }
  }
}

static void check_accelerators(const Catalog& catalog, Findings& findings) {
  if (catalog.accelerators.as_read()) return;
  for (const auto& [key, accelerator] : catalog.accelerators) {
    if (!accelerator.software.empty() && !catalog.software.contains(accelerator.software)) {
      findings.add(whole("catalog: accelerators." + key), "no software '" + accelerator.software + "'",
                   suggestion(accelerator.software, catalog.software.keys()));
    }
    if (accelerator.calibration.empty() || catalog.calibrations.contains(accelerator.calibration)) continue;
    findings.add(whole("catalog: accelerators." + key), "no calibration '" + accelerator.calibration + "'",
                 suggestion(accelerator.calibration, catalog.calibrations.keys()));
  }
}

static void check_hb_domains(const Catalog& catalog, Findings& findings) {
  if (catalog.hb_domains.as_read()) return;
  for (const auto& [key, domain] : catalog.hb_domains) {
    const Location where = whole("catalog: hb_domains." + key);
    if (!catalog.accelerators.contains(domain.accelerator)) {
      findings.add(where, "no accelerator '" + domain.accelerator + "'",
                   suggestion(domain.accelerator, catalog.accelerators.keys()));
    }
    if (!catalog.nics.contains(domain.nic)) {
      findings.add(where, "no NIC '" + domain.nic + "'", suggestion(domain.nic, catalog.nics.keys()));
    }
  }
}

// Entries are never taken away, so that kinds which nobody changed name known ones, as the tests see to.
void check_references(const Catalog& catalog, Findings& findings) {
  check_accelerators(catalog, findings);
  check_operator_systems(catalog, findings);
  check_operators(catalog, findings);
  check_calibrations(catalog, findings);
  check_hb_domains(catalog, findings);
}

/// What the program ships of a kind: catalog/KIND.toml.
static const EmbeddedFile& shipped_file(std::string_view kind) {
  for (const EmbeddedFile& file : catalog_files())
    if (file.name == fmt::format("catalog/{}.toml", kind)) return file;
  throw std::logic_error(fmt::format("no catalog/{}.toml is embedded", kind));
}

std::shared_ptr<const Catalog> shipped_catalog() {
  static const std::shared_ptr<const Catalog> shipped = [] {
    auto catalog = std::make_shared<Catalog>();
    catalog->shipped = true;
    for (const KindRow& row : kind_rows()) row.ship(*catalog, shipped_file(row.name));
    return catalog;
  }();
  return shipped;
}

const std::vector<CatalogKind>& catalog_kinds() {
  static const std::vector<CatalogKind> kinds = [] {
    std::vector<CatalogKind> out;
    for (const KindRow& row : kind_rows()) out.push_back(row.kind(row));
    return out;
  }();
  return kinds;
}

Catalog catalog_with(const std::vector<std::string>& folders) {
  Catalog catalog = *shipped_catalog();
  for (const std::string& folder : folders) extend_from_folder(catalog, folder);
  Findings findings;
  check_references(catalog, findings);
  findings.throw_if_any();
  return catalog;
}

std::string calibration_key(const Catalog& catalog, const std::string& accelerator) {
  const Accelerator* found = catalog.accelerators.find(accelerator);
  if (!found) return {};
  if (!found->calibration.empty()) return found->calibration;
  return catalog.calibrations.contains(accelerator) ? accelerator : std::string();
}

}  // namespace trainyard
