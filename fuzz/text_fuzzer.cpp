// Quantities and assignments: what is accepted must be read back alike.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/document.h"
#include "trainyard/quantity_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Unit unit :
       {Unit::bytes, Unit::bytes_per_second, Unit::bits_per_second, Unit::seconds, Unit::flop,
        Unit::flop_per_second, Unit::joules, Unit::watts, Unit::usd, Unit::usd_per_joule, Unit::metres}) {
    const ParsedQuantity q = parse_quantity(text, unit);
    if (!q.error.empty()) continue;
    if (!std::isfinite(q.si)) std::abort();
    const ParsedQuantity again = parse_quantity(exact_quantity(q.si, unit), unit);
    const bool close = std::abs(again.si - q.si) <= 1e-12 * std::abs(q.si);
    if (!again.error.empty() || !close) std::abort();
    static_cast<void>(format_quantity(q.si, unit));
  }
  try {
    static_cast<void>(parse_assignment(text, "--set"));
  } catch (const InputError& error) {
    if (error.findings().empty()) std::abort();
  }
  return 0;
}
