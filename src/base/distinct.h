// Fields that list what is to be compared: a value that stands twice says nothing, and is a mistake.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace trainyard {

/// A field over a list in which every value stands once.
template <class R, class T>
Field<R> distinct_field(std::string name, std::vector<T> R::*member, Range range, std::string sentence) {
  Field<R> out = field(std::move(name), member, range, std::move(sentence));
  out.read = [member, inner = std::move(out.read)](R& record, const Value& value, const std::string& path,
                                                   Findings& findings) {
    if (!inner(record, value, path, findings)) return false;
    const std::vector<T>& values = record.*member;
    const Array& written = *value.as<Array>();  // as the values were read from it, one for each
    std::set<T> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (seen.insert(values[i]).second) continue;
      findings.add(written[i].where(), path + ": " + Codec<T>::text(values[i]) + " stands twice",
                   "once each");
      return false;
    }
    return true;
  };
  return out;
}

template <class R, class T>
Field<R> distinct_field(std::string name, std::vector<T> R::*member, std::string sentence) {
  return distinct_field(std::move(name), member, anything(), std::move(sentence));
}

}  // namespace trainyard
