// The catalog, settings, collectives of libraries, stored searches and imports of grids.
#include "trainyard/report/tables.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/answer.h"
#include "python/functions.h"
#include "trainyard/assignment_text.h"
#include "trainyard/catalog.h"
#include "trainyard/grid_import.h"
#include "trainyard/library_collectives.h"
#include "trainyard/library_validation.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/grid_import.h"
#include "trainyard/report/library_collectives.h"
#include "trainyard/report/results.h"
#include "trainyard/result_store.h"

namespace trainyard::python {
namespace {

namespace py = pybind11;

/// The kinds; the entries of one; or with a key an entry.
py::tuple catalog(const std::string& kind, const std::string& key, const std::vector<std::string>& where,
                  const std::vector<std::string>& folders) {
  return answered([&] {
    const Catalog entries = catalog_with(folders);
    if (kind.empty()) return Answer{table_json(catalog_kinds_table(entries))};
    if (!key.empty())
      return Answer{table_json(catalog_entry_values(entries, catalog_entry_named(entries, kind, key)))};
    std::vector<CatalogFilter> filters;
    for (const std::string& condition : where) {
      const auto sides = assignment_text(condition);
      if (!sides) fail_input(whole("where " + condition), "expected field=text", "for example vendor=NVIDIA");
      filters.push_back({std::string(sides->key), std::string(sides->value)});
    }
    return Answer{table_json(catalog_list_table(entries, kind, filters, ListedFields::all))};
  });
}

py::tuple describe(const std::string& what) {
  return answered([&] { return Answer{table_json(settings_table(what))}; });
}

py::tuple collective(const LibraryCall& call, const std::string& bytes, const std::string& dtype,
                     const std::string& algorithm, const std::string& protocol, std::int64_t channels,
                     const std::vector<std::string>& folders) {
  return answered([&] {
    const Catalog entries = catalog_with(folders);
    LibraryCall asked = call;
    const ParsedQuantity size = parse_quantity(bytes, Unit::bytes);
    if (!size.error.empty()) fail_input(whole("bytes " + bytes), size.error);
    asked.bytes = size.si;
    asked.element_bytes = element_bytes_of(dtype);
    const LibraryWish wish = library_wish(algorithm, protocol, channels, "");
    return Answer{library_runs_json(weigh_library_runs(entries, asked, wish, ""))};
  });
}

/// The questions of a store, or the points of one.
py::tuple results(const std::string& store, std::int64_t question, std::size_t most, bool only_answers,
                  std::vector<std::string> where) {
  return answered([&] {
    const ResultStore kept = ResultStore::read(store);
    if (question == 0) return Answer{table_json(stored_questions_table(kept.questions()))};
    return Answer{stored_points_json(stored_answers(kept, question), {most, only_answers, std::move(where)})};
  });
}

py::tuple compare_results(const std::string& store, std::int64_t a, std::int64_t b) {
  return answered([&] {
    const ResultStore kept = ResultStore::read(store);
    return Answer{stored_comparison_json(stored_answers(kept, a), stored_answers(kept, b))};
  });
}

py::tuple import_grid_folder(const std::string& folder, const GridImportInput& originals, bool replace) {
  return answered([&] {
    const GridImport grid = import_grid(originals);
    write_grid_folder(folder, grid, replace);
    return Answer{grid_import_json(folder, grid)};
  });
}

void add_grid_originals(py::module_& module) {
  using In = GridImportInput;
  py::class_<In>(module, "GridOriginals")
      .def(py::init<>())
      .def_readwrite("eia860_plants", &In::eia860_plants)
      .def_readwrite("eia860_generators", &In::eia860_generators)
      .def_readwrite("energy_atlas", &In::energy_atlas)
      .def_readwrite("eia930", &In::eia930)
      .def_readwrite("gppd", &In::gppd)
      .def_readwrite("country", &In::country)
      .def_readwrite("interfaces", &In::interfaces)
      .def_readwrite("dc_interfaces", &In::dc_interfaces)
      .def_readwrite("counties", &In::counties)
      .def_readwrite("population", &In::population)
      .def_readwrite("prices", &In::prices)
      .def_readwrite("cities", &In::cities)
      .def_readwrite("statuses", &In::statuses)
      .def_readwrite("window", &In::window)
      .def_readwrite("adjusted", &In::adjusted)
      .def_readwrite("skip_bad_rows", &In::skip_bad_rows);
}

}  // namespace

void add_tables(py::module_& module) {
  add_grid_originals(module);
  py::class_<LibraryCall>(module, "LibraryCall")
      .def(py::init<>())
      .def_readwrite("system", &LibraryCall::system)
      .def_readwrite("operation", &LibraryCall::operation)
      .def_readwrite("devices", &LibraryCall::devices)
      .def_readwrite("version", &LibraryCall::version);
  module.def("catalog", &catalog);
  module.def("describe", &describe);
  module.def("collective", &collective);
  module.def("results", &results);
  module.def("compare_results", &compare_results);
  module.def("import_grid", &import_grid_folder);
}

}  // namespace trainyard::python
