// reproduce: figures and rows.
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, ReproduceDrawsTheFigures) {
  const Ran ran = run("reproduce hotnets24 --fig6 " + path("fig6.svg"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(read_all(path("fig6.svg")).find("DCTCP"), std::string::npos);
}

TEST_F(Cli, ReproduceCountsItsRows) {
  const Ran ran = run("reproduce all");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("0 differ"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace trainyard
