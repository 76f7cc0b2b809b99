#include "network/flow/network.h"

#include "base/mixing.h"

namespace trainyard::flow {

void DownLinks::set(std::uint32_t link, bool down) {
  if (is_down(link) == down) return;
  if (link >= down_.size()) down_.resize(link + 1, 0);
  down_[link] = down ? 1 : 0;
  if (down) {
    ++count_;
  } else {
    --count_;
  }
  hash_ ^= mixed(link);
}

}  // namespace trainyard::flow
