// Tables as .xlsx or text: refused with a reason, or rows that are not blank.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/spreadsheet.h"
#include "scratch_file.h"
#include "trainyard/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  const fuzz::ScratchFile file("table.xlsx", {reinterpret_cast<const char*>(data), size});
  for (const char* sheet : {"", "Operable"}) {
    try {
      read_rows(file.path(), sheet, [&](int row, const std::vector<std::string>& cells) {
        if (cells.empty() || row <= 0) std::abort();
        return true;
      });
    } catch (const InputError& error) {
      if (error.findings().empty() || error.findings().front().message.empty()) std::abort();
      static_cast<void>(describe(error.findings()));
    }
  }
  return 0;
}
