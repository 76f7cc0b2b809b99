// Traffic by name, and from a file.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <random>

#include "base/csv.h"
#include "topology/fabric.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"
#include "trainyard/network_design.h"
#include "trainyard/network_load.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMostHostsOfPermutation = 20'000'000;

constexpr const char* kPermutation = "permutation";

TrafficMatrix empty_matrix(const NetworkDesign& design) {
  TrafficMatrix matrix;
  matrix.devices = design.hosts;
  matrix.domain_devices = design.domain;
  return matrix;
}

/// One cycle through all hosts in random order (Sattolo 1986): nobody sends to itself.
TrafficMatrix permutation(const NetworkDesign& design, Bytes bytes, std::uint64_t seed) {
  TrafficMatrix matrix = empty_matrix(design);
  if (design.hosts > kMostHostsOfPermutation)
    fail_design(design.input, "hosts", fmt::format("{} hosts are too many for a permutation", design.hosts));
  std::vector<std::int64_t> to(static_cast<std::size_t>(design.hosts));
  std::iota(to.begin(), to.end(), 0);
  std::mt19937_64 random(seed);
  for (std::size_t i = to.size(); i-- > 1;) std::swap(to[i], to[random() % i]);
  for (std::size_t from = 0; from < to.size(); ++from) {
    if (to[from] != static_cast<std::int64_t>(from))
      matrix.flows.push_back({static_cast<std::int64_t>(from), to[from], bytes});
  }
  return matrix;
}

TrafficClass over_all(const NetworkDesign& design, const char* name, TrafficPattern pattern, Bytes pair) {
  return {name, pattern, {{1, design.hosts}}, pair};
}

/// Rings inside HB domains, then of equal ranks across them.
TrafficMatrix hierarchy(const NetworkDesign& design, Bytes bytes) {
  TrafficMatrix matrix = empty_matrix(design);
  matrix.devices = design.hosts / design.domain * design.domain;
  const double k = static_cast<double>(design.domain);
  const std::int64_t domains = matrix.devices / design.domain;
  if (design.domain > 1) {
    matrix.classes.push_back(
        {"inside HB domains", TrafficPattern::ring, {{1, design.domain}}, bytes * (2 * (k - 1) / k)});
  }
  if (domains > 1) {
    const auto n = static_cast<double>(domains);
    matrix.classes.push_back({"across HB domains",
                              TrafficPattern::ring,
                              {{design.domain, domains}},
                              bytes * (2 * (n - 1) / n / k)});
  }
  return matrix;
}

/// A traffic file, line by line.
class TrafficFile {
 public:
  TrafficFile(const std::shared_ptr<const SourceText>& source, const NetworkDesign& design)
      : source_(source), design_(design), lines_(source->text) {}

  std::vector<TrafficFlow> flows() {
    if (!next() || fields_ != std::vector<std::string>{"from", "to", "bytes"})
      fail_input({source_, 1, 1}, "the first line is not from,to,bytes", "a header, then one flow a line");
    std::vector<TrafficFlow> out;
    while (next()) out.push_back(flow());
    if (out.empty()) fail_input({source_, 1, 1}, "no flows under the header", "one flow a line");
    return out;
  }

 private:
  bool next() {
    if (!lines_.next(fields_)) return false;
    refuse_defect(lines_, source_);
    return true;
  }

  TrafficFlow flow() const {
    if (fields_.size() != 3)
      fail_input(where(0), fmt::format("{} fields", fields_.size()), "allowed: 3, from,to,bytes");
    const TrafficFlow out{device(0), device(1), Bytes(byte_count())};
    if (out.from == out.to)
      fail_input(where(1), fmt::format("a flow from device {} to itself", out.from), "name two devices");
    return out;
  }

  Location where(std::size_t field) const {
    const CsvPlace place = lines_.place(field);
    return {source_, place.line, place.column};
  }
  std::int64_t device(std::size_t field) const;
  double byte_count() const;

  const std::shared_ptr<const SourceText>& source_;
  const NetworkDesign& design_;
  CsvReader lines_;
  std::vector<std::string> fields_;
};

std::int64_t TrafficFile::device(std::size_t field) const {
  const std::string& text = fields_[field];
  std::int64_t value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = code == std::errc{} && end == text.data() + text.size();
  if (!number || value < 0 || value >= design_.hosts) {
    fail_input(where(field), fmt::format("'{}' is not a device of design '{}'", text, design_.input.name),
               fmt::format("allowed: 0 to {}", design_.hosts - 1));
  }
  return value;
}

double TrafficFile::byte_count() const {
  const std::string& text = fields_[2];
  double value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = code == std::errc{} && end == text.data() + text.size();
  if (!number || !std::isfinite(value) || value < 0)
    fail_input(where(2), fmt::format("'{}' is not a number of bytes", text), "allowed: 0 or more");
  return value;
}

}  // namespace

const std::vector<std::string>& traffic_names() {
  static const std::vector<std::string> names = {
      kPermutation, "incast", "all_to_all", "ring", "hierarchical_all_reduce", "pipeline"};
  return names;
}

bool is_drawn(const std::string& traffic) { return traffic == kPermutation; }

TrafficMatrix named_traffic(const NetworkDesign& design, const std::string& name, Bytes bytes,
                            std::uint64_t seed) {
  const auto others = static_cast<double>(std::max<std::int64_t>(1, design.hosts - 1));
  if (name == kPermutation) return permutation(design, bytes, seed);
  if (name == "hierarchical_all_reduce") return hierarchy(design, bytes);
  TrafficMatrix matrix = empty_matrix(design);
  if (name == "incast") {
    matrix.classes.push_back(over_all(design, "incast", TrafficPattern::incast, bytes));
  } else if (name == "all_to_all") {
    matrix.classes.push_back(over_all(design, "all to all", TrafficPattern::all, bytes / others));
  } else if (name == "ring") {
    matrix.classes.push_back(over_all(design, "ring", TrafficPattern::ring, bytes));
  } else if (name == "pipeline") {
    // Stages are HB domains; in a network inside one, its devices.
    const std::int64_t devices = design.inside_domains() ? 1 : design.domain;
    const std::int64_t stages = design.hosts / devices;
    if (stages == 0) return matrix;  // a part of one domain: no stage has a next one
    matrix.devices = stages * devices;
    matrix.classes.push_back({"pipeline", TrafficPattern::line, {{devices, stages}}, bytes});
  } else {
    fail_input(whole("--traffic"), "no traffic '" + name + "'", suggestion(name, traffic_names()));
  }
  return matrix;
}

TrafficMatrix read_traffic(const std::string& path, const NetworkDesign& design) {
  const auto source = read_list(path);
  TrafficMatrix matrix = empty_matrix(design);
  matrix.flows = TrafficFile(source, design).flows();
  return matrix;
}

}  // namespace trainyard
