// Helios, SenseTime 2020 (github.com/S-Lab-System-Group/HeliosData): cluster_log.csv of Venus, Earth, Saturn
// or Uranus, which the folder's name tells.
#include <algorithm>
#include <cctype>

#include "jobs/importers/slurm.h"

namespace trainyard {
namespace {

std::string cluster_of(const std::string& path) {
  std::string lower = path;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* name : {"Venus", "Earth", "Saturn", "Uranus"}) {
    std::string word = name;
    word[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
    if (lower.find(word) != std::string::npos) return "Helios " + std::string(name);
  }
  return "Helios";
}

}  // namespace

JobImporterParts helios_importer() {
  return {[](const JobFile& file) {
            return file.has({"job_id", "vc", "gpu_num", "submit_time"});
          },
          [](const JobFile& file) { return read_accounts(file, "helios", cluster_of(file.text->name)); }};
}

}  // namespace trainyard
