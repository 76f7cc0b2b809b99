// circuits: rails of optical circuits, as a user asks for them.
#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, CircuitsAnswerForAStep) {
  const Ran ran = run("circuits llama3-circuits --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  const double electrical = json.at("electrical_step_s").get<double>();
  const auto& circuits = json.at("circuits");
  EXPECT_GE(circuits.at("step_at_once_s").get<double>(), electrical);
  EXPECT_GE(circuits.at("step_s").get<double>(), circuits.at("step_at_once_s").get<double>());
  EXPECT_NEAR(json.at("overhead").get<double>(), circuits.at("step_s").get<double>() / electrical - 1, 1e-12);
  EXPECT_EQ(json.at("networks").size(), 5U);
  // Whose price is that of all optics has some: two ends of each link of a rail above its leaves at least.
  for (const auto& network : json.at("networks"))
    EXPECT_GT(network.at("optical_ends").get<double>(), 0) << network;
  EXPECT_FALSE(json.at("timeline").empty());
}

TEST_F(Cli, CircuitsDrawTheirPorts) {
  const Ran ran = run("circuits llama3-circuits --report " + path("circuits.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string page = read_all(path("circuits.html"));
  EXPECT_NE(page.find("circuits change"), std::string::npos);
  // When: the axis of a step of 3.4 s.
  for (const char* at : {">0 s<", ">1.000 s<", ">3.000 s<"})
    EXPECT_NE(page.find(at), std::string::npos) << at;
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

TEST_F(Cli, CircuitsSayWhatIsWrong) {
  expect_refused("circuits llama3-circuits --set circuits.switch=calient",
                 {"circuits.switch", "calient-s320"});
  expect_refused("circuits llama3-circuits --set circuits.port=3", {"did you mean 'ports'?"});
  expect_refused("circuits llama3-circuits --set circuits.ports=0", {"circuits.ports"});
  expect_refused("circuits llama3-circuits --set circuits.transceiver=dac-400", {"no transceiver 'dac-400'"});
}

TEST_F(Cli, CircuitsThatDoNotFitAreAnAnswer) {
  for (const char* change : {"circuits.switch=palomar", "circuits.ports=1", "circuits.reconfigure=never",
                             "assumptions.exchange_between_domains=tree"}) {
    const Ran ran = run(std::string("circuits llama3-circuits --set ") + change);
    EXPECT_EQ(ran.status, 3) << change << ran.err;
    EXPECT_NE((ran.out + ran.err).find("it would hold"), std::string::npos) << change << ran.out << ran.err;
  }
}

TEST_F(Cli, CircuitsStandBesideWhatPapersSay) {
  const Ran ran = run("reproduce circuits");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NE(ran.out.find("tpu4.switches"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("not reproduced"), std::string::npos) << ran.out;
  for (const auto& row : nlohmann::json::parse(run("reproduce circuits --json").out)) {
    EXPECT_TRUE(row.at("published").is_number()) << row;
    EXPECT_EQ(row.at("computed").is_number(), row.at("holds").is_boolean()) << row;
  }
  expect_refused("reproduce circuits --quick", {"no simulations"});
  expect_refused("reproduce circuit", {"circuits"});
}

}  // namespace
}  // namespace trainyard
