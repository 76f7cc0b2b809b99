// Somebody whose question waits for its turn.
#pragma once

namespace trainyard::serving {

class Asking {
 public:
  Asking() = default;
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  virtual bool is_asking() const = 0;
  /// Its turn to be answered.
  virtual void begin_answer() = 0;

 protected:
  ~Asking() = default;
};

}  // namespace trainyard::serving
