// Physical quantities as types: a byte, a bit per second, a FLOP, a watt and a dollar do not mix.
//
// A Quantity holds a double in the base unit of its dimension (B, bit, s, FLOP, J, USD, m); `si()` is that
// number. Products and quotients carry the dimension along, so Bytes / BytesPerSecond is Seconds and adding
// the two does not compile. Bits and bytes are different dimensions: `byte_rate` and `bit_rate` below are the
// only conversion.
#pragma once

#include <compare>
#include <cstdint>

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

  constexpr bool operator==(const Dimension&) const = default;
};

constexpr Dimension operator+(Dimension a, Dimension b) {
  return {a.bytes + b.bytes,   a.bits + b.bits, a.seconds + b.seconds, a.flop + b.flop,
          a.joules + b.joules, a.usd + b.usd,   a.metres + b.metres};
}

constexpr Dimension operator-(Dimension a, Dimension b) {
  return {a.bytes - b.bytes,   a.bits - b.bits, a.seconds - b.seconds, a.flop - b.flop,
          a.joules - b.joules, a.usd - b.usd,   a.metres - b.metres};
}

/// A number with a dimension. The default is zero.
template <Dimension D>
class Quantity {
 public:
  static constexpr Dimension kDimension = D;

  constexpr Quantity() = default;
  constexpr explicit Quantity(double si) : si_(si) {}

  /// The number in base units.
  constexpr double si() const { return si_; }

  constexpr auto operator<=>(const Quantity&) const = default;

  constexpr Quantity& operator+=(Quantity other) {
    si_ += other.si_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    si_ -= other.si_;
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.si_ + b.si_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.si_ - b.si_); }
  friend constexpr Quantity operator*(Quantity a, double b) { return Quantity(a.si_ * b); }
  friend constexpr Quantity operator*(double a, Quantity b) { return Quantity(a * b.si_); }
  friend constexpr Quantity operator/(Quantity a, double b) { return Quantity(a.si_ / b); }

 private:
  double si_ = 0;
};

/// Product of two quantities; a plain double when the dimensions cancel.
template <Dimension A, Dimension B>
constexpr auto operator*(Quantity<A> a, Quantity<B> b) {
  if constexpr (A + B == Dimension{}) {
    return a.si() * b.si();
  } else {
    return Quantity<A + B>(a.si() * b.si());
  }
}

/// Quotient of two quantities; a plain double when the dimensions cancel.
template <Dimension A, Dimension B>
constexpr auto operator/(Quantity<A> a, Quantity<B> b) {
  if constexpr (A == B) {
    return a.si() / b.si();
  } else {
    return Quantity<A - B>(a.si() / b.si());
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
