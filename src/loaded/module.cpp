#include "loaded/module.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace trainyard {
namespace {

/// Beside the program in a build folder, else where it was installed.
std::filesystem::path path_of(const Module& module) {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::filesystem::path beside = folder / module.file;
  return std::filesystem::exists(beside) ? beside : folder / TRAINYARD_MODULES_FOLDER / module.file;
}

}  // namespace

void* function_of(const Module& module) {
  const std::filesystem::path path = path_of(module);
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error(
        fmt::format("{}: {} (the module {}; install Trainyard whole)", path.string(), why, module.what_for));
  };
  void* loaded = dlopen(path.c_str(), RTLD_NOW | (module.shared_names ? RTLD_GLOBAL : RTLD_LOCAL));
  if (loaded == nullptr) {
    std::string why = dlerror();
    const std::string named = path.string() + ": ";
    fail(why.starts_with(named) ? why.substr(named.size()) : why);
  }
  const auto* version = static_cast<const char*>(dlsym(loaded, kModuleVersion));
  void* function = dlsym(loaded, module.function);
  if (version == nullptr || function == nullptr) fail("no module of Trainyard");
  if (std::strcmp(version, TRAINYARD_VERSION) != 0)
    fail(fmt::format("of version {}, not {}", version, TRAINYARD_VERSION));
  return function;
}

}  // namespace trainyard
