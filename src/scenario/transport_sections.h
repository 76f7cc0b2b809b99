// The sections of the transports.
#pragma once

#include <string>
#include <vector>

#include "base/fields.h"
#include "trainyard/transports.h"

namespace trainyard {

/// Calls f(section, record, fields) for the parameters of every transport.
template <class Transports, class F>
void each_transport_section(Transports& t, const F& f) {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) f(#section, t.section, own_fields<Record>());
#include "trainyard/registries/transports.def"
}

/// The sections whose settings a transport uses; none for `ideal`.
std::vector<std::string> transport_sections(Transport transport);

}  // namespace trainyard
