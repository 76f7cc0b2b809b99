// The papers' published numbers beside those that the program computes.
//
// A row of data/published.csv is computed by planning a shipped scenario (with changes, for points of a
// figure) and reading one quantity off the plan or off the rail-only analysis: nothing is computed for the
// table alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

enum class Verdict { ok, differs, missing };

struct ReproducedRow {
  std::string id;
  std::string source;  // hotnets24, railonly23
  std::string where;   // section of the paper
  std::string quantity;
  std::string unit;
  double published = 0;
  std::optional<double> computed;       // in the published unit
  std::optional<double> tolerance_pct;  // absent: the published value is a bound
  std::string relation;                 // "=", "<=", ">="
  Verdict verdict = Verdict::missing;
  std::string note;  // the row's own note; why it differs; what is missing

  /// Computed over published, less one, in percent.
  double difference_pct() const { return (*computed / published - 1) * 100; }
};

/// All rows of a paper ("hotnets24", "railonly23" or "all"), in the order of the file. Throws InputError on
/// another name.
/// `quick`: long simulations are not read from their stored results but run now, on 1,024 hosts.
std::vector<ReproducedRow> reproduce(const std::string& paper, bool quick = false);

/// Where a paper slips, or leaves open what reproduces it.
struct Erratum {
  std::string source;
  std::string says;
  std::string reading;
};
std::vector<Erratum> errata(const std::string& paper);

std::string reproduction_text(const std::vector<ReproducedRow>& rows, const std::vector<Erratum>& errata);
std::string reproduction_json(const std::vector<ReproducedRow>& rows);
std::string reproduction_csv(const std::vector<ReproducedRow>& rows);

}  // namespace trainyard
