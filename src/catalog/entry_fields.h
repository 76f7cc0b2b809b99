// Fields that every catalog entry has, and codecs of nested catalog records.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/fields.h"
#include "trainyard/catalog_records.h"
#include "trainyard/range.h"

namespace trainyard {

template <>
struct Codec<PeakRates> {
  static constexpr std::string_view kJson = "object";
  static std::string type() { return "table of FLOP rates by precision"; }
  static bool read(PeakRates& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings);
  static std::string text(const PeakRates& rates);
};

template <>
struct Codec<PortSplit> {
  static constexpr std::string_view kJson = "object";
  static std::string type() { return "table {ports, rate}, a bit rate"; }
  static bool read(PortSplit& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings);
  static std::string text(const PortSplit& split);
};

/// Fields that every entry has: its name first, then what a reader should know of it.
const FieldTable<EntryInfo>& entry_info_fields();

/// A field of the EntryInfo inside a record.
template <class R>
Field<R> info_field(const Field<EntryInfo>& field) {
  return {field.info,
          [read = field.read](R& record, const Value& value, const std::string& path, Findings& findings) {
            return read(record.info, value, path, findings);
          },
          [text = field.text](const R& record) { return text(record.info); }};
}

/// A record's own fields after the name and before source, sources and note.
template <class R>
FieldTable<R> with_entry_fields(FieldTable<R> own) {
  const FieldTable<EntryInfo>& of_all = entry_info_fields();
  FieldTable<R> table;
  table.push_back(info_field<R>(of_all.front()));
  for (Field<R>& f : own) table.push_back(std::move(f));
  for (std::size_t i = 1; i < of_all.size(); ++i) table.push_back(info_field<R>(of_all[i]));
  return table;
}

}  // namespace trainyard
