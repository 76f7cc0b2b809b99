// Names in files of measured runs: which entry of the catalog a spelling means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct Catalog;
struct ModelShape;

/// The catalog's key for an accelerator as a row writes it: the key or the name, capitals and marks aside,
/// with or without maker, board and memory ("NVIDIA H100 80GB SXM5" is "h100-sxm"); "" when there is none.
std::string accelerator_key(std::string_view name, const Catalog& catalog);

/// Everything that accelerator_key accepts.
std::vector<std::string> accelerator_names(const Catalog& catalog);

/// The catalog's model whose key or name is the text before a comma, capitals and marks aside; null when
/// there is none.
const ModelShape* known_model(std::string_view name, const Catalog& catalog);

/// How the column `framework` is read: the first row whose text is in the cell, capitals and marks aside,
/// names the training program.
struct FrameworkSpelling {
  std::string_view text;
  std::string_view software;  // key of the catalog
  std::string_view why;
};
const std::vector<FrameworkSpelling>& framework_spellings();

/// Releases "YY.MM" of a program whose habits differ from its others'.
struct SoftwareRelease {
  std::string_view program;   // key of the catalog's software
  std::string_view from;      // the first
  std::string_view until;     // the last; empty: no end
  std::string_view software;  // key of what they are
};
const std::vector<SoftwareRelease>& software_releases();

/// The key for what a column `framework` says; "" where no spelling is in it.
std::string software_of_framework(std::string_view framework);

/// The spellings as a table in Markdown, as docs/validation.md holds it.
std::string framework_spellings_text();

}  // namespace trainyard
