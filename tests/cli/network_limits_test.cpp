// network: how large, and what is said before more is begun.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

class NetworkLimits : public Cli {
 protected:
  std::string network(const std::string& devices, const std::string& design) const {
    return "network " +
           file("network.toml",
                "title = \"network\"\n[facility]\ndevices = " + devices +
                    "\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[[design]]\nname "
                    "= \"d\"\nprices = \"railonly23\"\n" +
                    design);
  }
  std::string tree(const std::string& devices) const {
    return network(devices, "topology = \"fat_tree\"\nradix = 64\n");
  }
};

TEST_F(NetworkLimits, ABillionDevicesAreCountedWithoutAList) {
  const Ran ran = run(tree("1000000000") + " --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out).at("designs").at(0).at("hosts"), 1'000'000'000);
  expect_refused(tree("1000000000") + " --traffic permutation", {"1000000000 hosts are too many"});
}

TEST_F(NetworkLimits, CablesAreCountedBeforeTheyAreListed) {
  expect_refused(tree("10000000") + " --cables " + path("cables.csv"),
                 {"a list of 50000000 cables is longer than the 20000000"});
  EXPECT_FALSE(std::filesystem::exists(path("cables.csv")));
}

// 65,536 hosts have 4e9 pairs; by symmetry one host's stand for them.
TEST_F(NetworkLimits, PairsAreCountedBeforeTheyAreFollowed) {
  EXPECT_EQ(run(tree("65536") + " --traffic all_to_all").status, 0);
  const std::string torus = network("1000000", "topology = \"torus\"\ndimensions = [100, 100, 100]\n");
  expect_refused(torus + " --traffic all_to_all --routing minimal",
                 {"1e+12 pairs of hosts", "steps, more than"});
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Each of 4,096 switches, or hosts of a torus, exchanges something with each other one: 16.8 million pairs,
// which took 270 MB by way of all, and 1 GB all to all.
TEST_F(NetworkLimits, PairsOfSwitchesTakeNoMemory) {
  const std::string leaves =
      network("4096", "topology = \"dragonfly_plus\"\nradix = 64\nhosts_per_switch = 1\n");
  const std::string program = "ulimit -v 250000; \"" TRAINYARD_PROGRAM "\" ";
  const std::string to = " >" + path("out") + " 2>" + path("err") + " </dev/null";
  EXPECT_EQ(std::system((program + leaves + " --traffic incast --routing valiant" + to).c_str()), 0)
      << read_all(path("err"));
  const std::string torus = network("4096", "topology = \"torus\"\ndimensions = [16, 16, 16]\n");
  EXPECT_EQ(std::system((program + torus + " --traffic all_to_all" + to).c_str()), 0)
      << read_all(path("err"));
}
#endif

// One flow, but by way of each of a million hosts.
TEST_F(NetworkLimits, WaysByEverySwitchAreCountedBeforeTheyAreFollowed) {
  const std::string torus = network("1000000", "topology = \"torus\"\ndimensions = [100, 100, 100]\n");
  const std::string flow = file("flow.csv", "from,to,bytes\n0,500000,1000\n");
  EXPECT_EQ(run(torus + " --traffic " + flow + " --routing minimal").status, 0);
  expect_refused(torus + " --traffic " + flow + " --routing valiant",
                 {"by way of each of", "steps, more than"});
}

TEST_F(NetworkLimits, BytesThatNoNumberHoldsAreRefused) {
  expect_refused(tree("64") + " --traffic all_to_all --bytes '1e308 B'",
                 {"the bytes of all hosts are too many to be summed"});
  expect_refused("network topologies --traffic all_to_all --bytes '1e308 B'",
                 {"the bytes of all hosts are too many to be summed"});
}

}  // namespace
}  // namespace trainyard
