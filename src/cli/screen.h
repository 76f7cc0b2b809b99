// Where answers are shown: how wide it is, and whether in colour.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace trainyard {

enum class Colour { automatic, always, never };

struct Screen {
  std::size_t columns = 0;  // 0: no terminal, lines of any length
  bool colour = false;
};

/// Of standard output or standard error. Without --color NO_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM decide
/// in this order (no-color.org, bixense.com/clicolors). `relayed`: a launcher reads the stream, whose
/// terminal says nothing of the user's.
Screen screen_of(std::FILE* stream, Colour wish, bool relayed);

/// The answer as this screen shows it; a file that is printed stays as it is.
std::string on_screen(const Screen& screen, const std::string& text, bool is_file);

/// What is wrong with an input, which may quote lines of it.
std::string findings_on_screen(const Screen& screen, const std::string& text);

/// Sentences beside the answer, to standard error.
void remark(const std::string& text);

}  // namespace trainyard
