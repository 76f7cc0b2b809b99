// Fields that every catalog entry has, and codecs of nested catalog records.
#pragma once

#include <utility>

#include "base/fields.h"
#include "trainyard/catalog.h"
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

/// A field of the EntryInfo inside a record.
template <class R, class T>
Field<R> info_field(std::string name, T EntryInfo::*member, std::string sentence) {
  Field<R> out;
  out.info = {.name = std::move(name),
              .type = Codec<T>::type(),
              .sentence = std::move(sentence),
              .json_type = std::string(Codec<T>::kJson)};
  out.read = [member](R& record, const Value& value, const std::string& path, Findings& findings) {
    return Codec<T>::read(record.info.*member, value, path, anything(), findings);
  };
  out.text = [member](const R& record) { return Codec<T>::text(record.info.*member); };
  return out;
}

/// A record's own fields after the name and before source, sources and note.
template <class R>
FieldTable<R> with_entry_fields(FieldTable<R> own) {
  FieldTable<R> table;
  table.push_back(info_field<R>("name", &EntryInfo::name, "Name for people."));
  for (Field<R>& f : own) table.push_back(std::move(f));
  table.push_back(info_field<R>("source", &EntryInfo::source, "Where the figures come from.").required());
  table.push_back(info_field<R>("sources", &EntryInfo::sources, "Sources of single fields."));
  table.push_back(info_field<R>("note", &EntryInfo::note, "What else a user should know."));
  return table;
}

}  // namespace trainyard
