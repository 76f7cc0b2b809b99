// Who may ask: names of hosts, origins and the token (docs: SECURITY.md, "The page").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard::serving {

/// What of a request's head decides.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::string_view host;
  std::string_view origin;  // empty: none
  std::string_view token;   // x-trainyard-token
  std::string_view type;    // content-type
};

/// Why a request is refused: status 0 is not.
struct Refusal {
  unsigned status = 0;
  std::string why;
};

class Door {
 public:
  Door(std::string address, std::uint16_t port, std::string token);

  /// Whether a request may go on. Host has to be a name of this server, so that no foreign name that resolves
  /// to it (DNS rebinding) reaches anything; Origin, where there is one, the page's own; and below /api/ the
  /// token has to be right, which no other page and no other user knows.
  Refusal judge(const RequestHead& head) const;

  std::string url() const;

 private:
  bool knows(std::string_view host) const;

  std::string address_;
  std::uint16_t port_;
  std::string token_;
};

/// 128 bits of the system's generator, in hexadecimal.
std::string new_token();

/// In a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace trainyard::serving
