// Job lists of every format.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/csv.h"
#include "base/foreign_text.h"
#include "jobs/importer.h"
#include "trainyard/files.h"
#include "trainyard/job_format.h"
#include "trainyard/nearest.h"
#include "trainyard/printable.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostOfFirstLine = 4096;  // of a file whose format is guessed

bool is_packed(std::string_view text) {
  return text.starts_with("\x1f\x8b") || text.starts_with("PK\x03\x04") ||
         text.starts_with(
             "\xFD"
             "7zXZ");
}

std::vector<std::string> first_fields(std::string_view text) {
  std::vector<std::string> fields;
  CsvReader reader(
      text.substr(0, std::min(text.find('\n', std::min<std::size_t>(3, text.size())), kMostOfFirstLine)));
  reader.limit_fields(kMostOfFirstLine);
  reader.next(fields);
  for (std::string& field : fields) field = std::string(trimmed(field));
  return fields;
}

const JobImporter& importer_of(const JobFile& file) {
  const std::vector<JobImporter>& all = job_importers();
  const auto known = std::find_if(all.begin(), all.end(), [&](const JobImporter& importer) {
    return file.reading.format == JobFormat::detect ? importer.knows(file)
                                                    : importer.format == file.reading.format;
  });
  if (known != all.end()) return *known;
  std::string formats;
  for (const JobImporter& importer : all)
    formats += fmt::format("{}{}", formats.empty() ? "" : ", ", importer.name);
  fail_input({file.text, 1, 1}, "the first line is that of no known list of jobs",
             "columns submit_s,devices,run_s of our own, or --jobs-format: " + formats);
}

}  // namespace

std::string JobFile::base_name() const { return std::filesystem::path(text->name).filename().string(); }

std::string JobFile::beside(const std::string& name) const {
  return (std::filesystem::path(text->name).parent_path() / name).string();
}

bool JobFile::has(const std::vector<std::string>& columns) const {
  return std::all_of(columns.begin(), columns.end(), [&](const std::string& column) {
    return std::find(first.begin(), first.end(), column) != first.end();
  });
}

const std::vector<JobImporter>& job_importers() {
  static const std::vector<JobImporter> all = [] {
    std::vector<JobImporter> out;
#define TRAINYARD_JOB_FORMAT(name, sentence) \
  out.push_back({JobFormat::name, #name, sentence, name##_importer().knows, name##_importer().read});
#include "trainyard/registries/job_formats.def"
    return out;
  }();
  return all;
}

std::vector<std::string> job_format_names() {
  std::vector<std::string> names = {"detect"};
  for (const JobImporter& importer : job_importers()) names.emplace_back(importer.name);
  return names;
}

JobFormat job_format(const std::string& name, const std::string& where) {
  if (name == "detect") return JobFormat::detect;
  for (const JobImporter& importer : job_importers())
    if (name == importer.name) return importer.format;
  fail_input(whole(where), "no format of job lists '" + elided(name, 40) + "'",
             suggestion(name, job_format_names()));
}

JobList read_jobs_text(std::string text, const std::string& path, const JobReading& reading) {
  refuse_utf16(text, path);
  if (is_packed(text)) fail_input(whole(path), "is packed", "unpack it (gunzip, unzip, tar -x)");
  JobFile file{std::make_shared<const SourceText>(SourceText{path, std::move(text)}), {}, reading};
  file.first = first_fields(file.text->text);
  if (file.first.empty()) fail_input(whole(path), "is empty", "a header line, then one job a line");
  return importer_of(file).read(file);
}

JobList read_jobs(const std::string& path, const JobReading& reading) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30U;
  return read_jobs_text(read_file(path, kMostBytes), path, reading);
}

}  // namespace trainyard
