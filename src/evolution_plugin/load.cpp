// evolve() of the program: by a module beside it, loaded when it is first asked for.
#include <dlfcn.h>
#include <fmt/core.h>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "evolution_plugin/plugin.h"

namespace trainyard {
namespace {

/// Beside the program in a build folder, else where it was installed.
std::filesystem::path plugin_file() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::filesystem::path beside = folder / TRAINYARD_PLUGIN_FILE;
  return std::filesystem::exists(beside) ? beside : folder / TRAINYARD_PLUGIN_FOLDER / TRAINYARD_PLUGIN_FILE;
}

[[noreturn]] void fail_plugin(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error(
      fmt::format("{}: {} (the module with which searches evolve; install Trainyard whole, or "
                  "search exhaustively)",
                  file.string(), why));
}

/// Stays loaded: threads may be within.
EvolvePlugin loaded() {
  const std::filesystem::path file = plugin_file();
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) fail_plugin(file, dlerror());
  const void* version = dlsym(module, kPluginVersion);
  void* evolve = dlsym(module, kPluginEvolve);
  if (version == nullptr || evolve == nullptr) fail_plugin(file, "no module of Trainyard");
  const auto* text = static_cast<const char*>(version);
  if (std::strcmp(text, TRAINYARD_VERSION) != 0)
    fail_plugin(file, fmt::format("of version {}, not {}", text, TRAINYARD_VERSION));
  return reinterpret_cast<EvolvePlugin>(evolve);
}

}  // namespace

EvolvedPoints evolve(EvolvingPoints& points, std::uint64_t seed, std::uint64_t until) {
  static const EvolvePlugin plugin = loaded();
  EvolvedPoints out;
  plugin(points, seed, until, out);
  return out;
}

}  // namespace trainyard
