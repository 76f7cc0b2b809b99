// describe: what a scenario may say.
#include "cli/offers.h"
#include "cli/table_format.h"
#include "cli/verb.h"

namespace trainyard {
namespace {

struct DescribeOptions {
  std::string what;  // section or section.key; empty: all
  Format format = Format::text;
};

void declare_describe(Flags& flags, DescribeOptions& options) {
  flags.option("what", options.what, "a section, or section.key").offers(setting_topics);
  flags.formats(options.format);
}

std::string run_describe(const DescribeOptions& options) {
  const TextTable settings = settings_table(options.what);
  return options.format == Format::text ? settings_text(settings) : in_format(settings, options.format);
}

}  // namespace

Verb describe_verb() {
  return make_verb("describe", "what a scenario may say", declare_describe, run_describe);
}

}  // namespace trainyard
