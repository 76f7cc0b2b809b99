// The formats of lists of jobs by name.
#pragma once

namespace trainyard {

/// Who wrote a file; `detect`: known by its first line.
enum class JobFormat {
  detect,
#define TRAINYARD_JOB_FORMAT(name, sentence) name,
#include "trainyard/registries/job_formats.def"
};

}  // namespace trainyard
