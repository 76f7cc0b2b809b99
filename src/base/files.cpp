#include "trainyard/files.h"

#include <filesystem>

#include "base/destination.h"
#include "base/errors.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

/// Whether a run that reads `input`, a file or folder, reads this file.
bool reads(const std::string& input, const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code code;
  if (!fs::exists(input, code) || !fs::exists(file, code)) return false;
  if (!fs::is_directory(input, code)) return same_file(input, file);
  const std::string kind = fs::path(file).extension().string();
  const fs::path folder = fs::absolute(file, code).parent_path();
  return (kind == ".toml" || kind == ".csv") && fs::equivalent(input, folder, code);
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  if (a.empty() || b.empty()) return false;
  std::error_code code;
  if (fs::equivalent(a, b, code)) return true;
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a, code), code);
  const fs::path whole_b = fs::weakly_canonical(fs::absolute(b, code), code);
  return !whole_a.empty() && whole_a == whole_b;
}

void check_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    if (output->path.empty() || destination(output->path).kind != Destination::Kind::file) continue;
    for (const NamedFile& input : inputs) {
      if (input.rewritten_by != output->flag && reads(input.path, output->path))
        fail_input(whole(output->path), output->flag + " would replace what the run reads as " + input.flag,
                   "give it a file of its own");
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!other->path.empty() && same_file(other->path, output->path))
        fail_input(whole(output->path), other->flag + " and " + output->flag + " would write the same file",
                   "give each a file of its own");
    }
  }
}

}  // namespace trainyard
