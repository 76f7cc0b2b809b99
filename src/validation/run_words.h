// The words that columns of measured runs take, in their usual spellings; capitals and marks do not matter.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

enum class Activation;
enum class Attention;
enum class FlopConvention;
enum class Fp8Scaling;
enum class ContextExchange;
enum class Hidden;
enum class Precision;
enum class Recompute;
enum class RecomputeModule : std::uint8_t;
enum class RunMetric;
enum class RunSchedule;

template <class T>
using Words = std::vector<std::pair<std::string_view, T>>;

const Words<bool>& yes_no_words();
const Words<Activation>& activation_words();
const Words<Attention>& attention_words();
const Words<Recompute>& recompute_words();
const Words<Precision>& precision_words();
/// Formats in which weights, gradients and optimizer states are kept.
const Words<Precision>& state_words();
/// Of what `precision_words` calls fp8.
const Words<Fp8Scaling>& scaling_words();
const Words<RunSchedule>& schedule_words();
const Words<ContextExchange>& exchange_words();
const Words<Hidden>& hidden_words();
const Words<RecomputeModule>& module_words();
const Words<FlopConvention>& flop_words();
const Words<RunMetric>& metric_words();

/// Units of a metric and what they are in base units.
Words<double> unit_words(RunMetric metric);

}  // namespace trainyard
