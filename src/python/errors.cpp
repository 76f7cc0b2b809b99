#include "python/errors.h"

#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include "trainyard/errors.h"

namespace trainyard::python {

namespace py = pybind11;

namespace {

/// Texts may have bytes of a foreign file.
py::str shown(const std::string& text) {
  PyObject* const out = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (out == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(out);
}

py::dict record_of(const Finding& finding) {
  py::dict out;
  out["file"] = finding.where.source ? shown(finding.where.source->name) : py::str("");
  out["line"] = finding.where.line;
  out["column"] = finding.where.column;
  out["message"] = shown(finding.message);
  out["help"] = shown(finding.help);
  return out;
}

/// Raises the class of that name, made of these words.
template <class... Words>
void raise(const char* name, const Words&... words) {
  const py::object type = py::module_::import("trainyard._errors").attr(name);
  PyErr_SetObject(type.ptr(), type(words...).ptr());
}

void translate(const std::exception_ptr& thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    py::list findings;
    for (const Finding& finding : error.findings()) findings.append(record_of(finding));
    raise("InputError", shown(describe(error.findings())), findings);
  } catch (const Infeasible& error) {
    raise("Infeasible", shown(error.constraint), shown(error.shortfall), shown(error.remedy));
  }
}

}  // namespace

void register_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) { translate(thrown); });
}

}  // namespace trainyard::python
