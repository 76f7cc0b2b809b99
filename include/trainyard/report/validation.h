// Measured runs and operators beside their predictions, as text, JSON, CSV and a chart.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Chart;
struct MappingGaps;
struct OperatorValidation;
struct Provenance;
struct RunExplanation;
struct Validation;

/// One line a run, then mean, median and worst error of each source and of all runs, then peak memory.
std::string validation_text(const Validation& validation);

/// The columns of a file of measured runs, what blanks stand for, and the spellings of programs, as Markdown.
std::string run_columns_text();

/// Terms of one run's prediction, and the settings that come nearer to its measurement.
std::string explanation_text(const RunExplanation& explanation);

/// `runs`, `mean_abs_error_pct`, `by_source` and what docs/validation.md lists.
std::string validation_json(const Validation& validation, const Provenance& provenance);
std::string validation_csv(const Validation& validation);

/// `columns` of a file of measured runs (name, required, blank, meaning), and `frameworks`: how the column
/// `framework` is read (holds, software, why).
std::string run_columns_json();

std::string explanation_json(const RunExplanation& explanation, const Provenance& provenance);

/// The mappings of runs beside the best ones: a line a run, then the median gap. JSON: `runs` with
/// `submitted_s`, `best_s`, `gap_pct`, `submitted` and `best`; `median_gap_pct`.
std::string mapping_gaps_text(const MappingGaps& gaps);
std::string mapping_gaps_json(const MappingGaps& gaps, const Provenance& provenance);
std::string mapping_gaps_csv(const MappingGaps& gaps);

/// Predicted against measured step times, a series for each source, and the line on which they are equal.
Chart validation_chart(const Validation& validation);

/// That chart; errors of runs against the number of devices; peak memory where it was measured.
std::vector<Chart> validation_charts(const Validation& validation);

/// All of it as a page in one file.
std::string validation_page(const Validation& validation, const Provenance& provenance);

/// One line for each system, operation and format, large and small shapes apart; then other series.
std::string operators_text(const OperatorValidation& validation);

/// `operators`: one for each system, operation and format; `series`: every series; docs/validation.md.
std::string operators_json(const OperatorValidation& validation, const Provenance& provenance);
std::string operators_csv(const OperatorValidation& validation);

}  // namespace trainyard
