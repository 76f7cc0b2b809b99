// The program that `make demo` builds: `plan`, and a word about all other verbs.
#include "cli.h"

namespace trainyard {
namespace {

class PlanAlone : public Cli {
 protected:
  Ran run_alone(const std::string& arguments) const { return run_program(TRAINYARD_PLAN_PROGRAM, arguments); }
};

TEST_F(PlanAlone, PlansAndReportsAsTheWholeProgramDoes) {
  const std::string alone = path("alone.html");
  const std::string whole = path("whole.html");
  const Ran planned = run_alone("plan llama3-405b --report " + alone);
  const Ran expected = run("plan llama3-405b --report " + whole);
  EXPECT_EQ(planned.status, 0) << planned.err;
  EXPECT_EQ(planned.out, expected.out);
  EXPECT_EQ(read_all(alone), read_all(whole));
  EXPECT_GT(read_all(alone).size(), 10000U);
}

TEST_F(PlanAlone, NamesTheWholeProgramForOtherVerbs) {
  for (const std::string verb : {"simulate", "wide-area", "help"}) {
    const Ran ran = run_alone(verb + " llama3-405b");
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.err.find("`" + verb + "` is not in this program"), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("`make build` builds every verb"), std::string::npos) << ran.err;
  }
}

TEST_F(PlanAlone, KnowsWhatIsNoVerbAtAll) {
  const Ran ran = run_alone("plann");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("no verb 'plann'"), std::string::npos) << ran.err;
  EXPECT_EQ(run("simulat").err.find("make build"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
