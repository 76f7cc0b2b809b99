#include "trainyard/operator_table.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/counted.h"
#include "base/csv.h"
#include "base/foreign_text.h"
#include "cost/nccl_text.h"
#include "cost/operator_model.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr double kLargest = 1e15;
constexpr double kShortestUs = 1e-3;               // no kernel ends within a nanosecond
constexpr std::size_t kMostShown = 40;             // letters of a field that a message repeats
constexpr const char* kCollective = "collective";  // the operation stands in a column
const std::vector<std::string> kCollectives = {"all_reduce", "all_gather", "reduce_scatter", "alltoall"};

/// A kind of table: the operation and the columns that tell it apart; a column in `without` rules it out.
struct TableKind {
  std::string operation;
  std::vector<std::string> columns;
  std::vector<std::string> optional;
  std::vector<std::string> without;
};

const std::vector<TableKind>& table_kinds() {
  static const std::vector<TableKind> kinds = {
      {"gemm", {"m", "n", "k"}, {}, {}},
      {"attention", {"batch", "seq", "heads", "kv_heads", "head_dim"}, {"window", "kv_dtype"}, {"context"}},
      {"moe", {"tokens", "hidden", "inter", "topk", "experts", "tp", "ep"}, {"distribution"}, {}},
      {kCollective, {"devices", "bytes", "operation"}, {}, {}},
      {"mla", {"batch", "seq", "heads"}, {"kv_dtype"}, {"kv_heads", "cached", "context"}}};
  return kinds;
}

/// What every table has, and may have. The last ones belong to measurements and change no answer.
const std::vector<std::string>& common_columns() {
  static const std::vector<std::string> names = {"system",      "dtype",       "time_us", "backend",
                                                 "version",     "kernel",      "power_w", "power_limit_w",
                                                 "time_us_min", "time_us_max", "samples"};
  return names;
}

std::vector<std::string> known_columns(const TableKind& kind) {
  std::vector<std::string> out = common_columns();
  out.insert(out.end(), kind.columns.begin(), kind.columns.end());
  out.insert(out.end(), kind.optional.begin(), kind.optional.end());
  return out;
}

/// A column whose number is at most that of another.
struct ColumnOrder {
  std::string less;
  std::string more;
};

const std::vector<ColumnOrder>& column_orders() {
  static const std::vector<ColumnOrder> orders = {
      {"kv_heads", "heads"}, {"topk", "experts"}, {"ep", "experts"}, {"tp", "inter"}};
  return orders;
}

const OperatorModel& model_of(const TableKind& kind) {
  return kind.operation == kCollective ? collective_model() : *find_operator_model(kind.operation);
}

using Columns = std::unordered_map<std::string, std::size_t>;

bool has_all(const Columns& columns, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& n) { return columns.contains(n); });
}
bool has_any(const Columns& columns, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& n) { return columns.contains(n); });
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ",") + name;
  return out;
}

/// Reads one table's records.
class TableReader {
 public:
  explicit TableReader(std::shared_ptr<const SourceText> source)
      : source_(std::move(source)), csv_(source_->text) {}

  OperatorTable read() {
    csv_.limit_fields(kMostColumns);
    if (!csv_.next(record_)) fail_input({source_, 0, 0}, "holds no table");
    refuse_defect(csv_, source_);
    read_header();
    while (csv_.next(record_) && findings_ < kMostFindings) {
      if (!csv_.defect().empty()) {
        find(csv_.defect_place(), std::string(csv_.defect()), kCsvHelp);
        break;
      }
      read_record();
    }
    found_.throw_if_any();
    if (table_.series.empty()) fail_input({source_, 1, 1}, "the table has no rows");
    return std::move(table_);
  }

 private:
  static constexpr std::size_t kMostColumns = 64;

