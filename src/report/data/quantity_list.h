// Building the list of quantities, section by section.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/quantities.h"
#include "trainyard/quantity_text.h"
#include "trainyard/units.h"

namespace trainyard {

struct Plan;

/// What a quantity follows from.
struct Origin {
  std::string formula = {};
  std::string source = {};
  std::string how = {};
};

/// Adds quantities to one section; the unit gives the end of the key.
class QuantityList {
 public:
  QuantityList(std::vector<PlanQuantity>& out, std::string section)
      : out_(out), section_(std::move(section)) {}

  void add(const std::string& name, std::string label, Unit unit, double value, Origin origin = {}) {
    out_.push_back({section_ + "." + name + std::string(unit_suffix(unit)),
                    std::move(label),
                    unit,
                    value,
                    {},
                    std::move(origin.formula),
                    std::move(origin.how),
                    std::move(origin.source)});
  }
  template <Dimension D>
  void add(const std::string& name, std::string label, Quantity<D> value, Origin origin = {}) {
    add(name, std::move(label), unit_of<Quantity<D>>(), value.si(), std::move(origin));
  }
  /// Unknown without a value.
  template <Dimension D>
  void add_known(const std::string& name, std::string label, const std::optional<Quantity<D>>& value,
                 Origin origin = {}) {
    add(name, std::move(label), value.value_or(Quantity<D>(0)), std::move(origin));
    out_.back().known = value.has_value();
  }
  void fraction_known(const std::string& name, std::string label, const std::optional<double>& value,
                      Origin origin = {}) {
    fraction(name, std::move(label), value.value_or(0), std::move(origin));
    out_.back().known = value.has_value();
  }
  void count(const std::string& name, std::string label, std::int64_t value, Origin origin = {}) {
    add(name, std::move(label), Unit::count, static_cast<double>(value), std::move(origin));
  }
  void fraction(const std::string& name, std::string label, double value, Origin origin = {}) {
    add(name, std::move(label), Unit::fraction, value, std::move(origin));
  }
  void number(const std::string& name, std::string label, double value, Origin origin = {}) {
    add(name, std::move(label), Unit::number, value, std::move(origin));
  }
  void text(const std::string& name, std::string label, std::string value, Origin origin = {}) {
    out_.push_back({section_ + "." + name,
                    std::move(label),
                    Unit::none,
                    0,
                    std::move(value),
                    {},
                    std::move(origin.how),
                    std::move(origin.source)});
  }

 private:
  std::vector<PlanQuantity>& out_;
  std::string section_;
};

void add_facility(std::vector<PlanQuantity>& out, const Plan& plan);
void add_scaling(std::vector<PlanQuantity>& out, const Plan& plan);
void add_model(std::vector<PlanQuantity>& out, const Plan& plan);
void add_mapping(std::vector<PlanQuantity>& out, const Plan& plan);
void add_communication(std::vector<PlanQuantity>& out, const Plan& plan);
void add_step(std::vector<PlanQuantity>& out, const Plan& plan);
/// Of step: what failures leave of months.
void add_months(std::vector<PlanQuantity>& out, const Plan& plan);
void add_cost(std::vector<PlanQuantity>& out, const Plan& plan);

}  // namespace trainyard
