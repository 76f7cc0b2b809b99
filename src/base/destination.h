// Where an output goes.
#pragma once

#include <string>

namespace trainyard {

/// What stands at the end of a path, its symbolic links followed.
struct Destination {
  enum class Kind {
    file,       // a regular one, or none yet: written beside its place and renamed
    device,     // a pipe, a terminal, ...: nothing can take its place
    descriptor  // /dev/stdout, /dev/fd/N: open already, and whoever opened it goes on writing there
  };

  Kind kind = Kind::file;
  std::string path;
  int descriptor = -1;
};

/// Throws InputError for "-", a folder, a link without end, and a descriptor that is not open for writing.
Destination destination(const std::string& path);

}  // namespace trainyard
