#include "cost/correction.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace trainyard {
namespace {

constexpr double kMostSteps = 1000;  // ten units of ln: a factor of 22,000

struct Place {
  std::size_t below = 0;
  double fraction = 0;
};

Place place_on(const std::vector<double>& knots, double x) {
  const auto above = std::upper_bound(knots.begin(), knots.end(), x);
  if (above == knots.begin()) return {0, 0};
  if (above == knots.end()) return {knots.size() - 2, 1};
  const auto below = static_cast<std::size_t>(above - knots.begin() - 1);
  return {below, (x - knots[below]) / (knots[below + 1] - knots[below])};
}

void add_table(const CorrectionTable& table, const Coordinates& at, std::size_t first,
               std::vector<KnotWeight>& out) {
  const std::size_t begin = out.size();
  out.push_back({0, 1});
  for (const CorrectionAxis& axis : table.axes) {
    const Place place = place_on(axis.knots, at[axis.coordinate]);
    const std::size_t end = out.size();
    for (std::size_t i = begin; i < end; ++i) {
      const KnotWeight one = out[i];
      const std::size_t knot = one.knot * axis.knots.size() + place.below;
      out[i] = {knot, one.weight * (1 - place.fraction)};
      if (place.fraction > 0) out.push_back({knot + 1, one.weight * place.fraction});
    }
  }
  for (std::size_t i = begin; i < out.size(); ++i) out[i].knot += first;
}

void add_smoothness(const CorrectionTable& table, std::size_t first,
                    std::vector<std::vector<KnotWeight>>& rows) {
  std::size_t stride = table.size();
  for (const CorrectionAxis& axis : table.axes) {
    const std::size_t length = axis.knots.size();
    stride /= length;
    for (std::size_t knot = 0; knot < table.size(); ++knot) {
      const std::size_t along = knot / stride % length;
      const std::size_t at = first + knot;
      if (length == 2 && along == 0) rows.push_back({{at, -1}, {at + stride, 1}});
      if (along + 2 < length) rows.push_back({{at, 1}, {at + stride, -2}, {at + 2 * stride, 1}});
    }
  }
}

}  // namespace

std::size_t knot_count(const std::vector<CorrectionTable>& tables) {
  std::size_t out = 0;
  for (const CorrectionTable& table : tables) out += table.size();
  return out;
}

void add_knot_weights(const std::vector<CorrectionTable>& tables, const Coordinates& at,
                      std::vector<KnotWeight>& out) {
  std::size_t first = 0;
  for (const CorrectionTable& table : tables) {
    add_table(table, at, first, out);
    first += table.size();
  }
}

double correction_at(const std::vector<CorrectionTable>& tables, const std::vector<double>& values,
                     const Coordinates& at) {
  std::vector<KnotWeight> weights;
  add_knot_weights(tables, at, weights);
  double sum = 0;
  for (const KnotWeight& w : weights) sum += w.weight * values[w.knot];
  return sum;
}

std::vector<std::vector<KnotWeight>> smoothness_rows(const std::vector<CorrectionTable>& tables) {
  std::vector<std::vector<KnotWeight>> rows;
  std::size_t first = 0;
  for (const CorrectionTable& table : tables) {
    add_smoothness(table, first, rows);
    first += table.size();
  }
  return rows;
}

std::optional<std::vector<double>> parse_correction(std::string_view text, std::size_t count) {
  if (text.empty()) return std::vector<double>(count, 0);
  std::vector<double> values;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    const char c = *at++;
    if (c == ' ' || c == '\n') continue;
    int steps = 0;
    if (c >= 'a' && c <= 'z') {
      steps = c - 'a' + 1;
    } else if (c >= 'A' && c <= 'Z') {
      steps = 'A' - c - 1;
    } else if (c == '(') {
      const auto [next, error] = std::from_chars(at, end, steps);
      if (error != std::errc() || next == end || *next != ')' ||
          std::abs(static_cast<double>(steps)) > kMostSteps)
        return std::nullopt;
      at = next + 1;
    } else if (c != '.') {
      return std::nullopt;
    }
    if (values.size() == count) return std::nullopt;
    values.push_back(steps * kCorrectionStep);
  }
  if (values.size() != count) return std::nullopt;
  return values;
}

std::string correction_text(const std::vector<CorrectionTable>& tables, const std::vector<double>& values) {
  constexpr int kLetters = 26;
  std::string out;
  std::size_t at = 0;
  for (const CorrectionTable& table : tables) {
    if (at > 0) out += ' ';
    for (const std::size_t end = at + table.size(); at < end; ++at) {
      const auto steps =
          static_cast<int>(std::clamp(std::round(values[at] / kCorrectionStep), -kMostSteps, kMostSteps));
      if (std::abs(steps) > kLetters) {
        out += "(" + std::to_string(steps) + ")";
      } else if (steps == 0) {
        out += '.';
      } else {
        out += static_cast<char>(steps > 0 ? 'a' + steps - 1 : 'A' - steps - 1);
      }
    }
  }
  return out;
}

}  // namespace trainyard
