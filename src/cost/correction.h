// Tables of corrections over coordinates: where a shape lies between the knots, and the text that holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/operator_model.h"

namespace trainyard {

/// Corrections are held in steps of a percent: finer than any measurement repeats.
constexpr double kCorrectionStep = 0.01;

/// One knot and its share in an interpolated value.
struct KnotWeight {
  std::size_t knot = 0;
  double weight = 0;
};

/// Knots of all tables, numbered through: the first table's last axis runs fastest.
std::size_t knot_count(const std::vector<CorrectionTable>& tables);

/// Appends the knots around a point with their multilinear weights.
void add_knot_weights(const std::vector<CorrectionTable>& tables, const Coordinates& at,
                      std::vector<KnotWeight>& out);

/// Sum of weight times value over the tables: a correction of ln(time).
double correction_at(const std::vector<CorrectionTable>& tables, const std::vector<double>& values,
                     const Coordinates& at);

/// Rows of second differences (first ones where an axis has two knots) that a smooth correction keeps small.
std::vector<std::vector<KnotWeight>> smoothness_rows(const std::vector<CorrectionTable>& tables);

/// One letter a knot: '.' for none, a to z for 1 to 26 steps up, A to Z as many down, (-30) beyond; blanks
/// pass.
/// "" is all zero. Absent: not that many steps.
std::optional<std::vector<double>> parse_correction(std::string_view text, std::size_t count);
std::string correction_text(const std::vector<CorrectionTable>& tables, const std::vector<double>& values);

}  // namespace trainyard
