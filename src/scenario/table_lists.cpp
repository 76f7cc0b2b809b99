#include "scenario/table_lists.h"

#include "scenario/free_settings.h"

namespace trainyard {
namespace {

/// `--set design.hosts=3`: which of them is not said.
std::string remedy_of(const Value& value, const std::string& section) {
  const Table* table = value.as<Table>();
  const bool plain = table && !table->members.empty() && !table->members.front().value.as<Table>();
  const std::string key = plain ? table->members.front().key : "key";
  const std::string text = plain ? toml_text(table->members.front().value) : "...";
  return fmt::format(
      "there may be several: write '{} = {}' under a [[{}]] of the file, or give them all, each with its "
      "keys: "
      "--set '{}=[{{{} = {}, ...}}]'",
      key, text, section, section, key, text);
}

}  // namespace

std::shared_ptr<const SectionPlaces> places_of(const Value& table) {
  SectionPlaces out{table.where()};
  for (const Member& member : table.as<Table>()->members) out.keys[member.key] = member.value.where();
  return std::make_shared<const SectionPlaces>(std::move(out));
}

std::vector<const Value*> elements_of(const Table& document, const std::string& section, Findings& findings) {
  std::vector<const Value*> out;
  const Value* value = document.find(section);
  if (!value) return out;
  const Array* array = value->as<Array>();
  if (!array) {
    findings.add(
        value->where(),
        fmt::format("'{}' takes an array of tables: [[{}]], not {}", section, section, value->type_name()),
        remedy_of(*value, section));
    return out;
  }
  for (const Value& element : *array) {
    if (element.as<Table>()) {
      out.push_back(&element);
    } else {
      wrong_type(element, section, "tables", findings);
      return {};
    }
  }
  return out;
}

}  // namespace trainyard
