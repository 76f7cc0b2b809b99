// Tables as CSV (RFC 4180), for programs.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "trainyard/units.h"

namespace trainyard {

/// A number as JSON and CSV write it: shortest text that reads back the same; nothing for an infinity.
std::string number_text(double value);

/// A header and rows of as many fields. Texts are quoted where they have to be, numbers are written in base
/// units by number_text, and what is absent leaves its field empty.
class CsvTable {
 public:
  /// The names of the columns, with commas between them.
  explicit CsvTable(std::string_view columns);

  template <class... Fields>
  void row(const Fields&... fields) {
    (add(fields), ...);
    end_row();
  }

  /// For rows that are made in parts.
  CsvTable& add(std::string_view text);
  CsvTable& add(const std::string& text) { return add(std::string_view(text)); }
  CsvTable& add(const char* text) { return add(std::string_view(text)); }
  CsvTable& add(bool yes) { return add(yes ? std::string_view("true") : std::string_view("false")); }
  CsvTable& add(double number);
  template <std::integral T>
  CsvTable& add(T number) {
    return add(std::to_string(number));
  }
  template <Dimension D>
  CsvTable& add(Quantity<D> quantity) {
    return add(quantity.si());
  }
  CsvTable& add(std::nullopt_t) { return add(std::string_view()); }
  template <class T>
  CsvTable& add(const std::optional<T>& field) {
    return field ? add(*field) : add(std::nullopt);
  }
  CsvTable& add_empty(std::size_t fields);
  void end_row();

  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
  std::size_t columns_;
  std::size_t filled_ = 0;  // fields of the row
};

}  // namespace trainyard
