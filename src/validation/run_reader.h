// A row of a file of measured runs into a run: what its cells say, what blank ones stand for, and whether it
// can have been.
#pragma once

#include <map>
#include <set>
#include <string>

#include "trainyard/measured_runs.h"

namespace trainyard {

class RunRow;
struct Catalog;

/// Reads the rows of one file.
class RunReader {
 public:
  /// `measured` are the accelerators on whose runs constants were fitted. Both must outlive the reader.
  RunReader(const Catalog& catalog, const std::set<std::string>& measured)
      : catalog_(catalog), measured_(measured) {}

  /// The run of a row, to which findings are added; only of a row that stays good the run can be used.
  MeasuredRun read(RunRow& row);

  const Catalog& catalog() const { return catalog_; }
  const std::set<std::string>& measured() const { return measured_; }
  /// accelerator_key and known_model, each name looked up once.
  const std::string& accelerator(const std::string& name);
  const ModelShape* model(const std::string& name);

 private:
  const Catalog& catalog_;
  const std::set<std::string>& measured_;
  std::map<std::string, std::string> accelerators_;
  std::map<std::string, const ModelShape*> models_;
};

}  // namespace trainyard