  void read_header() {
    header_fields_ = record_.size();
    trim_record();
    for (std::size_t i = 0; i < record_.size(); ++i) {
      const bool added = columns_.emplace(record_[i], i).second;
      if (!added && !record_[i].empty())
        fail_input(location(csv_.place(i)),
                   "the column '" + record_[i].substr(0, kMostShown) + "' stands twice", "once each");
    }
    for (const TableKind& kind : table_kinds()) {
      if (!has_all(columns_, kind.columns) || has_any(columns_, kind.without)) continue;
      kind_ = &kind;
      break;
    }
    if (!kind_) fail_kind();
    for (const char* name : {"system", "dtype", "time_us"}) {
      if (columns_.contains(name)) continue;
      fail_input({source_, 1, 1}, fmt::format("a table of {} lacks the column '{}'", kind_->operation, name),
                 suggestion(name, record_));
    }
    refuse_misspelt();
    for (const ShapeColumn& column : model_of(*kind_).columns())
      shape_at_.push_back(columns_.contains(column.name) ? columns_[column.name] : kAbsent);
    read_orders();
  }

  /// A misspelt column would leave out its numbers; others are somebody else's.
  void refuse_misspelt() {
    const std::vector<std::string> known = known_columns(*kind_);
    for (std::size_t i = 0; i < record_.size(); ++i) {
      if (record_[i].empty() || std::find(known.begin(), known.end(), record_[i]) != known.end()) continue;
      const std::string name = record_[i].substr(0, kMostShown);
      Finding unknown{location(csv_.place(i)),
                      fmt::format("unknown column '{}' in a table of {}", name, kind_->operation),
                      suggestion(name, known)};
      if (nearest(name, known).empty()) {
        table_.unread.push_back(std::move(unknown));
      } else {
        find(i, unknown.message, unknown.help);
      }
    }
    found_.throw_if_any();
  }

  /// Blanks around a field are nobody's.
  void trim_record() {
    for (std::string& field : record_) {
      const std::string_view inside = trimmed(field);
      if (inside.size() < field.size()) field = std::string(inside);
    }
  }

  [[noreturn]] void fail_kind() const {
    if (columns_.contains("context") || columns_.contains("cached"))
      fail_input({source_, 1, 1}, "this table is of generation with a cache, which training does not run");
    std::string kinds;
    for (const TableKind& kind : table_kinds())
      kinds += fmt::format("{}{}: {}", kinds.empty() ? "" : "; ", kind.operation, listed(kind.columns));
    fail_input({source_, 1, 1}, "the columns are those of no operator",
               "system,dtype,time_us and those of " + kinds);
  }

  void read_record() {
    if (record_.size() != header_fields_) {
      return find(
          0, fmt::format("{} where the header has {}", counted(record_.size(), "field"), header_fields_));
    }
    trim_record();
    OperatorRow row;
    row.line = csv_.place(0).line;
    for (std::size_t i = 0; i < shape_at_.size(); ++i) {
      if (shape_at_[i] == kAbsent) continue;
      const ShapeColumn& column = model_of(*kind_).columns()[i];
      const auto value = number(column.name, shape_at_[i], column.least);
      if (!value) return;
      if (*value != std::floor(*value))
        return find(shape_at_[i], fmt::format("{}: '{}' is no whole number", column.name,
                                              record_[shape_at_[i]].substr(0, kMostShown)));
      row.shape[i] = *value;
    }
    if (!in_order(row.shape)) return;
    const auto time = number("time_us", columns_["time_us"], kShortestUs);
    if (!time) return;
    row.time_us = *time;
    const auto power = columns_.find("power_w");
    if (power != columns_.end() && !record_[power->second].empty() && !number("power_w", power->second, 0))
      return;
    if (OperatorSeries* series = series_of_record()) series->rows.push_back(row);
  }

