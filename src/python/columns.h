// Long columns as NumPy arrays.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace trainyard::python {

/// A text out of few, for each row: the number of its name.
struct Names {
  std::vector<std::string> names;
  std::vector<std::uint32_t> rows;
};

using Values =
    std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>, Names>;

struct Column {
  std::string name;
  Values values;
};

struct Table {
  std::string name;
  std::vector<Column> columns;
};

/// A column of what `read` gives of each record.
template <class Record, class Read>
Column column_of(std::string name, const std::vector<Record>& records, const Read& read) {
  std::vector<decltype(read(records.front()))> out;
  out.reserve(records.size());
  for (const Record& record : records) out.push_back(read(record));
  return {std::move(name), std::move(out)};
}

/// {name: {column: array}}; of a column of names (names, array of their numbers). The arrays own the values.
pybind11::dict arrays_of(std::vector<Table> tables);

/// A square matrix, row by row.
pybind11::object square_of(std::vector<double> values);

}  // namespace trainyard::python
