// Errors of the library as exceptions of Python.
#pragma once

namespace trainyard::python {

/// InputError and Infeasible are raised as what trainyard/_errors.py makes of them.
void register_errors();

}  // namespace trainyard::python
