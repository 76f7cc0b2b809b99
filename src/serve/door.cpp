#include "serve/door.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "serve/status.h"

namespace trainyard::serving {
namespace {

bool is_any(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

bool is_number(std::string_view host) {
  return host.starts_with("[") || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// As it stands in a URL.
std::string in_url(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

}  // namespace

Door::Door(std::string address, std::uint16_t port, std::string token)
    : address_(std::move(address)), port_(port), token_(std::move(token)) {}

std::string Door::url() const {
  const std::string host = is_any(address_) ? "localhost" : in_url(address_);
  return "http://" + host + ":" + std::to_string(port_) + "/#token=" + token_;
}

bool Door::knows(std::string_view host) const {
  const std::string end = ":" + std::to_string(port_);
  if (!host.ends_with(end)) return false;
  host.remove_suffix(end.size());
  return host == in_url(address_) || host == "localhost" || (is_any(address_) && is_number(host));
}

Refusal Door::judge(const RequestHead& head) const {
  if (!knows(head.host)) return {kMisdirected, "this server has another name than the request's Host"};
  if (!head.origin.empty() && head.origin != "http://" + std::string(head.host))
    return {kForbidden, "a page of another origin asks"};
  if (head.method != "GET" && head.method != "POST") return {kNoMethod, "allowed: GET and POST"};
  const bool is_api = head.target.starts_with("/api/");
  if (head.method == "POST" && !is_api) return {kNoMethod, "allowed here: GET"};
  if (!is_api) return {};
  if (!same_secret(head.token, token_))
    return {kForbidden, "the token is missing or wrong: open the address that the program printed"};
  if (head.method == "POST" && head.type != "application/json")
    return {kNoSuchType, "a question is application/json"};
  return {};
}

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t got = getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got > 0) have += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  constexpr const char* kDigits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    differs |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return differs == 0;
}

}  // namespace trainyard::serving