  /// Rules of this kind's columns, as places in its shape.
  void read_orders() {
    const std::vector<ShapeColumn>& columns = model_of(*kind_).columns();
    const auto at = [&](const std::string& name) {
      const auto named = [&](const ShapeColumn& c) { return c.name == name; };
      return static_cast<std::size_t>(std::find_if(columns.begin(), columns.end(), named) - columns.begin());
    };
    for (const ColumnOrder& order : column_orders()) {
      if (std::max(at(order.less), at(order.more)) < columns.size())
        orders_.emplace_back(at(order.less), at(order.more));
    }
  }

  /// No shape has more heads of keys than of queries, nor experts that there are not.
  bool in_order(const ShapeValues& shape) {
    for (const auto& [less, more] : orders_) {
      if (shape[less] <= shape[more]) continue;
      const std::vector<ShapeColumn>& columns = model_of(*kind_).columns();
      find(shape_at_[less],
           fmt::format("{}: {} of {} {}", columns[less].name, shape[less], shape[more], columns[more].name),
           fmt::format("allowed: up to {}", shape[more]));
      return false;
    }
    return true;
  }

  std::optional<double> number(const std::string& column, std::size_t at, double least) {
    const std::string& text = record_[at];
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= kLargest)
      return value;
    find(at, fmt::format("{}: '{}' is no number from {} to {:.0e}", column, text.substr(0, kMostShown), least,
                         kLargest));
    return std::nullopt;
  }

  std::string text(const char* column) const {
    const auto at = columns_.find(column);
    return at == columns_.end() ? std::string() : record_[at->second];
  }

  OperatorSeries* series_of_record() {
    static constexpr std::array kNames = {"system", "operation", "dtype",   "kv_dtype",
                                          "kernel", "backend",   "version", "distribution"};
    joined_.clear();
    for (const char* name : kNames) {
      const auto at = columns_.find(name);
      if (at != columns_.end()) joined_ += record_[at->second];
      joined_ += '\n';
    }
    const bool sustained = !text("power_w").empty();
    joined_ += sustained ? 's' : 'b';
    const auto known = series_at_.find(joined_);
    if (known != series_at_.end()) return &table_.series[known->second];
    return new_series(sustained);
  }

  OperatorSeries* new_series(bool sustained) {
    OperatorSeries series;
    series.key = {text("system"), kind_->operation, text("dtype"), text("kv_dtype"), text("kernel")};
    if (kind_->operation == kCollective && !name_collective(series.key)) return nullptr;
    if (series.key.system.empty()) return refuse("system", "names no system", "");
    if (!find_operand_format(series.key.dtype)) return refuse_dtype("dtype", series.key.dtype);
    if (!series.key.kv_dtype.empty() && !find_operand_format(series.key.kv_dtype))
      return refuse_dtype("kv_dtype", series.key.kv_dtype);
    series.backend = text("backend");
    series.version = text("version");
    series.distribution = text("distribution");
    series.sustained = sustained;
    series.where = location(csv_.place(0));
    series_at_.emplace(joined_, table_.series.size());
    table_.series.push_back(std::move(series));
    return &table_.series.back();
  }

  bool name_collective(OperatorKey& key) {
    key.operation = text("operation");
    if (std::find(kCollectives.begin(), kCollectives.end(), key.operation) == kCollectives.end()) {
      refuse("operation", "'" + key.operation.substr(0, kMostShown) + "' is no collective",
             suggestion(key.operation, kCollectives));
      return false;
    }
    // Times of a framework's own kernels name the kernel; NCCL's do not.
    if (columns_.contains("kernel")) key.operation = "custom_all_reduce";
    return true;
  }

  OperatorSeries* refuse_dtype(const char* column, const std::string& dtype) {
    std::vector<std::string> names;
    for (const OperandFormat& format : operand_formats()) names.emplace_back(format.name);
    return refuse(column, "'" + dtype.substr(0, kMostShown) + "' is no format of operands",
                  suggestion(dtype, names));
  }

  OperatorSeries* refuse(const char* column, const std::string& message, const std::string& help) {
    find(columns_.at(column), message, help);
    return nullptr;
  }

  /// Adds a finding at a field of the record.
  void find(std::size_t field, const std::string& message, const std::string& help = {}) {
    find(csv_.place(field), message, help);
  }
  void find(CsvPlace place, const std::string& message, const std::string& help) {
    found_.add(location(place), message, help);
    ++findings_;
  }
  Location location(CsvPlace place) const { return {source_, place.line, place.column}; }

  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  std::shared_ptr<const SourceText> source_;
  CsvReader csv_;
  std::vector<std::string> record_;
  std::size_t header_fields_ = 0;
  Columns columns_;
  const TableKind* kind_ = nullptr;
  std::vector<std::size_t> shape_at_;
  std::vector<std::pair<std::size_t, std::size_t>> orders_;  // of the shape: at most the other
  std::string joined_;
  std::unordered_map<std::string, std::size_t> series_at_;
  OperatorTable table_;
  Findings found_;
  std::size_t findings_ = 0;
};

