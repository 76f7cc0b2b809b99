// A folder in the place of its name at once: written beside, renamed.
#include <fcntl.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/errors.h"
#include "base/parts.h"
#include "siting/grid_import/sources.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/grid_import.h"

namespace trainyard {
namespace {

namespace fs = std::filesystem;

/// Whether every entry of a folder is a file of an import's names.
bool holds_only_import(const fs::path& folder, const GridImport& grid) {
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().native();
    const bool ours = std::any_of(grid.files.begin(), grid.files.end(), [&](const auto& file) {
      return name == file.first || name.starts_with(file.first + ".part");
    });
    if (!ours || !fs::is_regular_file(entry.symlink_status(code))) return false;
  }
  return !code;
}

/// Only what an import wrote may be replaced.
bool is_import(const fs::path& folder) {
  std::error_code code;
  const fs::path sources = folder / "SOURCES.txt";
  return fs::is_regular_file(sources, code) &&
         read_file(sources.string()).starts_with(grid_import::kSourcesTitle);
}

void check_target(const fs::path& folder, const GridImport& grid, bool replace) {
  std::error_code code;
  if (!fs::exists(folder, code)) return;
  if (!fs::is_directory(folder, code)) fail_input(whole(folder.string()), "is a file, not a folder");
  if (fs::is_empty(folder, code)) return;
  if (!replace)
    fail_input(whole(folder.string()), "exists", "--replace replaces a folder that an import wrote");
  if (!is_import(folder))
    fail_input(whole(folder.string()), "is not a folder that an import wrote; it is left as it is");
  if (!holds_only_import(folder, grid))
    fail_input(whole(folder.string()), "holds more than an import writes; it is left as it is",
               "move what is yours elsewhere");
}

void fill(const fs::path& folder, const GridImport& grid) {
  fs::create_directories(folder);
  for (const auto& [name, text] : grid.files) write_file((folder / name).string(), text);
}

/// Puts `beside` in the place of `folder`, and what stood there beside, at once.
void put_in_place(const fs::path& beside, const fs::path& folder) {
  const bool had_one = fs::exists(folder);
  const unsigned flags = had_one ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (renameat2(AT_FDCWD, beside.c_str(), AT_FDCWD, folder.c_str(), flags) == 0) return;
  const bool unknown = errno == EINVAL || errno == ENOSYS;  // to this file system or kernel
  if (unknown && had_one)
    fail_input(whole(folder.string()), "cannot be replaced at once on this file system", "remove it first");
  if (!unknown || rename(beside.c_str(), folder.c_str()) != 0)
    throw fs::filesystem_error("cannot be renamed", folder, std::error_code(errno, std::generic_category()));
}

/// Removes what killed imports left beside.
void clear_left(const fs::path& target, const GridImport& grid) {
  std::error_code code;
  for (const fs::path& left : parts_left_of(target)) {
    if (fs::is_directory(fs::symlink_status(left, code)) && holds_only_import(left, grid))
      fs::remove_all(left, code);
  }
}

}  // namespace

void write_grid_folder(const std::string& folder, const GridImport& grid, bool replace) {
  fs::path target = fs::path(folder).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  if (target.empty() || target == "." || target == "..")
    fail_input(whole(folder), "is not a name for a new folder");
  check_target(target, grid, replace);
  clear_left(target, grid);
  const fs::path beside = part_beside(target.string());
  std::error_code ignored;
  try {
    fill(beside, grid);
    put_in_place(beside, target);
    fs::remove_all(beside, ignored);  // what stood there
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(beside, ignored);
    fail_writing(folder, error.code().value());
  } catch (...) {
    fs::remove_all(beside, ignored);
    throw;
  }
}

}  // namespace trainyard
