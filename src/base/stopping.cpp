#include "base/stopping.h"

#include <utility>

#include "trainyard/stopping.h"

namespace trainyard {

Stopping::Stopping(std::function<void()> check) : check_(std::move(check)), before_(stop_check) {
  stop_check = &check_;
}

Stopping::~Stopping() { stop_check = before_; }

}  // namespace trainyard
