// Who may ask: names of the host, origins, methods and the token.
#include "serve/door.h"

#include <gtest/gtest.h>

#include <set>

namespace trainyard::serving {
namespace {

constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

RequestHead question() {
  return {.method = "POST",
          .target = "/api/plan",
          .host = "127.0.0.1:8484",
          .origin = "http://127.0.0.1:8484",
          .token = kToken,
          .type = "application/json"};
}

Door door(const std::string& address = "127.0.0.1") { return {address, 8484, std::string(kToken)}; }

TEST(Door, LetsThePageAsk) {
  EXPECT_EQ(door().judge(question()).status, 0);
  RequestHead page;
  page.method = "GET";
  page.target = "/";
  page.host = "localhost:8484";
  EXPECT_EQ(door().judge(page).status, 0) << "the page itself needs no token";
}

TEST(Door, RefusesForeignNamesOfThisMachine) {
  for (const char* host : {"evil.example:8484", "evil.example", "127.0.0.1", "127.0.0.1:80", "", ":8484",
                           "127.0.0.1.evil.example:8484", "10.0.0.1:8484", "[::1]:8484"}) {
    RequestHead head = question();
    head.host = host;
    head.origin = {};
    EXPECT_EQ(door().judge(head).status, 421) << host;
  }
}

TEST(Door, OfAllAddressesTakesNumbersAndNoNames) {
  RequestHead head = question();
  head.origin = {};
  for (const char* host : {"10.0.0.1:8484", "localhost:8484", "[fe80::1]:8484"}) {
    head.host = host;
    EXPECT_EQ(door("0.0.0.0").judge(head).status, 0) << host;
  }
  head.host = "evil.example:8484";
  EXPECT_EQ(door("0.0.0.0").judge(head).status, 421);
}

TEST(Door, RefusesPagesOfOtherOrigins) {
  RequestHead head = question();
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8484", "http://127.0.0.1:1"}) {
    head.origin = origin;
    EXPECT_EQ(door().judge(head).status, 403) << origin;
  }
}

TEST(Door, WantsTheTokenOfEveryQuestionAndDocument) {
  for (const char* method : {"GET", "POST"}) {
    for (const char* token : {"", "0123456789abcdef0123456789abcdee", "0123456789abcdef"}) {
      RequestHead head = question();
      head.method = method;
      head.token = token;
      EXPECT_EQ(door().judge(head).status, 403) << method << token;
    }
  }
}

TEST(Door, KnowsTwoMethodsAndOneType) {
  RequestHead head = question();
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "TRACE", "get", ""}) {
    head.method = method;
    EXPECT_EQ(door().judge(head).status, 405) << method;
  }
  head = question();
  head.target = "/";
  EXPECT_EQ(door().judge(head).status, 405);
  head = question();
  head.type = "text/plain";  // what a form of another page could send without asking first
  EXPECT_EQ(door().judge(head).status, 415);
}

TEST(Door, SaysWhereItIs) {
  EXPECT_EQ(door().url(), "http://127.0.0.1:8484/#token=" + std::string(kToken));
  EXPECT_EQ(door("::1").url(), "http://[::1]:8484/#token=" + std::string(kToken));
  EXPECT_EQ(door("0.0.0.0").url(), "http://localhost:8484/#token=" + std::string(kToken));
}

TEST(Token, IsLongAndAlwaysAnother) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string token = new_token();
    EXPECT_EQ(token.size(), 32);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 1000);
}

TEST(Token, IsTheSameOrNot) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "a"));
}

}  // namespace
}  // namespace trainyard::serving
