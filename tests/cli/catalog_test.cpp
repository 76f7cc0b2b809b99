// catalog: entries of the user's own.
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, ACatalogFolderAddsEntries) {
  const std::string folder = path("mine");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/more.toml")
      << "[accelerators.h100-big]\nbased_on = \"h100-sxm\"\nmemory = \"160 GB\"\n"
         "source = \"a wish\"\n";
  const Ran ran = run("catalog show h100-big --catalog " + folder);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("160"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace trainyard
