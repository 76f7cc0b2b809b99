// The names of the enumerations of [schedule].
#pragma once

#include "base/choices.h"
#include "trainyard/scenario/schedule.h"

namespace trainyard {

template <>
struct Choices<QueueOrder> {
  static constexpr Choice<QueueOrder> kAll[] = {
      {QueueOrder::arrival, "arrival", "who came first"},
      {QueueOrder::shortest, "shortest", "whose estimate is shortest"},
      {QueueOrder::priority, "priority", "whose priority is highest, then who came first"}};
};

template <>
struct Choices<Backfill> {
  static constexpr Choice<Backfill> kAll[] = {
      {Backfill::none, "none", "nobody passes the first of the queue"},
      {Backfill::easy, "easy", "who does not delay the first of the queue, as estimates have it"}};
};

template <>
struct Choices<JobPlacement> {
  static constexpr Choice<JobPlacement> kAll[] = {
      {JobPlacement::first, "first", "the first free HB domains"},
      {JobPlacement::best, "best", "the same, and parts of domains where they fill best"},
      {JobPlacement::leaf, "leaf", "the same, below the lowest switch that has room"},
      {JobPlacement::anywhere, "anywhere", "any that are free, at random"}};
};

template <>
struct Choices<JobTraffic> {
  static constexpr Choice<JobTraffic> kAll[] = {
      {JobTraffic::none, "none", "nothing"},
      {JobTraffic::ring, "ring", "to the next HB domain of the job"},
      {JobTraffic::all_to_all, "all_to_all", "to all HB domains of the job alike"}};
};

template <>
struct Choices<JobOverlap> {
  static constexpr Choice<JobOverlap> kAll[] = {
      {JobOverlap::together, "together", "always: the worst that can happen"},
      {JobOverlap::apart, "apart", "in turns as far as links allow: the best that can happen"}};
};

}  // namespace trainyard
