#include "cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "trainyard/terminal_text.h"

namespace trainyard {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets one
  return value ? value : "";
}

bool wants_colour(bool is_terminal, Colour wish) {
  if (wish != Colour::automatic) return wish == Colour::always;
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view force = variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_terminal && variable("CLICOLOR") != "0" && variable("TERM") != "dumb" &&
         !variable("TERM").empty();
}

std::size_t columns_of(int file) {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): ioctl is made so
  if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kUsual;
}

}  // namespace

Screen screen_of(std::FILE* stream, Colour wish, bool relayed) {
  const int file = fileno(stream);
  const bool is_terminal = !relayed && isatty(file) == 1;
  return {is_terminal ? columns_of(file) : 0, wants_colour(is_terminal, wish)};
}

std::string on_screen(const Screen& screen, const std::string& text, bool is_file) {
  if (is_file) return text;
  std::string out = screen.columns > 0 ? fitted(text, screen.columns) : text;
  return screen.colour ? coloured(out) : out;
}

std::string findings_on_screen(const Screen& screen, const std::string& text) {
  std::string out = screen.columns > 0 ? fitted_findings(text, screen.columns) : text;
  return screen.colour ? coloured(out) : out;
}

void remark(const std::string& text) {
  const Screen screen = screen_of(stderr, Colour::never, false);
  std::fputs(findings_on_screen(screen, text).c_str(), stderr);
}

}  // namespace trainyard
