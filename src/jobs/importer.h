// A format of job lists: how its files are known, and how they are read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "trainyard/jobs.h"

namespace trainyard {

/// A file that is to be read.
struct JobFile {
  std::shared_ptr<const SourceText> text;
  std::vector<std::string> first;  // fields of its first line
  JobReading reading;

  /// The name without folders.
  std::string base_name() const;
  /// A file beside this one.
  std::string beside(const std::string& name) const;
  /// Its first line has all of these columns.
  bool has(const std::vector<std::string>& columns) const;
};

struct JobImporter {
  JobFormat format{};  // the first: detect
  const char* name = "";
  const char* sentence = "";
  bool (*knows)(const JobFile& file) = nullptr;
  JobList (*read)(const JobFile& file) = nullptr;
};

/// A format's answers; its name and sentence are in the registry.
struct JobImporterParts {
  bool (*knows)(const JobFile& file);
  JobList (*read)(const JobFile& file);
};

#define TRAINYARD_JOB_FORMAT(name, sentence) JobImporterParts name##_importer();
#include "trainyard/registries/job_formats.def"

/// All of trainyard/registries/job_formats.def, in its order.
const std::vector<JobImporter>& job_importers();

}  // namespace trainyard
