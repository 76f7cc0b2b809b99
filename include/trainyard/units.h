// Physical quantities as types: a byte, a bit per second, a FLOP, a watt and a dollar do not mix.
//
// A Quantity holds a double in the base unit of its dimension (B, bit, s, FLOP, J, USD, m, kg, V); `si()` is
// that number. Products and quotients carry the dimension along, so Bytes / BytesPerSecond is Seconds and
// adding the two does not compile. Bits and bytes are different dimensions: `byte_rate` and `bit_rate` below
// are the only conversion.
//
// Files of power grids are in MW, km and USD/MWh. Their numbers keep these units, and so their digits, from
// the file to the answer: the unit is part of the type, as the dimension is. Megawatts and Watts do not mix;
// `as` is the conversion.
#pragma once

#include <compare>
#include <cstdint>
#include <ratio>
#include <type_traits>

namespace trainyard {

/// Exponents of the base units.
struct Dimension {
  int bytes = 0;
  int bits = 0;
  int seconds = 0;
  int flop = 0;
  int joules = 0;
  int usd = 0;
  int metres = 0;
  int kilograms = 0;
  int volts = 0;

  constexpr bool operator==(const Dimension&) const = default;
};

constexpr Dimension operator+(Dimension a, Dimension b) {
  return {a.bytes + b.bytes,   a.bits + b.bits,           a.seconds + b.seconds,
          a.flop + b.flop,     a.joules + b.joules,       a.usd + b.usd,
          a.metres + b.metres, a.kilograms + b.kilograms, a.volts + b.volts};
}

constexpr Dimension operator-(Dimension a, Dimension b) {
  return {a.bytes - b.bytes,   a.bits - b.bits,           a.seconds - b.seconds,
          a.flop - b.flop,     a.joules - b.joules,       a.usd - b.usd,
          a.metres - b.metres, a.kilograms - b.kilograms, a.volts - b.volts};
}

/// A number with a dimension, counted in `S` base units. The default is zero.
template <Dimension D, class S = std::ratio<1>>
class Quantity {
 public:
  static constexpr Dimension kDimension = D;
  using Scale = S;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double count) : count_(count) {}

  /// The number in this unit.
  constexpr double count() const { return count_; }

  /// The number in base units.
  constexpr double si() const requires std::is_same_v<S, std::ratio<1>> { return count_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.count_ + b.count_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.count_ - b.count_); }
  friend constexpr Quantity operator*(Quantity a, double b) { return Quantity(a.count_ * b); }
  friend constexpr Quantity operator*(double a, Quantity b) { return Quantity(a * b.count_); }
  friend constexpr Quantity operator/(Quantity a, double b) { return Quantity(a.count_ / b); }

 private:
  double count_ = 0;
};

/// Product of two quantities; a plain double when dimensions and units cancel.
template <Dimension A, class S, Dimension B, class T>
constexpr auto operator*(Quantity<A, S> a, Quantity<B, T> b) {
  using Scale = typename std::ratio_multiply<S, T>::type;
  if constexpr (A + B == Dimension{} && std::is_same_v<Scale, std::ratio<1>>) {
    return a.count() * b.count();
  } else {
    return Quantity<A + B, Scale>(a.count() * b.count());
  }
}

/// Quotient of two quantities; a plain double when dimensions and units cancel.
template <Dimension A, class S, Dimension B, class T>
constexpr auto operator/(Quantity<A, S> a, Quantity<B, T> b) {
  using Scale = typename std::ratio_divide<S, T>::type;
  if constexpr (A == B && std::is_same_v<Scale, std::ratio<1>>) {
    return a.count() / b.count();
  } else {
    return Quantity<A - B, Scale>(a.count() / b.count());
  }
}

/// The same quantity in another unit of its dimension: one multiplication by the ratio of the units where
/// that is whole, else one division by its inverse.
template <class To, Dimension D, class S>
requires(To::kDimension == D) constexpr To as(Quantity<D, S> q) {
  using Ratio = typename std::ratio_divide<S, typename To::Scale>::type;
  static_assert(Ratio::num == 1 || Ratio::den == 1, "one unit is a multiple of the other");
  if constexpr (Ratio::den == 1) {
    return To(q.count() * static_cast<double>(Ratio::num));
  } else {
    return To(q.count() / static_cast<double>(Ratio::den));
  }
}

