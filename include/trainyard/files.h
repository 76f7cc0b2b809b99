// Files as a whole: read, and written whole or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {

/// Writes a file beside its place and renames it. Throws InputError naming the flag or path when it cannot.
void write_file(const std::string& path, std::string_view text);

/// A file's bytes, however many; of a device that does not end, none. Throws InputError naming the path when
/// it cannot be read.
std::string read_file(const std::string& path);

/// A file of at most 4 MiB as text, named by its path. Throws InputError when it cannot be read, is a folder,
/// or is too large.
std::shared_ptr<const SourceText> read_text(const std::string& path);

/// Throws the error that write_file would, as far as it can be known before: for what takes long to compute.
void check_writable(const std::string& path);

/// A file of a run, by the flag that names it.
struct NamedFile {
  std::string flag;
  std::string path;
  std::string rewritten_by;  // flag of the output that may replace this input; empty: none may
};

/// Throws InputError where an output of a run is one of its inputs, or another output. An input that is a
/// folder stands for the .toml and .csv files in it. Devices and pipes hold nothing that could be lost.
void check_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

}  // namespace trainyard