/// A zlib stream that ends itself.
struct Inflater {
  z_stream stream{};
  bool ready = false;
  Inflater() { ready = inflateInit2(&stream, 15 + 16) == Z_OK; }
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

std::string unpacked(std::string bytes, const std::string& name) {
  if (bytes.size() < 2 || bytes[0] != '\x1f' || bytes[1] != '\x8b') return bytes;
  Inflater inflater;
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), kMostBytes));
  std::string out;
  std::vector<char> block(std::size_t{1} << 18);
  for (int state = Z_OK; stream.avail_in > 0 || state == Z_OK;) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(block.data(), block.size() - stream.avail_out);
    if (out.size() > kMostBytes) fail_input(whole(name), "unpacks to more than 1 GiB");
    if (state == Z_STREAM_END && stream.avail_in == 0) return out;
    if (state == Z_STREAM_END) state = inflateReset(&stream);  // gzip files may stand one after another
    if (state != Z_OK) break;
  }
  fail_input(whole(name), "is damaged: gzip cannot unpack it");
}

OperatorTable read_operator_table(std::string bytes, const std::string& name, const Catalog& catalog) {
  auto source = std::make_shared<const SourceText>(SourceText{name, unpacked(std::move(bytes), name)});
  refuse_utf16(source->text, name);
  if (is_nccl_text(source->text)) return read_nccl_text(source, catalog);
  return TableReader(source).read();
}

OperatorTable with_median_versions(const OperatorTable& table) {
  OperatorTable out;
  using Times = std::map<ShapeValues, std::vector<double>>;
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, Times>> gathered;
  for (const OperatorSeries& series : table.series) {
    if (find_operator_model(series.key.operation) != &collective_model() || !series.key.kernel.empty()) {
      out.series.push_back(series);
      continue;
    }
    const std::string key = series.key.system + "\n" + series.key.operation + "\n" + series.key.dtype;
    auto [at, added] = gathered.try_emplace({key, series.sustained ? "s" : ""}, out.series.size(), Times{});
    if (added) {
      out.series.push_back({series.key, series.backend, "", "", series.sustained, {}, series.where});
    }
    for (const OperatorRow& row : series.rows) at->second.second[row.shape].push_back(row.time_us);
  }
  for (auto& [key, group] : gathered) {
    for (auto& [shape, times] : group.second) {
      std::sort(times.begin(), times.end());
      const std::size_t half = times.size() / 2;
      const double median = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
      out.series[group.first].rows.push_back({shape, median});
    }
  }
  return out;
}

OperatorTable read_operator_tables(const std::vector<std::string>& paths, const Catalog& catalog) {
  OperatorTable out;
  for (const std::string& path : paths) {
    OperatorTable table = read_operator_table(read_file(path), path, catalog);
    for (OperatorSeries& series : table.series) out.series.push_back(std::move(series));
    for (Finding& column : table.unread) out.unread.push_back(std::move(column));
  }
  return out;
}

}  // namespace trainyard
