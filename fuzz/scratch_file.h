// A file of this process in the temporary folder, for readers that take a path.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace trainyard::fuzz {

class ScratchFile {
 public:
  ScratchFile(const std::string& name, std::string_view content)
      : path_(std::filesystem::temp_directory_path() /
              ("trainyard-fuzz-" + std::to_string(getpid()) + "-" + name)) {
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code code;
    std::filesystem::remove(path_, code);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace trainyard::fuzz
