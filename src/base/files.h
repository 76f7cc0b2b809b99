// Files as a whole: read, and written whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Writes a file beside its place and renames it. Throws InputError naming the flag or path when it cannot.
void write_file(const std::string& path, std::string_view text);

/// A file's bytes, however many; of a device that does not end, none. Throws InputError naming the path when
/// it cannot be read.
std::string read_file(const std::string& path);

/// Throws the error that write_file would, as far as it can be known before: for what takes long to compute.
void check_writable(const std::string& path);

}  // namespace trainyard
