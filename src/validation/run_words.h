// The words that columns of measured runs take, in their usual spellings; capitals and marks do not matter.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/measured_runs.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario/training.h"

namespace trainyard {

template <class T>
using Words = std::vector<std::pair<std::string_view, T>>;

const Words<Attention>& attention_words();
const Words<Recompute>& recompute_words();
const Words<Precision>& precision_words();
const Words<RunSchedule>& schedule_words();
const Words<Hidden>& hidden_words();
const Words<RecomputeModule>& module_words();
const Words<FlopConvention>& flop_words();
const Words<RunMetric>& metric_words();

/// Units of a metric and what they are in base units.
Words<double> unit_words(RunMetric metric);

}  // namespace trainyard
