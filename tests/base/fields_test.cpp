#include "base/fields.h"

#include <gtest/gtest.h>

#include "trainyard/nearest.h"

namespace trainyard {

enum class Colour { red, green };

template <>
struct Choices<Colour> {
  static constexpr Choice<Colour> kAll[] = {{Colour::red, "red", "like a rose"},
                                            {Colour::green, "green", "like grass"}};
};

namespace {

struct Sample {
  std::int64_t count = 3;
  double share = 0.5;
  BitRate rate{1e9};
  std::optional<std::int64_t> maybe;
  Colour colour = Colour::red;
};

const FieldTable<Sample>& fields() {
  static const FieldTable<Sample> table = {
      field("count", &Sample::count, between(1, 10), "How many."),
      field("share", &Sample::share, trainyard::share(), "Which part."),
      field("rate", &Sample::rate, positive(), "How fast."),
      field("maybe", &Sample::maybe, between(1, 10), "Perhaps.").otherwise("chosen"),
      field("colour", &Sample::colour, "Which colour."),
  };
  return table;
}

struct Outcome {
  Sample sample;
  std::vector<Finding> findings;
};

Outcome read(const std::string& content) {
  Outcome out;
  Findings findings;
  const auto source = std::make_shared<const SourceText>(SourceText{"sample.toml", content});
  read_fields(out.sample, parse_document(source), fields(), "", findings);
  try {
    findings.throw_if_any();
  } catch (const InputError& error) {
    out.findings = error.findings();
  }
  return out;
}

TEST(Fields, KeepDefaultsWhereNothingIsSaid) {
  const Outcome out = read("");
  EXPECT_EQ(out.sample.count, 3);
  EXPECT_EQ(out.sample.rate.si(), 1e9);
}

TEST(Fields, ReadEveryKind) {
  const Outcome out = read("count = 7\nshare = 1\nrate = \"2 Gbps\"\nmaybe = 4\ncolour = \"green\"\n");
  ASSERT_TRUE(out.findings.empty());
  EXPECT_EQ(out.sample.count, 7);
  EXPECT_EQ(out.sample.share, 1.0);
  EXPECT_EQ(out.sample.rate.si(), 2e9);
  EXPECT_EQ(out.sample.maybe, 4);
  EXPECT_EQ(out.sample.colour, Colour::green);
}

TEST(Fields, AutoGivesAnOptionalBack) { EXPECT_FALSE(read("maybe = \"auto\"").sample.maybe.has_value()); }

TEST(Fields, ReportEverythingAtOnce) {
  const Outcome out = read("count = 11\nshar = 1\nrate = 5\ncolour = \"gren\"\nshare = 0\n");
  ASSERT_EQ(out.findings.size(), 5u);
  EXPECT_NE(out.findings[0].help.find("1 to 10"), std::string::npos);
  EXPECT_EQ(out.findings[1].help, "did you mean 'share'?");
  EXPECT_NE(out.findings[2].message.find("takes a bit rate"), std::string::npos);
  EXPECT_EQ(out.findings[3].help, "did you mean 'green'?");
  EXPECT_NE(out.findings[4].help.find("more than 0"), std::string::npos);
}

TEST(Fields, RefuseNumbersThatAreNone) {
  for (const char* bad : {"share = nan", "share = inf", "share = -0.1", "count = 2.5", "count = true",
                          "count = 1e300", "maybe = 0"}) {
    EXPECT_EQ(read(bad).findings.size(), 1u) << bad;
  }
  for (const char* bad : {"share = nan", "share = inf", "share = \"half\""})
    EXPECT_EQ(read(bad).findings[0].help, "allowed: more than 0, at most 1") << bad;
}

TEST(Fields, SayWhichWholeNumbersAreAllowed) {
  for (const auto& [text, message] :
       {std::pair("count = 1e30", "'count' is 1e+30"),
        std::pair("count = 9223372036854775807", "'count' is 9.22"),
        std::pair("count = inf", "'count' is inf"),
        std::pair("count = 2.5", "'count' takes a whole number, and 2.5 is none"),
        std::pair("count = true", "'count' takes a whole number, not"),
        std::pair("count = nan", "'count' takes a whole number, and nan is none")}) {
    const Outcome out = read(text);
    ASSERT_EQ(out.findings.size(), 1u) << text;
    EXPECT_NE(out.findings[0].message.find(message), std::string::npos) << out.findings[0].message;
    EXPECT_EQ(out.findings[0].help, "allowed: 1 to 10") << text;
  }
}

TEST(Fields, DescribeThemselves) {
  const auto infos = field_infos(fields());
  EXPECT_EQ(infos[0].default_text, "3");
  EXPECT_EQ(infos[0].allowed, "1 to 10");
  EXPECT_EQ(infos[3].default_text, "chosen");
  EXPECT_EQ(infos[4].choices, (std::vector<std::string>{"red", "green"}));
}

TEST(Describe, PrintsAsACompilerWould) {
  const Outcome out = read("count = 99");
  const std::string text = describe(out.findings);
  EXPECT_NE(text.find("sample.toml:1:9: error: 'count' is 99"), std::string::npos) << text;
  EXPECT_NE(text.find("count = 99\n        |         ^"), std::string::npos) << text;
}

TEST(Nearest, FindsTyposAndNothingElse) {
  EXPECT_EQ(nearest("tensr", {"tensor", "pipeline"}), "tensor");
  EXPECT_EQ(nearest("pieplnie", {"tensor", "pipeline"}), "pipeline");
  EXPECT_EQ(nearest("zzz", {"tensor", "pipeline"}), "");
}

}  // namespace
}  // namespace trainyard
