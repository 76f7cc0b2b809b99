// A TOML document as a tree in which every key and value knows its place in the text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

class Value;

struct Member;

/// Members in the order of the text.
struct Table {
  std::vector<Member> members;

  // Defined below Member: a vector of an incomplete type can be held, not copied.
  Table();
  Table(const Table&);
  Table(Table&&) noexcept;
  Table& operator=(const Table&);
  Table& operator=(Table&&) noexcept;
  ~Table();

  /// The value of a key, or nullptr.
  const Value* find(std::string_view key) const;
};

using Array = std::vector<Value>;

/// One value of a document.
class Value {
 public:
  using Data = std::variant<bool, std::int64_t, double, std::string, Array, Table>;

  Value(Data data, Location where) : data_(std::move(data)), where_(std::move(where)) {}

  const Location& where() const { return where_; }
  const Data& data() const { return data_; }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&data_);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&data_);
  }
  /// "a string", "a whole number", ...: for messages.
  std::string_view type_name() const;

 private:
  Data data_;
  Location where_;
};

struct Member {
  std::string key;
  Location where;
  Value value;
};

inline Table::Table() = default;
inline Table::Table(const Table&) = default;
inline Table::Table(Table&&) noexcept = default;
inline Table& Table::operator=(const Table&) = default;
inline Table& Table::operator=(Table&&) noexcept = default;
inline Table::~Table() = default;

/// Parses a TOML text. Throws InputError with line and column.
/// Limits: 4 MiB, nesting of 64; UTF-8 outside of strings and comments is an error, as are dates and times.
Table parse_document(std::shared_ptr<const SourceText> source);

/// Reads and parses a file. Throws InputError when it cannot be read, is a folder, or is too large.
Table read_document(const std::string& path);

/// Parses `key.path=value` of a command line: the value is TOML, or else taken as a bare string.
/// Throws InputError; `flag` names the flag in the message.
Member parse_assignment(std::string_view text, const std::string& flag);
/// The same of a text that stands at a place of a file.
Member parse_assignment(std::string_view text, const Location& where);

}  // namespace trainyard
