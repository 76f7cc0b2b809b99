// A folder in the place of its name at once: written beside, renamed.
#include <unistd.h>

#include <filesystem>

#include "base/errors.h"
#include "siting/grid_import/sources.h"
#include "trainyard/files.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// Only what an import wrote may be replaced.
bool is_import(const fs::path& folder) {
  std::error_code code;
  const fs::path sources = folder / "SOURCES.txt";
  return fs::is_regular_file(sources, code) &&
         read_file(sources.string()).starts_with(grid_import::kSourcesTitle);
}

void check_target(const fs::path& folder, bool replace) {
  std::error_code code;
  if (!fs::exists(folder, code)) return;
  if (!fs::is_directory(folder, code)) fail_input(whole(folder.string()), "is a file, not a folder");
  if (fs::is_empty(folder, code)) return;
  if (!replace)
    fail_input(whole(folder.string()), "exists", "--replace replaces a folder that an import wrote");
  if (!is_import(folder))
    fail_input(whole(folder.string()), "is not a folder that an import wrote; it is left as it is");
}

void fill(const fs::path& folder, const GridImport& grid) {
  fs::create_directories(folder);
  for (const auto& [name, text] : grid.files) write_file((folder / name).string(), text);
}

/// Puts `beside` in the place of `folder`; what stood there goes, or comes back when that fails.
void put_in_place(const fs::path& beside, const fs::path& folder) {
  const fs::path old = beside.string() + ".old";
  const bool had_one = fs::exists(folder);
  if (had_one) fs::rename(folder, old);
  std::error_code code;
  fs::rename(beside, folder, code);
  if (code) {
    if (had_one) fs::rename(old, folder);
    throw fs::filesystem_error("cannot be renamed", folder, code);
  }
  fs::remove_all(old, code);
}

}  // namespace

void write_grid_folder(const std::string& folder, const GridImport& grid, bool replace) {
  fs::path target = fs::path(folder).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  if (target.empty() || target == "." || target == "..")
    fail_input(whole(folder), "is not a name for a new folder");
  check_target(target, replace);
  const fs::path beside = target.string() + ".part" + std::to_string(getpid());
  std::error_code ignored;
  try {
    fill(beside, grid);
    put_in_place(beside, target);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(beside, ignored);
    fail_input(whole(folder), "cannot be written: " + error.code().message());
  } catch (...) {
    fs::remove_all(beside, ignored);
    throw;
  }
}

}  // namespace trainyard
