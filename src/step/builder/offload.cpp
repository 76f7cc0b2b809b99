#include "step/builder/offload.h"

#include "base/whole_numbers.h"
#include "step/builder/activations.h"
#include "step/builder/pass.h"
#include "step/builder/writer.h"

namespace trainyard::builder {
void Offload::begin_lane(const std::vector<ChunkPass>& order) {
  backward_at_.clear();
  if (!b_.set.offload) return;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (is_backward(order[i])) backward_at_[key(order[i])] = static_cast<std::int64_t>(i);
  }
}

void Offload::send(const Pass& pass) {
  if (!b_.set.offload) return;
  const auto backward = backward_at_.find(key(pass.what));
  if (backward == backward_at_.end() || backward->second - pass.position < offloading::kWorthIt) return;
  const double bytes = activations_.kept(pass);
  StepOperation op = writer_.transfer(pass.what, pass.lane->to_host, b_.classes.offload, Bytes(bytes));
  op.memory_at_end = -bytes;
  const OperationId sent = writer_.add(op, {pass.last});
  pass.lane->on_host[key(pass.what)] = sent;
  pass.lane->sends.push_back(sent);
}

void Offload::bring_back(Pass& pass) {
  const auto found = pass.lane->on_host.find(key(pass.what));
  if (found == pass.lane->on_host.end()) return;
  Operations after = {found->second};
  if (pass.position >= offloading::kAhead)
    after.push_back(pass.lane->pass_ends[index(pass.position - offloading::kAhead)]);
  const double bytes = activations_.kept(pass);
  StepOperation op = writer_.transfer(pass.what, pass.lane->from_host, b_.classes.offload, Bytes(bytes));
  op.memory_at_start = bytes;
  pass.ready.push_back(writer_.add(op, after));
  pass.lane->on_host.erase(found);
}

void Offload::add_beside(Pass& pass, std::uint32_t stream) {
  const double bytes = b_.set.offloaded * activations_.kept(pass);
  if (bytes <= 0) return;
  Operations after = pass.ready;
  if (!pass.lane->pass_ends.empty()) after.push_back(pass.lane->pass_ends.back());
  pass.beside.push_back(
      writer_.add(writer_.transfer(pass.what, stream, b_.classes.offload, Bytes(bytes)), after));
}

void Offload::await_room(Pass& pass) const {
  const Operations& sends = pass.lane->sends;
  if (std::ssize(sends) >= offloading::kKept)
    pass.ready.push_back(sends[sends.size() - index(offloading::kKept)]);
}

}  // namespace trainyard::builder
