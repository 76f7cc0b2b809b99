// What every model of an operator is: columns of a shape, constants, a time in closed form, and tables that
// correct it. docs/models.md, "Operators by shape", has the formulas.
//
// Times inside the models are microseconds, rates FLOP or bytes a microsecond, so that constants are near 1.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/operator_table.h"

namespace trainyard {

/// Bytes of operands by the name that tables give a format, and the matrix engine that multiplies them.
struct OperandFormat {
  std::string_view name;
  double weight_bytes = 2;
  double activation_bytes = 2;
  Precision precision = Precision::bf16;
};

const std::vector<OperandFormat>& operand_formats();
/// nullptr: no such format.
const OperandFormat* find_operand_format(std::string_view name);

struct ShapeColumn {
  std::string name;
  double least = 1;
};

/// What a model needs to know of the device and of the measurement, beside its constants.
struct OperatorContext {
  double processors = 0;
  double flop_per_us = 0;   // dense peak at the operands' precision
  double bytes_per_us = 0;  // of device memory
  OperandFormat operands;
  double kv_bytes = 2;         // of an element of the cache that attention writes
  double expert_matrices = 3;  // of a gated expert; 2 where it is not gated
};

/// A constant of a closed form. It is fitted by its logarithm, or, a switch, tried at 0 and 1.
struct ModelConstant {
  std::string name;
  double prior = 1;
  bool is_switch = false;
};

/// Knots along one coordinate of a shape.
struct CorrectionAxis {
  std::size_t coordinate = 0;
  std::vector<double> knots;
};

/// A table of corrections of ln(time) over coordinates, linear between its knots and constant outside.
struct CorrectionTable {
  std::vector<CorrectionAxis> axes;
  std::size_t size() const;
};

/// Coordinates of a shape, in which the tables' knots lie: most are base-2 logarithms.
constexpr std::size_t kMostCoordinates = 8;
using Coordinates = std::array<double, kMostCoordinates>;

/// A model of one kind of operator.
class OperatorModel {
 public:
  OperatorModel() = default;
  OperatorModel(const OperatorModel&) = delete;
  OperatorModel& operator=(const OperatorModel&) = delete;
  virtual ~OperatorModel() = default;

  virtual const std::vector<ShapeColumn>& columns() const = 0;
  virtual const std::vector<ModelConstant>& constants() const = 0;
  virtual const std::vector<CorrectionTable>& tables() const = 0;

  /// The closed form: a finite time above 0 for every valid shape.
  virtual double base_us(std::span<const double> constants, const ShapeValues& shape,
                         const OperatorContext& context) const = 0;
  virtual Coordinates coordinates(const ShapeValues& shape, std::span<const double> constants) const = 0;
  /// No measurement can be below: FLOP at the peak rate, bytes that no cache holds at the memory rate.
  virtual double roof_us(const ShapeValues& shape, const OperatorContext& context) const = 0;
  /// Rows of the operator's matrix: shapes with 256 and more are large ones.
  virtual double rows(const ShapeValues& shape) const = 0;
  /// FLOP of a shape; 0 where it multiplies nothing.
  virtual double flop(const ShapeValues& shape, const OperatorContext& context) const = 0;
  /// Which configuration a shape belongs to where kernels are chosen for each: its name and the cell in it.
  struct Cell {
    std::string configuration;
    std::string placement;
  };
  virtual Cell cell(const ShapeValues&) const { return {}; }
};

/// (a^p + b^p)^(1/p) for positive a, b and p of 1 and more: towards the larger of two limits.
double blended(double a, double b, double p);

/// Models by the name that tables, reports and the catalog give an operation; nullptr: no such operation.
const OperatorModel* find_operator_model(std::string_view operation);
std::vector<std::string> operation_names();

const OperatorModel& gemm_model();
const OperatorModel& attention_model();
const OperatorModel& latent_attention_model();
const OperatorModel& expert_model();
const OperatorModel& collective_model();

}  // namespace trainyard
