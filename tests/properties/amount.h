// A quantity as decimal digits: it is written in any unit, and scaled by 2 or 1/2, without being rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard::properties {

/// digits x 10^exponent of `unit`; prices of energy in $/kWh.
struct Amount {
  std::int64_t digits = 0;
  int exponent = 0;
  Unit unit = Unit::number;

  Amount doubled() const { return {2 * digits, exponent, unit}; }
  Amount halved() const { return {5 * digits, exponent - 1, unit}; }
};

/// All texts of an amount that have at most some ten digits: "400 Gbps", "0.4 Tbps", "50 GB/s". The first is
/// the usual one.
std::vector<std::string> spellings(const Amount& amount);

inline Amount gbps(std::int64_t n) { return {n, 9, Unit::bits_per_second}; }
inline Amount gigabytes_per_second(std::int64_t n) { return {n, 9, Unit::bytes_per_second}; }
inline Amount teraflop_per_second(std::int64_t n) { return {n, 12, Unit::flop_per_second}; }
inline Amount nanoseconds(std::int64_t n) { return {n, -9, Unit::seconds}; }
inline Amount microseconds(std::int64_t n) { return {n, -6, Unit::seconds}; }
inline Amount gigabytes(std::int64_t n) { return {n, 9, Unit::bytes}; }
inline Amount bytes(std::int64_t n) { return {n, 0, Unit::bytes}; }
inline Amount watts(std::int64_t n) { return {n, 0, Unit::watts}; }
inline Amount usd(std::int64_t n) { return {n, 0, Unit::usd}; }
inline Amount mills_per_kwh(std::int64_t n) { return {n, -3, Unit::usd_per_joule}; }

}  // namespace trainyard::properties
