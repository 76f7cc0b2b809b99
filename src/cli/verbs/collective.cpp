// collective: how a library runs a collective inside one NVLink domain, and how long it takes.

#include "cli/loading.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/library_validation.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/library_collectives.h"

namespace trainyard {
namespace {

constexpr unsigned kMostChannels = 64;  // of NCCL

struct CollectiveOptions {
  std::string operation;
  std::string system = "h100_sxm";
  long long devices = 8;
  std::string bytes = "64 MiB";
  std::string dtype = "bf16";
  std::string version;
  std::string algorithm;
  std::string protocol;
  unsigned channels = 0;  // 0: the library's
  std::vector<std::string> catalog_folders;
  Format format = Format::text;
};

void declare_collective(Flags& flags, CollectiveOptions& options) {
  flags.option("operation", options.operation, "all_reduce, all_gather, reduce_scatter or alltoall")
      .required();
  flags.option("--system", options.system, "operator system of the catalog (h100_sxm)");
  flags.option("--devices", options.devices, "devices of the NVLink domain that take part (8)");
  flags.option("--bytes", options.bytes, "size as nccl-tests counts it (64 MiB)");
  flags.option("--dtype", options.dtype, "type of the elements (bf16)");
  flags.option("--version", options.version, "version of the library, where installations differ");
  flags.option("--algorithm", options.algorithm, "ring, in_switch or pairwise, in place of the tuner's");
  flags.option("--protocol", options.protocol, "LL, LL128 or Simple, in place of the tuner's");
  flags.option("--channels", options.channels, "channels, in place of the library's")
      .within(1, kMostChannels);
  flags.catalog_folders(options.catalog_folders, "folder of catalog files of your own");
  flags.formats(options.format);
}

std::string run_collective(const CollectiveOptions& options) {
  const Catalog catalog = catalog_with(options.catalog_folders);
  LibraryCall call{options.system,
                   options.operation,
                   options.devices,
                   0,
                   element_bytes_of(options.dtype, "--"),
                   options.version,
                   "--"};
  const ParsedQuantity bytes = parse_quantity(options.bytes, Unit::bytes);
  if (!bytes.error.empty()) fail_input(whole("--bytes " + options.bytes), bytes.error);
  call.bytes = bytes.si;
  const LibraryWish wish = library_wish(options.algorithm, options.protocol, options.channels, "--");
  const std::vector<WeighedLibraryRun> runs = weigh_library_runs(catalog, call, wish, "--");
  if (options.format == Format::json) return library_runs_json(runs);
  return in_format(options.format == Format::csv ? library_runs_data(runs) : library_runs_table(runs),
                   options.format);
}

}  // namespace

Verb collective_verb() {
  return make_verb("collective", "how NCCL runs a collective in an NVLink domain, and its time",
                   declare_collective, run_collective);
}

}  // namespace trainyard
