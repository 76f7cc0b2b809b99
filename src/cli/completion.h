// Scripts with which shells complete the words of a command line.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct Command;

std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);
std::string fish_completion(const std::vector<Command>& commands);

}  // namespace trainyard
