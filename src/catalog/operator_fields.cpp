#include <fmt/core.h>

#include "catalog/catalog.h"
#include "catalog/entry_fields.h"

namespace trainyard {
namespace {

/// The map field of a record as a TOML inline table; `quote` writes a value.
template <class R, class T, class Quote>
Field<R> map_field(std::string name, std::map<std::string, T> R::*member, std::string type,
                   std::string sentence, Quote quote) {
  Field<R> out;
  out.info = {.name = std::move(name),
              .type = std::move(type),
              .sentence = std::move(sentence),
              .json_type = "object"};
  out.read = [member](R& record, const Value& value, const std::string& path, Findings& findings) {
    const Table* table = value.as<Table>();
    if (!table) {
      wrong_type(value, path, "a table", findings);
      return false;
    }
    std::map<std::string, T> read;
    for (const Member& m : table->members) {
      if (!Codec<T>::read(read[m.key], m.value, path + "." + m.key, anything(), findings)) return false;
    }
    record.*member = std::move(read);
    return true;
  };
  out.text = [member, quote](const R& record) {
    std::string text;
    for (const auto& [key, value] : record.*member) text += (text.empty() ? "" : ", ") + quote(key, value);
    return text.empty() ? text : "{ " + text + " }";
  };
  return out;
}

}  // namespace

const FieldTable<OperatorSystem>& operator_system_fields() {
  using S = OperatorSystem;
  static const FieldTable<S> table = with_entry_fields<S>({
      field("accelerator", &S::accelerator, "Accelerator that the constants speak for."),
      field("processors", &S::processors, at_least(0),
            "Processors that run tiles in waves; 0: unknown, which is enough for collectives."),
      field("memory_rate", &S::memory_rate, at_least(0), "Memory bandwidth; 0: that of the accelerator."),
      field("scale_up_rate", &S::scale_up_rate, at_least(0),
            "Scale-up rate of a device when it was measured; 0: the accelerator's."),
      field("dense", &S::dense, positive(),
            "Peak dense matrix rates; absent ones: those of the accelerator."),
      field("devices", &S::devices, "Names that drivers and nccl-tests give the device."),
      field("sustained_slowdown", &S::sustained_slowdown, between(0, 1),
            "Extra time of operators that run for seconds over bursts, at full use of the peak rate."),
  });
  return table;
}

const FieldTable<OperatorConstants>& operator_fields() {
  using C = OperatorConstants;
  static const FieldTable<C> table = with_entry_fields<C>({
      field("system", &C::system, "Operator system that was measured.").required(),
      field("operation", &C::operation, "What was measured: gemm, attention, mla, moe or a collective.")
          .required(),
      field("dtype", &C::dtype, "Format of the operands; empty: any."),
      field("kv_dtype", &C::kv_dtype, "Format of the cache that attention writes; empty: any."),
      field("kernel", &C::kernel, "Kernel; empty: every one that has no entry of its own."),
      field("backend", &C::backend, "Library that was measured."),
      map_field("constants", &C::constants, "table of numbers", "Constants of the physical model, by name.",
                [](const std::string& key, double v) { return key + " = " + Codec<double>::text(v); }),
      field("correction", &C::correction,
            "Steps of a percent of the logarithm at the knots of the model's tables, as letters."),
      map_field("slow_cells", &C::slow_cells, "table of texts",
                "Placements of experts for which slower kernels were chosen, in the same steps.",
                [](const std::string& key, const std::string& v) {
                  return fmt::format("\"{}\" = \"{}\"", key, v);
                }),
  });
  return table;
}

}  // namespace trainyard
