// One table per parameter record: name, type, default, range, sentence and source of every field.
//
// From the table come reading and validation, unknown-key errors, `--set`, the reference document, `describe`
// and the JSON Schema. A record's table is made once:
//
//   const FieldTable<NetworkInput>& network_fields() {
//     static const FieldTable<NetworkInput> table = {
//         field("scale_out_rate", &NetworkInput::scale_out_rate, positive(), "Rate of one device's NIC, per
//         direction."),
//     };
//     return table;
//   }
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/choices.h"
#include "base/document.h"
#include "base/field_info.h"
#include "trainyard/errors.h"
#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// How a type is read from a document, named and written. Specialise for a record's own nested types.
template <class T, class = void>
struct Codec;

template <>
struct Codec<bool> {
  static constexpr std::string_view kJson = "boolean";
  static std::string type() { return "true or false"; }
  static bool read(bool& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings);
  static std::string text(bool v) { return v ? "true" : "false"; }
};

template <>
struct Codec<std::int64_t> {
  static constexpr std::string_view kJson = "integer";
  static std::string type() { return "count"; }
  static bool read(std::int64_t& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings);
  static std::string text(std::int64_t v) { return std::to_string(v); }
};

template <>
struct Codec<double> {
  static constexpr std::string_view kJson = "number";
  static std::string type() { return "number"; }
  static bool read(double& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings);
  static std::string text(double v);
};

template <>
struct Codec<std::string> {
  static constexpr std::string_view kJson = "string";
  static std::string type() { return "text"; }
  static bool read(std::string& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings);
  static std::string text(const std::string& v) { return "\"" + v + "\""; }
};

template <>
struct Codec<std::map<std::string, std::string>> {
  static constexpr std::string_view kJson = "object";
  static std::string type() { return "table of texts"; }
  static bool read(std::map<std::string, std::string>& out, const Value& value, const std::string& key,
                   const Range& range, Findings& findings);
  static std::string text(const std::map<std::string, std::string>&) { return {}; }
};

/// Reads a quantity string in base units.
bool read_quantity(double& si, Unit unit, const Value& value, const std::string& key, const Range& range,
                   Findings& findings);
/// "bit rate", "time", ... with the units that may be written.
std::string quantity_type(Unit unit);
std::string quoted_quantity(double si, Unit unit);

template <Dimension D>
struct Codec<Quantity<D>> {
  static constexpr std::string_view kJson = "string";
  static constexpr Unit kUnit = unit_of<Quantity<D>>();
  static std::string type() { return quantity_type(kUnit); }
  static bool read(Quantity<D>& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings) {
    double si = 0;
    if (!read_quantity(si, kUnit, value, key, range, findings)) return false;
    out = Quantity<D>(si);
    return true;
  }
  static std::string text(Quantity<D> v) { return quoted_quantity(v.si(), kUnit); }
};

/// Reports a value of the wrong type.
void wrong_type(const Value& value, const std::string& key, std::string_view expected, Findings& findings);

/// With the nearest of the names.
void unknown_choice(const Location& where, const std::string& name, const std::string& key,
                    const std::vector<std::string>& names, Findings& findings);

template <Dimension D>
struct Codec<std::map<std::string, Quantity<D>>> {
  static constexpr std::string_view kJson = "object";
  static std::string type() { return "table of names, each with a " + Codec<Quantity<D>>::type(); }
  static bool read(std::map<std::string, Quantity<D>>& out, const Value& value, const std::string& key,
                   const Range& range, Findings& findings) {
    const Table* table = value.as<Table>();
    if (!table) {
      wrong_type(value, key, "a table", findings);
      return false;
    }
    for (const Member& member : table->members) {
      if (!Codec<Quantity<D>>::read(out[member.key], member.value, key + "." + member.key, range, findings))
        return false;
    }
    return true;
  }
  static std::string text(const std::map<std::string, Quantity<D>>& values) {
    std::string out;
    for (const auto& [name, v] : values)
      out += (out.empty() ? "" : ", ") + name + " = " + Codec<Quantity<D>>::text(v);
    return out.empty() ? out : "{ " + out + " }";
  }
};

template <class E>
struct Codec<E, std::enable_if_t<std::is_enum_v<E>>> {
  static constexpr std::string_view kJson = "string";
  static std::string type() { return "choice"; }
  static bool read(E& out, const Value& value, const std::string& key, const Range&, Findings& findings) {
    const std::string* name = value.as<std::string>();
    if (!name) {
      wrong_type(value, key, "a string", findings);
      return false;
    }
    for (const Choice<E>& choice : Choices<E>::kAll) {
      if (choice.name != *name) continue;
      out = choice.value;
      return true;
    }
    unknown_choice(value.where(), *name, key, choice_names<E>(), findings);
    return false;
  }
  static std::string text(E v) { return "\"" + std::string(choice_name(v)) + "\""; }
};

