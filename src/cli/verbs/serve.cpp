// serve: the page to explore with.
#include "serve/serve.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/printable.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

constexpr unsigned kUsualPort = 8484;
constexpr unsigned kMostPort = 65535;
constexpr unsigned kMostWorkers = 256;

struct ServeWords {
  unsigned port = kUsualPort;
  std::string listen = "127.0.0.1";
  std::string folder;
  unsigned workers = 0;  // 0: one for each thread of the processor, at least two
  std::string memory = "4 GB";
  std::string time = "10 min";
  bool check = false;
};

void declare_serve(Flags& flags, ServeWords& words) {
  flags.option("--port", words.port, "where it listens (8484); 0: a free one").within(0, kMostPort);
  flags
      .option("--listen", words.listen,
              "address of this machine (127.0.0.1: others cannot reach it); what passes is not encrypted")
      .called("ADDRESS");
  flags
      .option("--folder", words.folder,
              "folder whose files scenarios may name, such as a grid's (default: no files at all)")
      .called("DIR");
  flags.option("--workers", words.workers, "questions that are answered at a time (default: threads here)")
      .within(1, kMostWorkers);
  flags.option("--memory", words.memory, "of one question (4 GB)").called("SIZE");
  flags.option("--time", words.time, "of one question (10 min)").called("TIME");
  flags.flag("--check", words.check, "see whether it could serve, and end");
}

/// Of a flag, from the least that is of use.
double quantity_of(const char* flag, const std::string& text, Unit unit, double least, double most) {
  const ParsedQuantity parsed = parse_quantity(text, unit);
  const std::string what = std::string(flag) + " " + text;
  if (!parsed.error.empty()) fail_input(whole(what), parsed.error);
  if (parsed.si < least || parsed.si > most) {
    fail_input(whole(what), "is out of range",
               "allowed: " + format_quantity(least, unit) + " to " + format_quantity(most, unit));
  }
  return parsed.si;
}

ServeOptions options_of(const ServeWords& words) {
  constexpr double kLeastMemory = 1e9;
  constexpr double kMostMemory = 1e15;
  constexpr double kLeastTime = 1;
  constexpr double kMostTime = 30 * 86400;
  ServeOptions out;
  out.address = words.listen;
  out.port = static_cast<std::uint16_t>(words.port);
  out.folder = words.folder;
  out.workers = words.workers > 0 ? words.workers : std::max(2U, std::thread::hardware_concurrency());
  out.memory = Bytes(quantity_of("--memory", words.memory, Unit::bytes, kLeastMemory, kMostMemory));
  out.time = Seconds(quantity_of("--time", words.time, Unit::seconds, kLeastTime, kMostTime));
  out.once = words.check;
  return out;
}

std::string run_serve(const ServeWords& words) {
  if (!has_page()) {
    std::fputs(
        "trainyard: warning: built without the page; /api/ alone is served (Node.js with npm, then "
        "`tools/bootstrap build web` and `make build`, make a program that has it)\n",
        stderr);
  }
  serve(options_of(words), [&](const std::string& url) {
    std::printf("Trainyard is at %s\n", printable(url).c_str());
    if (!words.check)
      std::fputs("The address holds the token that questions need. Ctrl-C ends it.\n", stderr);
    std::fflush(stdout);
  });
  return words.check ? "It can serve.\n" : "Ended.\n";
}

}  // namespace

Verb serve_verb() {
  return make_verb("serve", "a page to explore with: edit, compare, search and simulate in a browser",
                   declare_serve, run_serve);
}

}  // namespace trainyard
