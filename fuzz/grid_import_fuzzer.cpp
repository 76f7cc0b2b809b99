// Originals of public grid data: refused with a reason, or a folder that can be read. The input holds the
// files, each after a line "== NAME".
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "scratch_file.h"
#include "siting/grid_files.h"
#include "trainyard/errors.h"
#include "trainyard/grid_import.h"

namespace {

using namespace trainyard;
using fuzz::ScratchFile;

constexpr std::string_view kMark = "== ";

const std::map<std::string, std::string GridImportInput::*>& originals() {
  static const std::map<std::string, std::string GridImportInput::*> all = {
      {"eia860_plants", &GridImportInput::eia860_plants},
      {"eia860_generators", &GridImportInput::eia860_generators},
      {"energy_atlas", &GridImportInput::energy_atlas},
      {"gppd", &GridImportInput::gppd},
      {"interfaces", &GridImportInput::interfaces},
      {"dc_interfaces", &GridImportInput::dc_interfaces},
      {"counties", &GridImportInput::counties},
      {"population", &GridImportInput::population},
      {"prices", &GridImportInput::prices},
      {"cities", &GridImportInput::cities}};
  return all;
}

/// The files of an input, which last as long as this.
class Originals {
 public:
  explicit Originals(std::string_view text) {
    while (text.starts_with(kMark)) {
      text.remove_prefix(kMark.size());
      const std::size_t line = std::min(text.find('\n'), text.size());
      const std::string name(text.substr(0, line));
      text.remove_prefix(std::min(line + 1, text.size()));
      const std::size_t end = std::min(text.find(kMark), text.size());
      add(name, text.substr(0, end));
      text.remove_prefix(end);
    }
  }
  const GridImportInput& input() const { return input_; }

 private:
  void add(const std::string& name, std::string_view content) {
    const auto found = originals().find(name);
    if (found == originals().end() && name != "eia930") return;
    files_.push_back(std::make_unique<ScratchFile>(name + ".csv", content));
    if (found == originals().end()) {
      input_.eia930 = {files_.back()->path()};
    } else {
      input_.*found->second = files_.back()->path();
    }
  }

  std::vector<std::unique_ptr<ScratchFile>> files_;
  GridImportInput input_;
};

/// What was imported is a grid.
void check(const GridImport& imported) {
  GridTexts texts;
  for (const auto& [name, text] : imported.files) {
    if (name.ends_with(".csv")) texts[name] = std::make_shared<const SourceText>(SourceText{name, text});
  }
  try {
    static_cast<void>(parse_grid("imported", texts));
  } catch (const InputError& error) {
    std::fprintf(stderr, "what was imported is refused: %s\n", describe(error.findings()).c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Originals originals({reinterpret_cast<const char*>(data), size});
  try {
    check(import_grid(originals.input()));
  } catch (const InputError& error) {
    if (error.findings().empty() || error.findings().front().message.empty()) std::abort();
    static_cast<void>(describe(error.findings()));
  }
  return 0;
}