template <class T>
struct Codec<std::optional<T>> {
  static constexpr std::string_view kJson = Codec<T>::kJson;
  static std::string type() { return Codec<T>::type(); }
  /// "auto" gives the value back to the program.
  static bool read(std::optional<T>& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings) {
    if (const std::string* text = value.as<std::string>(); text && *text == "auto") {
      out.reset();
      return true;
    }
    T inner{};
    if (!Codec<T>::read(inner, value, key, range, findings)) return false;
    out = std::move(inner);
    return true;
  }
  static std::string text(const std::optional<T>& v) { return v ? Codec<T>::text(*v) : std::string{}; }
};

template <class T>
struct Codec<std::vector<T>> {
  static constexpr std::string_view kJson = "array";
  static std::string type() { return "array of " + Codec<T>::type(); }
  static bool read(std::vector<T>& out, const Value& value, const std::string& key, const Range& range,
                   Findings& findings) {
    const Array* array = value.as<Array>();
    if (!array) {
      wrong_type(value, key, "an array", findings);
      return false;
    }
    std::vector<T> read_values;
    for (const Value& element : *array) {
      T inner{};
      if (!Codec<T>::read(inner, element, key, range, findings)) return false;
      read_values.push_back(std::move(inner));
    }
    out = std::move(read_values);
    return true;
  }
  static std::string text(const std::vector<T>& values) {
    std::string out;
    for (const T& v : values) out += (out.empty() ? "" : ", ") + Codec<T>::text(v);
    return out.empty() ? out : "[" + out + "]";
  }
};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

/// A field of the record R.
template <class R>
struct Field {
  FieldInfo info;
  std::function<bool(R&, const Value&, const std::string& path, Findings&)> read;
  std::function<std::string(const R&)> text;

  // What follows field() passes the same object on: moving one for each was a sixth of compiling the tables.

  Field&& required() && {
    info.required = true;
    info.default_text.clear();
    return std::move(*this);
  }
  /// Where the default comes from.
  [[gnu::noinline]] Field&& from(std::string_view source) && {
    info.source = source;
    return std::move(*this);
  }
  /// What uses it (FieldInfo::readers).
  Field&& read_by(unsigned readers) && {
    info.readers = readers;
    return std::move(*this);
  }
  /// For an optional: absent, it is not among the settings (FieldInfo::listed_when_absent).
  Field&& silent_when_absent() && {
    info.listed_when_absent = false;
    return std::move(*this);
  }
  /// What an absent optional stands for.
  [[gnu::noinline]] Field&& otherwise(std::string_view meaning) && {
    info.default_text = meaning;
    return std::move(*this);
  }
  /// For a field that is no optional: "auto" sets a flag of the record, and a value clears it. The record
  /// then holds what the program chose, and its text stays "auto".
  template <class O>
  Field&& or_auto(O R::*flags, bool O::*flag) && {
    info.takes_auto = true;
    info.default_text = "chosen";
    read = [inner = std::move(read), flags, flag](R& record, const Value& value, const std::string& path,
                                                  Findings& findings) {
      const std::string* word = value.as<std::string>();
      const bool automatic = word && *word == "auto";
      if (!automatic && !inner(record, value, path, findings)) return false;
      record.*flags.*flag = automatic;
      return true;
    };
    text = [inner = std::move(text), flags, flag](const R& record) {
      return record.*flags.*flag ? std::string("\"auto\"") : inner(record);
    };
    return std::move(*this);
  }
};

/// The fields of a record, in their order. Made of those that it is given, not of copies: every start of the
/// program makes hundreds.
template <class R>
struct FieldTable : std::vector<Field<R>> {
  FieldTable() = default;
  FieldTable(std::vector<Field<R>> fields)  // NOLINT(google-explicit-constructor)
      : std::vector<Field<R>>(std::move(fields)) {}
  template <class... Fields>
  requires(sizeof...(Fields) > 0 && (std::is_same_v<Fields, Field<R>> && ...))
      FieldTable(Fields&&... fields) {  // NOLINT(google-explicit-constructor): a list in braces
    this->reserve(sizeof...(Fields));
    (add(std::move(fields)), ...);
  }

 private:
  [[gnu::noinline]] void add(Field<R>&& field) { this->push_back(std::move(field)); }
};

template <class E>
void add_choices(FieldInfo& info) {
  info.choices = choice_names<E>();
  for (const Choice<E>& choice : Choices<E>::kAll) add_allowed(info, choice.name, choice.sentence);
}

template <class T>
void describe_type(FieldInfo& info, const Range& range) {
  if constexpr (is_optional<T>::value) {
    describe_type<typename T::value_type>(info, range);
  } else if constexpr (std::is_enum_v<T>) {
    add_choices<T>(info);
  } else if constexpr (requires { Codec<T>::kUnit; }) {
    info.allowed = describe_range(range, Codec<T>::kUnit);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    info.allowed = describe_range(range, Unit::number);
    info.range = range;
  }
}

