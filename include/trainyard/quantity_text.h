// Quantities as people write and read them: "800 Gbps", "3.03 GW", "$100B", "4 years".
#pragma once

#include <string>
#include <string_view>

#include "trainyard/units.h"

namespace trainyard {

/// What parsing a quantity gave: a finite number in base units, or why not.
struct ParsedQuantity {
  double si = 0;
  std::string error;  // empty when the text was valid
};

/// Reads a number and a unit of the given kind. A bare number is an error for every kind that has units.
ParsedQuantity parse_quantity(std::string_view text, Unit unit);

/// The spellings that are accepted, for help texts: "bps, kbps, ... or B/s, ...".
std::string unit_names(Unit unit);

/// Four significant digits in engineering units: "132.8 ms", "16.80 ZFLOP/s", "4.95%".
std::string format_quantity(double si, Unit unit);

/// An exact text that parse_quantity reads back to the same number.
std::string exact_quantity(double si, Unit unit);

/// As a person writes it, "50 us" where the exact text is "5e-05 s": read back, a unit in the last place off
/// at most.
std::string written_quantity(double si, Unit unit);

/// The unit in a field name of JSON and CSV: "_bytes", "_bps", "_s", "_usd", "_w"; empty for plain numbers.
std::string_view unit_suffix(Unit unit);

/// The name of the base unit: "B", "bit/s", "s", "FLOP", "USD".
std::string_view base_unit_name(Unit unit);

}  // namespace trainyard
