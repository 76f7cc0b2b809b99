// Facts about measured runs that a row leaves blank: from authors' scripts and papers, and by kind of source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "step/measured_runs.h"

namespace trainyard {

/// What a row of data/run_defaults.csv states for a run.
struct PublishedDefaults {
  std::optional<std::int64_t> microbatch;
  std::optional<std::int64_t> microbatches_per_stage;
  std::optional<std::int64_t> layers_per_virtual_stage;
};

/// The first row whose source is part of the run's, capitals aside, and whose layers and hidden size are the
/// run's where it names them; nothing when there is none.
PublishedDefaults published_defaults(std::string_view source, const ModelShape& shape);

/// Which program a source measured, and the attention kernel of its time.
struct SourceKind {
  std::string_view part_of_source;  // in lower case
  RunFramework framework = RunFramework::megatron;
  Attention attention = Attention::flash;
};

/// The kind whose text is part of the source; when there is none, Megatron-LM, with a flash kernel unless the
/// source names a year up to 2022.
SourceKind kind_of_source(std::string_view source);

/// The catalog's key for an accelerator as a row writes it: the key or the name, capitals and marks aside,
/// with or without maker, board and memory ("NVIDIA H100 80GB SXM5" is "h100-sxm"); "" when there is none.
std::string accelerator_key(std::string_view name, const Catalog& catalog);

/// Everything that accelerator_key accepts.
std::vector<std::string> accelerator_names(const Catalog& catalog);

/// The catalog's model whose key or name is the text before a comma, capitals and marks
/// aside; null when there is none.
const ModelShape* known_model(std::string_view name, const Catalog& catalog);

}  // namespace trainyard
