#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "catalog/catalog.h"
#include "catalog/choices.h"
#include "trainyard/catalog.h"
#include "validation/row_cells.h"
#include "validation/run_names.h"
#include "validation/run_reader.h"
#include "validation/run_words.h"

namespace trainyard {
namespace {

constexpr RealRange kGigabits{1e-3, 1e6};
constexpr std::int64_t kServerDevices = 8;

/// The devices' columns.
class DeviceCells : RowCells {
 public:
  explicit DeviceCells(const RowCells& cells) : RowCells(cells) {}

  void read() {
    run_.accelerator = row_.text("accelerator");
    run_.accelerator_key = reader_.accelerator(run_.accelerator);
    read_precision();
    if (run_.accelerator_key.empty()) {
      row_.complain_unknown("accelerator", run_.accelerator, accelerator_names(catalog_));
    } else if (!catalog_.accelerators.at(run_.accelerator_key).dense.at(run_.precision)) {
      row_.complain(fmt::format("'{}' has no dense peak at {}", run_.accelerator_key,
                                choice_name<Precision>(run_.precision)));
    }
    assume_calibration();
    run_.devices = whole_or("devices", kRunDevices, 1);
    const auto domain = row_.whole("devices_per_hb_domain", kRunDevices);
    run_.devices_per_hb_domain = domain.value_or(std::min(run_.devices, kServerDevices));
    if (!domain) assume(counted(run_.devices_per_hb_domain, "device") + " an HB domain");
    constexpr double kGbps = 1e9;
    if (const auto rate = row_.number("nic_gbps_per_device", kGigabits))
      run_.nic_rate = BitRate(*rate * kGbps);
  }

 private:
  /// A blank stands for bf16, or for fp16 on devices that are older than it.
  void read_precision() {
    run_.precision = row_.choice<Precision>("precision", precision_words()).value_or(usual_precision());
    const std::string cell = plain_letters(row_.text("precision"));
    for (const auto& [word, scaling] : scaling_words()) {
      if (plain_letters(word) == cell) run_.scaling = scaling;
    }
  }

  Precision usual_precision() const {
    const Accelerator* found = catalog_.accelerators.find(run_.accelerator_key);
    if (!found) return Precision::bf16;
    const auto& dense = found->dense;
    return !dense.at(Precision::bf16) && dense.at(Precision::fp16) ? Precision::fp16 : Precision::bf16;
  }

  void assume_calibration() {
    const Accelerator* found = catalog_.accelerators.find(run_.accelerator_key);
    if (!found) return;
    const std::string key = calibration_key(catalog_, run_.accelerator_key);
    const Calibration* constants = catalog_.calibrations.find(key);
    if (!constants) {
      assume("general constants: the catalog has no calibration of the " + found->info.name);
    } else if (constants->estimated) {
      assume("constants that are estimates: no operator or run was measured for calibration '" + key + "'");
    } else if (!reader_.measured().contains(run_.accelerator_key)) {
      assume_shared(key);
    }
  }

  /// A calibration of the user's own is taken as it is.
  void assume_shared(const std::string& calibration) {
    for (const std::string& owner : reader_.measured()) {
      if (calibration_key(catalog_, owner) != calibration) continue;
      assume("the constants of the " + catalog_.accelerators.at(owner).info.name + ": calibration '" +
             calibration + "' was fitted on runs of it");
      return;
    }
    const std::string& other = catalog_.calibrations.at(calibration).fitted_with;
    if (!other.empty())
      assume("constants beside its own operators: calibration '" + calibration + "' takes those of '" +
             other + "'");
    else if (const Calibration* prior = catalog_.calibrations.find(calibration + "-prior"))
      assume("constants of '" + calibration + "-prior' (" + prior->info.source +
             "): no run of data/measured_runs.csv is on calibration '" + calibration + "'");
  }
};

}  // namespace

void read_device_cells(const RowCells& cells) { DeviceCells(cells).read(); }

}  // namespace trainyard
