#include "catalog/catalog.h"
#include "catalog/entry_fields.h"

namespace trainyard {

const FieldTable<Assumption>& assumed_setting_fields() {
  using A = Assumption;
  static const FieldTable<A> table = with_entry_fields<A>({
      field("setting", &A::setting, "Setting of a scenario: section.key.").required(),
      field("low", &A::low, "Its value at one end of what is plausible.").required(),
      field("high", &A::high, "Its value at the other end.").required(),
  });
  return table;
}

}  // namespace trainyard
