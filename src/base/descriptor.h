// An open file, closed at its end.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace trainyard {

class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  /// False, with errno, when it cannot be opened.
  bool open(const std::string& path, int flags, mode_t mode = 0) {
    number_ = ::open(path.c_str(), flags, mode);
    return number_ >= 0;
  }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

}  // namespace trainyard
