// A collective inside a node: the faster of a protocol of low latency and one of high rate.
//
//   t = start + hop (n - 1) + min( x / low_rate, setup + x / rate ),   x = bytes (n - 1)/n
//
// alpha-beta cost (Thakur et al., IJHPCA 2005) with NCCL's LL and Simple protocols (Hu et al. 2025,
// "Demystifying NCCL", arXiv:2507.04786); bytes as nccl-tests counts them.
#include <algorithm>
#include <cmath>

#include "cost/operator_model.h"

namespace trainyard {
namespace {

enum Index : std::size_t { start, hop, rate, low_rate, setup };

class CollectiveModel final : public OperatorModel {
 public:
  const std::vector<ShapeColumn>& columns() const override { return columns_; }
  const std::vector<ModelConstant>& constants() const override { return constants_; }
  const std::vector<CorrectionTable>& tables() const override { return tables_; }

  double base_us(std::span<const double> c, const ShapeValues& shape, const OperatorContext&) const override {
    constexpr double kBytesPerUs = 1e3;  // of a GB/s
    const double moved = shape[1] * (shape[0] - 1) / shape[0];
    return c[start] + c[hop] * (shape[0] - 1) +
           std::min(moved / (c[low_rate] * kBytesPerUs), c[setup] + moved / (c[rate] * kBytesPerUs));
  }
  Coordinates coordinates(const ShapeValues& shape, std::span<const double>) const override {
    return {std::log2(shape[0]), std::log2(shape[1])};
  }
  double roof_us(const ShapeValues&, const OperatorContext&) const override { return 0; }
  double rows(const ShapeValues&) const override { return kAlwaysLarge; }
  double flop(const ShapeValues&, const OperatorContext&) const override { return 0; }

 private:
  static constexpr double kAlwaysLarge = 1e9;

  std::vector<ShapeColumn> columns_ = {{"devices", 2}, {"bytes"}};
  std::vector<ModelConstant> constants_ = {
      {"start_us", 8}, {"hop_us", 1}, {"rate_gb_s", 200}, {"low_rate_gb_s", 20}, {"setup_us", 20}};
  std::vector<CorrectionTable> tables_ = {
      {{{1, {8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}},
        {0, {1, 2, 3}}}}};
};

}  // namespace

const OperatorModel& collective_model() {
  static const CollectiveModel model;
  return model;
}

}  // namespace trainyard
