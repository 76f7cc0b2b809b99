// Loaded before a program (LD_PRELOAD), it makes the N-th call of a kind fail, as on a machine without memory
// or with a full disk:
//   FAIL_KIND=memory|files  FAIL_AT=N  (0: none; at its end the program then tells how many there were, in
//   FAIL_COUNT_TO)
// Calls count from main on: what fails before it is not the program's.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
}

namespace {

enum class Kind { none, memory, files };

Kind kind = Kind::none;
long fail_at = 0;
std::atomic<long> calls{0};
int (*real_main)(int, char**, char**);

/// Whether this call is the one that fails.
bool fails(Kind of) {
  if (kind != of) return false;
  return calls.fetch_add(1) + 1 == fail_at;
}

bool fails_with(int reason) {
  if (!fails(Kind::files)) return false;
  errno = reason;
  return true;
}

template <class F>
F next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  F out;
  std::memcpy(&out, &found, sizeof(out));
  return out;
}

void tell() {
  const Kind of = kind;
  kind = Kind::none;
  const char* to = std::getenv("FAIL_COUNT_TO");
  if (of == Kind::none || to == nullptr) return;
  if (FILE* file = std::fopen(to, "w")) {
    std::fprintf(file, "%ld\n", calls.load());
    std::fclose(file);
  }
}

int counted_main(int argc, char** argv, char** environment) {
  const char* what = std::getenv("FAIL_KIND");
  const char* at = std::getenv("FAIL_AT");
  fail_at = at != nullptr ? std::atol(at) : 0;
  std::atexit(tell);
  if (what != nullptr) kind = std::strcmp(what, "memory") == 0 ? Kind::memory : Kind::files;
  return real_main(argc, argv, environment);
}

}  // namespace

extern "C" {

/// The program ends by it, past what waits for exit().
[[noreturn]] void _Exit(int status) noexcept {
  tell();
  next<void (*)(int)>("_Exit")(status);
  __builtin_unreachable();
}

void* malloc(std::size_t bytes) {
  if (!fails(Kind::memory)) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}
void* calloc(std::size_t count, std::size_t bytes) {
  if (!fails(Kind::memory)) return __libc_calloc(count, bytes);
  errno = ENOMEM;
  return nullptr;
}
void* realloc(void* old, std::size_t bytes) {
  if (!fails(Kind::memory)) return __libc_realloc(old, bytes);
  errno = ENOMEM;
  return nullptr;
}

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    va_end(list);
  }
  if (fails_with(EIO)) return -1;
  return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}
ssize_t read(int file, void* to, std::size_t bytes) {
  if (fails_with(EIO)) return -1;
  return next<ssize_t (*)(int, void*, std::size_t)>("read")(file, to, bytes);
}
ssize_t write(int file, const void* from, std::size_t bytes) {
  if (fails_with(ENOSPC)) return -1;
  return next<ssize_t (*)(int, const void*, std::size_t)>("write")(file, from, bytes);
}
int fsync(int file) {
  if (fails_with(EIO)) return -1;
  return next<int (*)(int)>("fsync")(file);
}
int fchmod(int file, mode_t mode) {
  if (fails_with(EPERM)) return -1;
  return next<int (*)(int, mode_t)>("fchmod")(file, mode);
}
int rename(const char* from, const char* to) {
  if (fails_with(EIO)) return -1;
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader)(), void* stack) {
  real_main = main;
  using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, loader, stack);
}

}  // extern "C"
