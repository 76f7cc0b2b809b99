// The text that nccl-tests prints, as rows of a collective.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trainyard/operator_table.h"

namespace trainyard {

struct Catalog;
struct SourceText;

/// Whether a text begins as nccl-tests does: with a comment line.
bool is_nccl_text(std::string_view text);

/// Out-of-place times of the table. Ranks come from the lines "#  Rank  0 ...", the system from the device's
/// name and the catalog's `devices`, else from the name itself; the operation from "Collective test
/// starting", the file's name, or what tells it: redop and busbw over algbw. Throws InputError.
OperatorTable read_nccl_text(std::shared_ptr<const SourceText> source, const Catalog& catalog);

}  // namespace trainyard
