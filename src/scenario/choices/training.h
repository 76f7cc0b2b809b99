// The names of the enumerations of training and its scaling laws.
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/training.h"

namespace trainyard {

template <>
struct Choices<ScalingLaw> {
  static constexpr Choice<ScalingLaw> kAll[] = {
      {ScalingLaw::kaplan, "kaplan", "Kaplan et al. 2020, compute-efficient frontier"},
      {ScalingLaw::hoffmann1, "hoffmann1", "Hoffmann et al. 2022, approach 1 (training curves)"},
      {ScalingLaw::hoffmann2, "hoffmann2", "Hoffmann et al. 2022, approach 2 (IsoFLOP profiles)"},
      {ScalingLaw::hoffmann3, "hoffmann3", "Hoffmann et al. 2022, approach 3 (parametric loss)"}};
};

template <>
struct Choices<Hidden> {
  static constexpr Choice<Hidden> kAll[] = {
      {Hidden::tensor, "tensor", "tensor-parallel transfers"},
      {Hidden::gradients, "gradients", "sums of gradients and gathers of updated weights"},
      {Hidden::pipeline, "pipeline", "transfers between stages"},
      {Hidden::expert, "expert", "all-to-alls of tokens"}};
};

}  // namespace trainyard
