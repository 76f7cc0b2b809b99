// Statuses of HTTP (RFC 9110) that the server answers with.
#pragma once

namespace trainyard::serving {

constexpr unsigned kOk = 200;
constexpr unsigned kBadRequest = 400;
constexpr unsigned kForbidden = 403;
constexpr unsigned kNotFound = 404;
constexpr unsigned kNoMethod = 405;
constexpr unsigned kTooLarge = 413;
constexpr unsigned kNoSuchType = 415;
constexpr unsigned kMisdirected = 421;
constexpr unsigned kHeadTooLarge = 431;
constexpr unsigned kBusy = 503;
constexpr unsigned kWrongVersion = 505;

}  // namespace trainyard::serving
