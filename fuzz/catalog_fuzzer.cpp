// A hostile catalog file: what is accepted has sources and can be written out.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "catalog/catalog.h"
#include "trainyard/catalog.h"

namespace {

void write_out(const trainyard::Catalog& catalog) {
  for (const trainyard::CatalogKind& kind : trainyard::catalog_kinds()) {
    for (const std::string& key : kind.keys(catalog)) {
      if (kind.info(catalog, key).source.empty()) std::abort();
      static_cast<void>(kind.entry(catalog, key));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const auto source = std::make_shared<const SourceText>(
      SourceText{"fuzz.toml", std::string(reinterpret_cast<const char*>(data), size)});
  try {
    Catalog catalog = *shipped_catalog();
    Findings findings;
    extend_catalog(catalog, parse_document(source), "", findings);
    check_references(catalog, findings);
    findings.throw_if_any();
    write_out(catalog);
  } catch (const InputError& error) {
    if (error.findings().empty()) std::abort();
    static_cast<void>(describe(error.findings()));
  }
  return 0;
}
