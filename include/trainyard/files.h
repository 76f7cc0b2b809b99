// Files as a whole: read, and written whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct SourceText;

/// A file that the machine cannot write: its disk is full, or fails. Exit status 1.
struct WriteFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws what an error of writing (errno) is: WriteFailure for the machine's, InputError for a path that
/// cannot be written. Both name the path.
[[noreturn]] void fail_writing(const std::string& path, int reason);

/// Writes a file beside its place, NAME.partPID, and renames it; removes what killed runs left so. A symbolic
/// link stays and its target is written; devices, pipes and /dev/fd/N are written where they are. Permissions
/// stay. Throws as fail_writing() when it cannot.
void write_file(const std::string& path, std::string_view text);

constexpr std::uint64_t kMostFile_bytes = std::uint64_t{1} << 30U;

/// A file's bytes. Throws InputError naming the path when it cannot be read, has more bytes than
/// `most_bytes`, or is a pipe into which nobody writes (it waits for 20 s, and says so on standard error).
std::string read_file(const std::string& path, std::uint64_t most_bytes = kMostFile_bytes);

/// A file of at most 4 MiB as text, named by its path. Throws InputError when it cannot be read, is a folder,
/// or is too large.
std::shared_ptr<const SourceText> read_text(const std::string& path);

/// The same of lists that programs write, of flows or of traffic: at most 2 GiB.
std::shared_ptr<const SourceText> read_list(const std::string& path);

/// Throws the error that write_file would, as far as it can be known before: for what takes long to compute.
void check_writable(const std::string& path);

/// Whether two paths lead to one file, also one that is not there yet.
bool same_file(const std::string& a, const std::string& b);

/// Removes a file that write_file wrote; never a link, device or folder.
void remove_written(const std::string& path);

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
