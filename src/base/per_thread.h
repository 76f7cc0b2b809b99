// A value of each thread.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace trainyard {

/// Made when a thread first asks for its own, and gone with the thread. Where memory ends this throws
/// std::bad_alloc; a thread_local with a destructor ends the program there (glibc cannot register it).
template <class T>
class PerThread {
 public:
  PerThread() {
    if (pthread_key_create(&key_, destroy) != 0) throw std::bad_alloc();
  }
  /// With the value of the thread that destroys this; others have ended.
  ~PerThread() {
    destroy(pthread_getspecific(key_));
    pthread_key_delete(key_);
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  T& mine() {
    if (void* found = pthread_getspecific(key_)) return *static_cast<T*>(found);
    auto made = std::make_unique<T>();
    if (pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  static void destroy(void* value) { delete static_cast<T*>(value); }

  pthread_key_t key_{};
};

}  // namespace trainyard
