#include "cli/verbs.h"

#include <algorithm>

namespace trainyard {

// One line for each verb, in the order of --help: VERB(name) is what `Verb name_verb()` of verbs/name.cpp
// makes.
#define TRAINYARD_VERBS \
  VERB(plan)            \
  VERB(sweep)           \
  VERB(scaling)         \
  VERB(rail)            \
  VERB(traffic)         \
  VERB(wide_area)       \
  VERB(network)         \
  VERB(simulate)        \
  VERB(step)            \
  VERB(collective)      \
  VERB(goodput)         \
  VERB(circuits)        \
  VERB(schedule)        \
  VERB(operate)         \
  VERB(years)           \
  VERB(search)          \
  VERB(results)         \
  VERB(site)            \
  VERB(reproduce)       \
  VERB(validate)        \
  VERB(import_grid)     \
  VERB(serve)           \
  VERB(catalog)         \
  VERB(describe)        \
  VERB(schema)          \
  VERB(scenarios)       \
  VERB(example)         \
  VERB(new)             \
  VERB(completion)      \
  VERB(manual)          \
  VERB(help)

// A program of some verbs alone has no others to name.
#ifdef TRAINYARD_SOME_VERBS
#define TRAINYARD_VERB [[gnu::weak]] Verb
#else
#define TRAINYARD_VERB Verb
#endif

#define VERB(name) TRAINYARD_VERB name##_verb();
TRAINYARD_VERBS
#undef VERB

namespace {

struct Row {
  const char* name;
  Verb (*make)();  // nullptr: this program is built without
};

std::vector<Row> rows() {
#define VERB(name) {#name, name##_verb},
  return {TRAINYARD_VERBS};
#undef VERB
}

}  // namespace

std::vector<Verb> verbs() {
  std::vector<Verb> out;
  for (const Row& row : rows()) {
    if (row.make) out.push_back(row.make());
  }
  return out;
}

bool is_built_without(const std::string& verb) {
  std::string name = verb;
  std::replace(name.begin(), name.end(), '-', '_');
  const auto all = rows();
  return std::any_of(all.begin(), all.end(), [&](const Row& row) { return row.name == name && !row.make; });
}

}  // namespace trainyard
