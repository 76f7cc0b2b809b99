#include "cli/verbs.h"

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

#define VERB(name) Verb name##_verb();
TRAINYARD_VERBS
#undef VERB

std::vector<Verb> verbs() {
#define VERB(name) name##_verb(),
  return {TRAINYARD_VERBS};
#undef VERB
}

}  // namespace trainyard
