// Tables of measured operators: CSV by its columns, plain or gzip, or the text that nccl-tests prints.
//
// Which operator a table holds follows from its columns:
//
//   gemm        system,dtype,m,n,k,time_us
//   attention   system,dtype,batch,seq,heads,kv_heads,head_dim,time_us and maybe kv_dtype,window
//   mla         system,dtype,batch,seq,heads,time_us and maybe kv_dtype
//   moe         system,dtype,tokens,hidden,inter,topk,experts,tp,ep,time_us and maybe distribution
//   collective  system,operation,dtype,devices,bytes,time_us; with a column kernel: a framework's own
//   all-reduce
//
// and maybe backend, version, kernel and power_w. A row with power_w ran for about a second: a sustained
// rate. What measurements say besides (power_limit_w, time_us_min, time_us_max, samples) is passed over;
// other columns are, too, with a warning (OperatorTable::unread), but names that are nearly one of these are
// refused.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

struct Catalog;

/// Values of a shape in the order of its model's columns; the rest is 0.
constexpr std::size_t kMostShapeColumns = 7;
using ShapeValues = std::array<double, kMostShapeColumns>;

/// Which measurement is meant. An empty kernel is the usual one, an empty cache format that of the operands.
struct OperatorKey {
  std::string system;
  std::string operation;
  std::string dtype;
  std::string kv_dtype = {};
  std::string kernel = {};
};

struct OperatorRow {
  ShapeValues shape{};
  double time_us = 0;
  int line = 0;  // of the series' file; 0: none holds it
};

/// Rows of one table that differ in shape alone.
struct OperatorSeries {
  OperatorKey key;
  std::string backend;
  std::string version;
  std::string distribution;  // of tokens over experts; empty: balanced
  bool sustained = false;
  std::vector<OperatorRow> rows;
  Location where = {};  // of the first row, where a file holds it
};

struct OperatorTable {
  std::vector<OperatorSeries> series;
  std::vector<Finding> unread;  // columns that no table has, and no misspelt ones
};

/// Reads a table. Throws InputError with place, column and what is allowed; at most `kMostFindings` of them.
/// The catalog's operator systems say whose device nccl-tests names.
constexpr std::size_t kMostFindings = 20;
OperatorTable read_operator_table(std::string bytes, const std::string& name, const Catalog& catalog);

/// The tables of several files as one. Throws InputError as read_operator_table does.
OperatorTable read_operator_tables(const std::vector<std::string>& paths, const Catalog& catalog);

/// What gzip holds; text that is not gzip comes back as it is. Throws InputError when it is damaged or larger
/// than 1 GiB.
std::string unpacked(std::string bytes, const std::string& name);

/// Collectives are measured with several versions of NCCL: the median time of every shape, as version "".
OperatorTable with_median_versions(const OperatorTable& table);

}  // namespace trainyard
