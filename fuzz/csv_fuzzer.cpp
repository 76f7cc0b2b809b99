// CSV: records that were read and written out again (RFC 4180, every field quoted) are the same records.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/csv.h"

namespace {

std::string quoted(const std::string& field) {
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto records = trainyard::parse_csv({reinterpret_cast<const char*>(data), size});
  std::string text;
  for (const auto& record : records) {
    for (std::size_t i = 0; i < record.size(); ++i) text += (i ? "," : "") + quoted(record[i]);
    text += "\r\n";
  }
  if (trainyard::parse_csv(text) != records) std::abort();
  return 0;
}
