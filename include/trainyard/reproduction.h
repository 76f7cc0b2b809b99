// The papers' published numbers beside those that the program computes.
//
// A row of data/published.csv is computed by planning a shipped scenario (with changes, for points of a
// figure) and reading one quantity off the plan or off the rail-only analysis: nothing is computed for the
// table alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

class Ranks;

enum class Verdict { ok, differs, missing };

/// How the computed value has to stand to the published one.
enum class Relation { equal, at_most, at_least };
/// "=", "<=", ">="
std::string_view relation_text(Relation relation);

/// A row through the simulated step, beside its closed form.
struct StepCheck {
  double simulated = 0;  // in the row's unit
  double closed = 0;
  double pace_pct = 0;  // a microbatch in steady state: simulated over closed form, less one

  /// Simulated over closed form, less one, in percent.
  double apart_pct() const { return (simulated / closed - 1) * 100; }
};

struct ReproducedRow {
  std::string id;
  std::string source;  // hotnets24, railonly23
  std::string where;   // section of the paper
  std::string quantity;
  std::string unit;
  std::optional<double> published;      // absent: a point of a figure that the paper does not put in numbers
  std::optional<double> computed;       // in the published unit
  std::optional<StepCheck> step;        // where a simulated step says something of the quantity
  std::optional<double> tolerance_pct;  // absent: the published value is a bound
  Relation relation = Relation::equal;
  Verdict verdict = Verdict::missing;
  bool long_simulation = false;  // computed from one
  std::string note;              // the row's own note; why it differs; what is missing

  /// Computed over published, less one, in percent.
  double difference_pct() const { return (*computed / *published - 1) * 100; }
};

/// How many rows are computed, of how many.
using RowsDone = std::function<void(std::size_t, std::size_t)>;

/// All rows of a paper ("hotnets24", "railonly23" or "all"), in the order of the file. Throws InputError on
/// another name.
/// `quick`: long simulations are not read from their stored results but run now, on 1,024 hosts; with ranks
/// they do that together, and rank 0 alone has the rows.
std::vector<ReproducedRow> reproduce(const std::string& paper, bool quick = false, const RowsDone& done = {},
                                     Ranks* ranks = nullptr);

/// Every point of Fig. 3 of HotNets '24, in closed form and through the simulated step; the paper has most of
/// them only as curves. `figure`: "fig3a", "fig3b", "fig3c", or "fig3" for all, which takes some seconds.
/// Throws InputError on another name.
std::vector<ReproducedRow> figure_points(const std::string& figure, const RowsDone& done = {});

/// Whether every row is reproduced, and every simulated step agrees with its closed form. Simulations that
/// `quick` makes on fewer hosts do not count.
bool all_hold(const std::vector<ReproducedRow>& rows, bool quick);

/// Where a paper slips, or leaves open what reproduces it.
struct Erratum {
  std::string source;
  std::string says;
  std::string reading;
};
std::vector<Erratum> errata(const std::string& paper);

}  // namespace trainyard
