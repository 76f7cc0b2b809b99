#include "python/columns.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <type_traits>

namespace trainyard::python {

namespace py = pybind11;

namespace {

template <class T>
py::array array_of(std::vector<T> values, const std::vector<py::ssize_t>& shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = kept->data();
  const py::capsule owner(kept.get(), [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  kept.release();  // NOLINT(bugprone-unused-return-value): the capsule has it
  return py::array_t<T>(shape, data, owner);
}

template <class T>
py::array array_of(std::vector<T> values) {
  const auto count = static_cast<py::ssize_t>(values.size());
  return array_of(std::move(values), {count});
}

py::object object_of(Values values) {
  return std::visit(
      [](auto& column) -> py::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(column)>, Names>) {
          return py::make_tuple(column.names, array_of(std::move(column.rows)));
        } else {
          return array_of(std::move(column));
        }
      },
      values);
}

}  // namespace

py::dict arrays_of(std::vector<Table> tables) {
  py::dict out;
  for (Table& table : tables) {
    py::dict columns;
    for (Column& column : table.columns) columns[py::str(column.name)] = object_of(std::move(column.values));
    out[py::str(table.name)] = columns;
  }
  return out;
}

py::object square_of(std::vector<double> values) {
  const auto side = static_cast<py::ssize_t>(std::llround(std::sqrt(static_cast<double>(values.size()))));
  return array_of(std::move(values), {side, side});
}

}  // namespace trainyard::python
