// The functions of the module, by what they are about.
#pragma once

#include <pybind11/pybind11.h>

namespace trainyard::python {

void add_plans(pybind11::module_& module);
void add_networks(pybind11::module_& module);
void add_simulations(pybind11::module_& module);
void add_schedules(pybind11::module_& module);
void add_studies(pybind11::module_& module);
void add_papers(pybind11::module_& module);
void add_tables(pybind11::module_& module);

}  // namespace trainyard::python
