#include "serve/confinement.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

namespace trainyard::serving {
namespace {

// A sanitizer's own tables lie beyond any limit of address space.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

void limit(__rlimit_resource what, double most) {
  const auto value = static_cast<rlim_t>(most);
  const rlimit both{value, value};
  if (setrlimit(what, &both) != 0) throw std::system_error(errno, std::generic_category(), "setrlimit");
}

constexpr __u64 kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr __u64 kAll =
    kReading | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

/// No file but those below the folder, and these only for reading.
void keep_files(const std::string& folder) {
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kAll;
  const auto rules =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (rules < 0) return;  // a kernel without it
  if (!folder.empty()) {
    landlock_path_beneath_attr below{};
    below.allowed_access = kReading;
    below.parent_fd = open(folder.c_str(), O_PATH | O_CLOEXEC);
    if (below.parent_fd >= 0) syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    if (below.parent_fd >= 0) close(below.parent_fd);
  }
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  syscall(SYS_landlock_restrict_self, rules, 0);
  close(rules);
}

}  // namespace

void confine(const Confinement& limits) {
  constexpr int kNicer = 5;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CPU, limits.processor.si());
  if (kLimitsMemory) limit(RLIMIT_AS, limits.memory.si());
  if (limits.is_long && nice(kNicer) < 0) errno = 0;  // only a courtesy
  if (!limits.folder.empty() && chdir(limits.folder.c_str()) != 0)
    throw std::system_error(errno, std::generic_category(), limits.folder);
  keep_files(limits.folder);
}

}  // namespace trainyard::serving