/// A count as a number to calculate with; exact up to 2^53.
constexpr double real(std::int64_t count) { return static_cast<double>(count); }

using Bytes = Quantity<Dimension{.bytes = 1}>;
using BytesPerSecond = Quantity<Dimension{.bytes = 1, .seconds = -1}>;
using BitRate = Quantity<Dimension{.bits = 1, .seconds = -1}>;
using Seconds = Quantity<Dimension{.seconds = 1}>;
using Flop = Quantity<Dimension{.flop = 1}>;
using FlopRate = Quantity<Dimension{.seconds = -1, .flop = 1}>;
using Joules = Quantity<Dimension{.joules = 1}>;
using Watts = Quantity<Dimension{.seconds = -1, .joules = 1}>;
using Usd = Quantity<Dimension{.usd = 1}>;
using UsdPerJoule = Quantity<Dimension{.joules = -1, .usd = 1}>;
using Metres = Quantity<Dimension{.metres = 1}>;
using Kilograms = Quantity<Dimension{.kilograms = 1}>;
using Volts = Quantity<Dimension{.volts = 1}>;

using Milliseconds = Quantity<Seconds::kDimension, std::milli>;
using Hours = Quantity<Seconds::kDimension, std::ratio<3600>>;
using Days = Quantity<Seconds::kDimension, std::ratio<86400>>;
using Years = Quantity<Seconds::kDimension, std::ratio<365L * 86400>>;  // no leap years
using Megabytes = Quantity<Bytes::kDimension, std::mega>;
using GigabitsPerSecond = Quantity<BitRate::kDimension, std::giga>;
using Kilometres = Quantity<Metres::kDimension, std::kilo>;
using MillisecondsPerKilometre = decltype(Milliseconds() / Kilometres());
using Kilovolts = Quantity<Volts::kDimension, std::kilo>;
using Megawatts = Quantity<Watts::kDimension, std::mega>;
using MegawattHours = decltype(Megawatts() * Hours());
using HoursPerYear = decltype(Hours() / Years());
using UsdPerYear = decltype(Usd() / Years());
using UsdPerMegawattHour = decltype(Usd() / MegawattHours());
using KilogramsPerMegawattHour = decltype(Kilograms() / MegawattHours());
using KilogramsPerYear = decltype(Kilograms() / Years());
using TonnesPerYear =
    Quantity<KilogramsPerYear::kDimension, std::ratio_multiply<std::kilo, KilogramsPerYear::Scale>>;

constexpr double kBitsPerByte = 8;

/// The bytes a second that a link of this bit rate carries.
constexpr BytesPerSecond byte_rate(BitRate rate) { return BytesPerSecond(rate.si() / kBitsPerByte); }

/// The bit rate of a link that carries these bytes a second.
constexpr BitRate bit_rate(BytesPerSecond rate) { return BitRate(rate.si() * kBitsPerByte); }

/// What a number of a report or an input is counted in. Decides how it is read and written.
enum class Unit {
  none,      // text
  flag,      // true or false
  count,     // whole number
  number,    // plain number
  fraction,  // 0..1, written as a percentage for people
  bytes,
  bytes_per_second,
  bits_per_second,
  seconds,
  flop,
  flop_per_second,
  joules,
  watts,
  usd,
  usd_per_joule,
  metres,
};

/// The Unit that belongs to a Quantity type.
template <class Q>
constexpr Unit unit_of() {
  static_assert(std::is_same_v<typename Q::Scale, std::ratio<1>>, "reports and inputs are in base units");
  constexpr Dimension d = Q::kDimension;
  if constexpr (d == Bytes::kDimension) return Unit::bytes;
  if constexpr (d == BytesPerSecond::kDimension) return Unit::bytes_per_second;
  if constexpr (d == BitRate::kDimension) return Unit::bits_per_second;
  if constexpr (d == Seconds::kDimension) return Unit::seconds;
  if constexpr (d == Flop::kDimension) return Unit::flop;
  if constexpr (d == FlopRate::kDimension) return Unit::flop_per_second;
  if constexpr (d == Joules::kDimension) return Unit::joules;
  if constexpr (d == Watts::kDimension) return Unit::watts;
  if constexpr (d == Usd::kDimension) return Unit::usd;
  if constexpr (d == UsdPerJoule::kDimension) return Unit::usd_per_joule;
  if constexpr (d == Metres::kDimension) return Unit::metres;
  return Unit::number;
}

}  // namespace trainyard
