// Files of a grid: refused with a reason, or a grid whose places can be evaluated. The input holds the files
// one after the other, each after a line "== NAME".
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/errors.h"
#include "siting/delivery.h"
#include "siting/grid_files.h"
#include "siting/power_nodes.h"
#include "trainyard/errors.h"

namespace {

using namespace trainyard;

constexpr std::string_view kMark = "== ";

GridTexts split(std::string_view text) {
  GridTexts out;
  while (!text.empty()) {
    const std::size_t begin = text.find(kMark);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin + kMark.size());
    const std::size_t end = text.find('\n');
    const std::string name(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string_view body = text.substr(0, text.find(kMark));
    out[name] = std::make_shared<const SourceText>(SourceText{name, std::string(body)});
    text.remove_prefix(body.size());
  }
  return out;
}

void check(const Grid& grid) {
  const SiteInput input;
  const PowerNodes nodes(grid, input);
  const DeliveryNetwork network(grid);
  for (const GridPlant& plant : grid.plants) {
    if (plant.node >= grid.nodes.size()) std::abort();
    const PowerNode node = nodes.at(plant.at, Kilometres(50));
    if (node.plants.empty() || !std::isfinite(node.imports.count())) std::abort();
    if (network.deliverable(node, false).intact < Megawatts(-0.01)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(parse_grid("fuzz", split({reinterpret_cast<const char*>(data), size})));
  } catch (const InputError& error) {
    if (error.findings().empty() || error.findings().front().message.empty()) std::abort();
    static_cast<void>(describe(error.findings()));
  }
  return 0;
}