/// What the documents say of a field of the type T.
template <class T>
[[gnu::noinline]] FieldInfo info_of(std::string_view name, const T& by_default, const Range& range,
                                    std::string_view sentence) {
  FieldInfo info = plain_info(name, Codec<T>::type(), Codec<T>::kJson, sentence);
  info.default_text = Codec<T>::text(by_default);
  describe_type<T>(info, range);
  info.takes_auto = is_optional<T>::value;
  return info;
}

/// A member of the record R, whatever its type.
template <class R>
struct AnyMember {
  using Erased = char R::*;

  Erased member;  // converted back before it is followed
  Range range;
  bool (*read)(R&, Erased, const Value&, const std::string& path, const Range&, Findings&);
  std::string (*text)(const R&, Erased);
};

template <class T, class R>
bool read_member(R& record, char R::*member, const Value& value, const std::string& path, const Range& range,
                 Findings& findings) {
  return Codec<T>::read(record.*reinterpret_cast<T R::*>(member), value, path, range, findings);
}

template <class T, class R>
std::string member_text(const R& record, char R::*member) {
  return Codec<T>::text(record.*reinterpret_cast<T R::*>(member));
}

/// A field of that member, by reading and writing that are compiled once for a record.
template <class R>
[[gnu::noinline]] Field<R> member_field(FieldInfo info, const AnyMember<R>& any) {
  return {std::move(info),
          [any](R& record, const Value& value, const std::string& path, Findings& findings) {
            return any.read(record, any.member, value, path, any.range, findings);
          },
          [any](const R& record) { return any.text(record, any.member); }};
}

/// What a record holds before anything is read over it.
template <class R>
const R& default_record() {
  static const R record{};
  return record;
}

/// A field whose default is the one that R's own initialiser gives.
template <class R, class T>
[[gnu::noinline]] Field<R> field(std::string_view name, T R::*member, const Range& range,
                                 std::string_view sentence) {
  return member_field<R>(info_of<T>(name, default_record<R>().*member, range, sentence),
                         {reinterpret_cast<char R::*>(member), range, read_member<T, R>, member_text<T, R>});
}

template <class R, class T>
Field<R> field(std::string_view name, T R::*member, std::string_view sentence) {
  return field(name, member, anything(), sentence);
}

/// Makes fields for records that say themselves what theirs are:
///   template <class Field>
///   static auto fields(const Field& field) { return std::vector{field("share", &S::share, between(0, 1),
///   "...")}; }
struct FieldMaker {
  template <class R, class T>
  Field<R> operator()(std::string_view name, T R::*member, const Range& range,
                      std::string_view sentence) const {
    return field(name, member, range, sentence);
  }
  template <class R, class T>
  Field<R> operator()(std::string_view name, T R::*member, std::string_view sentence) const {
    return field(name, member, anything(), sentence);
  }
};

/// The table of such a record.
template <class R>
const FieldTable<R>& own_fields() {
  static const FieldTable<R> table = R::fields(FieldMaker{});
  return table;
}

template <class R>
std::vector<std::string> field_names(const FieldTable<R>& fields) {
  std::vector<std::string> names;
  for (const Field<R>& f : fields) names.push_back(f.info.name);
  return names;
}

void unknown_key(const Member& member, const std::string& path, const std::vector<std::string>& names,
                 Findings& findings);
/// "path.name"; at the top, where the path is empty, the name.
std::string key_below(const std::string& path, const std::string& name);

/// Reads a table over a record: keys that stand in it replace what the record holds. Adds a finding for every
/// unknown key, wrong type and value out of range. `path` is the table's own key, for messages ("" at the
/// top).
template <class R>
void read_fields(R& record, const Table& table, const FieldTable<R>& fields, const std::string& path,
                 Findings& findings) {
  for (const Member& member : table.members) {
    const Field<R>* found = nullptr;
    for (const Field<R>& f : fields) {
      if (f.info.name == member.key) found = &f;
    }
    const std::string key = key_below(path, member.key);
    if (found) {
      found->read(record, member.value, key, findings);
    } else {
      unknown_key(member, key, field_names(fields), findings);
    }
  }
}

/// Adds a finding for every required field that a table lacks.
template <class R>
void check_required(const Table& table, const Location& where, const FieldTable<R>& fields,
                    const std::string& path, Findings& findings) {
  for (const Field<R>& f : fields) {
    if (f.info.required && !table.find(f.info.name)) {
      findings.add(where, "'" + path + "' lacks the key '" + f.info.name + "'", f.info.sentence);
    }
  }
}

template <class R>
std::vector<FieldInfo> field_infos(const FieldTable<R>& fields) {
  std::vector<FieldInfo> infos;
  for (const Field<R>& f : fields) infos.push_back(f.info);
  return infos;
}

}  // namespace trainyard
