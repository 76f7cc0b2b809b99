// The names of the enumerations of [operation].
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/operation.h"

namespace trainyard {

template <>
struct Choices<OperationRule> {
  static constexpr Choice<OperationRule> kAll[] = {
      {OperationRule::service_first, "service_first", "other work has what it wants, training the rest"},
      {OperationRule::training_first, "training_first", "training has what it can use, other work the rest"}};
};

}  // namespace trainyard
