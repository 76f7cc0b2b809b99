// The page to explore with, on a local address: an HTTP server that holds no modelling. Each question is
// answered by a process of its own, with limits (confinement.h), which ends with the connection that asked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

struct ServeOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: a free one
  std::string folder;      // the only files that a scenario may name; empty: none
  unsigned workers = 2;    // questions that are answered at a time
  Bytes memory{4e9};       // of the process that answers one
  Seconds time{600};       // of an answer, on the wall
  bool once = false;       // only see whether it could serve
};

/// Whether this build holds the page (web/); without it, only the interface for programs is served.
bool has_page();

/// Serves until SIGINT, SIGTERM or SIGHUP. `started` is told the address with its token. Throws InputError
/// for an address, port or folder that cannot be used.
void serve(const ServeOptions& options, const std::function<void(const std::string& url)>& started);

}  // namespace trainyard
