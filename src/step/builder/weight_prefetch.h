// ZeRO 3: weights of the next layers, gathered some passes ahead.
#pragma once

namespace trainyard::builder {

struct Blueprint;
struct Pass;
class Writer;

class WeightPrefetch {
 public:
  WeightPrefetch(const Blueprint& blueprint, Writer& writer) : b_(blueprint), writer_(writer) {}

  /// Lets the next `layers` of a pass wait for their weights. Whether they are gathered. `begins`: its first.
  bool add(Pass& pass, double layers, bool begins) const;

  /// Lets the output matrix wait for its own.
  void add_output(Pass& pass) const;

 private:
  bool gathers(const Pass& pass) const;
  void gather(Pass& pass, double layers, bool anew) const;

  const Blueprint& b_;
  Writer& writer_;
};

}  // namespace trainyard::builder
