// The names of the enumerations of siting.
#pragma once

#include "base/choices.h"
#include "trainyard/site_input.h"

namespace trainyard {

template <>
struct Choices<PowerRule> {
  static constexpr Choice<PowerRule> kAll[] = {
      {PowerRule::paper, "paper", "generation less the largest producer, as HotNets '24 section 2"},
      {PowerRule::autonomous, "autonomous", "firm generation less local load and the largest producer"},
      {PowerRule::strict, "strict",
       "firm generation without coal, plus imports without the largest interface, less local load and the "
       "largest producer: an upper bound"}};
};

template <>
struct Choices<CoalRule> {
  static constexpr Choice<CoalRule> kAll[] = {
      {CoalRule::largest, "largest", "no other fuel has as much capacity"},
      {CoalRule::majority, "majority", "more than half of the capacity burns coal"},
      {CoalRule::allowed, "allowed", "never"}};
};

template <>
struct Choices<ReserveRule> {
  static constexpr Choice<ReserveRule> kAll[] = {
      {ReserveRule::plant, "plant", "the largest plant, all its generators together"},
      {ReserveRule::unit, "unit", "the largest generator, where the grid's files know it"}};
};

template <>
struct Choices<SpareRule> {
  static constexpr Choice<SpareRule> kAll[] = {
      {SpareRule::published, "published", "as published (HotNets '24 Table 1); other authorities have none"},
      {SpareRule::installed, "installed", "installed capacity less peak demand; none where unknown"},
      {SpareRule::firm, "firm", "firm capacity less peak demand; none where unknown"},
      {SpareRule::unlimited, "unlimited", "no bound"}};
};

template <>
struct Choices<SpreadRule> {
  static constexpr Choice<SpreadRule> kAll[] = {
      {SpreadRule::any, "any", "nothing more"},
      {SpreadRule::authorities, "authorities", "each in another balancing authority"},
      {SpreadRule::interconnections, "interconnections", "in at least two interconnections"}};
};

template <>
struct Choices<SplitGoal> {
  static constexpr Choice<SplitGoal> kAll[] = {
      {SplitGoal::round_trip, "round_trip", "round-trip time between the farthest two"},
      {SplitGoal::cost, "cost", "cost of energy (and fibre) a year"},
      {SplitGoal::carbon, "carbon", "carbon dioxide a year"},
      {SplitGoal::training_time, "training_time",
       "time of the training run with what the distance adds; where it adds nothing, round-trip time"},
      {SplitGoal::training_cost, "training_cost",
       "cost of the training run: energy, fibre and the facility's wear for as long as it takes"}};
};

}  // namespace trainyard
