// One setting of a scenario by itself.
#pragma once

#include <string>

#include "base/document.h"
#include "trainyard/errors.h"

namespace trainyard {

/// Adds findings where a section's setting has a value that its field does not take: of another type, without
/// its unit, beyond its range, no choice. `path` is the section's in messages ("design[1]"). What a value
/// contradicts elsewhere is not asked; a name that the section does not have is no finding here.
void check_setting(const std::string& section, const Member& setting, const std::string& path,
                   Findings& findings);

}  // namespace trainyard
