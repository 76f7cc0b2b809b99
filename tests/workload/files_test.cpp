// Files of flows and of topologies: what they mean, that each mistake is named at its place, and that htsim's
// own files build the networks that htsim builds.
#include <fmt/core.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <sstream>

#include "base/errors.h"
#include "network/packet/cases.h"
#include "network/packet/transports/ndp.h"
#include "network/wiring/topology_file.h"
#include "network/wiring/wired_back.h"
#include "trainyard/scenario.h"
#include "workload/flow_files.h"

namespace trainyard::workload {
namespace {

using namespace wiring;  // NOLINT(google-build-using-namespace)
using namespace packet;  // NOLINT(google-build-using-namespace)

std::shared_ptr<const SourceText> source(const std::string& text) {
  return std::make_shared<const SourceText>(SourceText{"my.file", text});
}

Workload flow_file(const std::string& text, std::int64_t hosts = 8) {
  return read_flow_file(source(text), hosts);
}
Workload matrix(const std::string& text, std::int64_t hosts = 8) {
  return read_connection_matrix(source(text), hosts);
}
TopologyFile topology(const std::string& text) { return read_topology_file(source(text)); }

/// "line:column: message (help)" of the error, or "none".
std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    const Finding& f = error.findings().front();
    EXPECT_EQ(f.where.source->name, "my.file");
    return fmt::format("{}:{}: {} ({})", f.where.line, f.where.column, f.message, f.help);
  }
  return "none";
}
std::string flow_error(const std::string& text, std::int64_t hosts = 8) {
  return error_of([&] { flow_file(text, hosts); });
}
std::string matrix_error(const std::string& text, std::int64_t hosts = 8) {
  return error_of([&] { matrix(text, hosts); });
}
std::string topology_error(const std::string& text) {
  return error_of([&] { topology(text); });
}

std::string shown(const Workload& w) {
  std::string out;
  for (const Flow& f : w.flows) out += fmt::format("{}->{} {} at {}\n", f.from, f.to, f.bytes, f.start);
  for (const Dependency& d : w.dependencies)
    out += fmt::format("{} {} {}\n", d.after, d.on_receipt ? "after" : "after_sent", d.before);
  for (const Connection& messages : w.connections)
    out += fmt::format("{} on one connection\n", fmt::join(messages, ", "));
  return out;
}

// ---- our own flow files

TEST(FlowFile, NamesConnectionsOfSeveralMessages) {
  EXPECT_EQ(shown(flow_file("from,to,bytes,start_s,connection\n"
                            "0,1,10,0,b\n0,1,20,0,a\n0,1,30,0,b\n0,1,40,0,\n0,1,50,0,b\n")),
            "0->1 10 at 0\n0->1 20 at 0\n0->1 30 at 0\n0->1 40 at 0\n0->1 50 at 0\n"
            "0, 2, 4 on one connection\n");
  EXPECT_EQ(
      flow_error("from,to,bytes,start_s,connection\n0,1,10,0,b\n0,2,20,0,b\n"),
      "3:10: a message from host 0 to 2 on a connection from host 0 to 1 (messages of a connection have "
      "the same ends)");
  // A message waits for those before it: the first cannot wait for the second.
  EXPECT_EQ(flow_error("from,to,bytes,start_s,connection,id,after\n0,1,10,0,b,x,y\n0,1,20,0,b,y,\n"),
            "2:1: 2 flows wait for each other in a circle, or for one that does (flow 0 (line 2) waits for "
            "flow 1 (line 3) waits for flow 0 (line 2))");
}

TEST(FlowFile, HoldsFlowsInTheOrderOfLines) {
  EXPECT_EQ(shown(flow_file("from,to,bytes,start_s\n0,1,1000,0\n7,0,1,1.5e-6\n")),
            "0->1 1000 at 0\n7->0 1 at 1500000\n");
}

TEST(FlowFile, ColumnsStandInAnyOrderAmongCommentsBlanksAndQuotes) {
  const std::string text =
      "\xEF\xBB\xBF# flows of a test\r\n\r\nbytes, start_s ,\"to\",from,id\r\n2e6,0.25,1, 0 ,a\r\n  \r\n"
      "# the other\r\n\"5\",0,2,1,\"b\"";
  EXPECT_EQ(shown(flow_file(text)), "0->1 2000000 at 250000000000\n1->2 5 at 0\n");
}

TEST(FlowFile, ChoosesPathsWhereFlowsHaveOne) {
  const std::string text = "from,to,bytes,start_s,path,path_back\n0,1,1,0,3,\n1,0,1,0,,0\n";
  const Workload w = read_flow_file(source(text), 64, kMostFlowsOfFile, 4);
  EXPECT_EQ(w.flows[0].path, 3);
  EXPECT_EQ(w.flows[0].path_back, Flow::kPathOfHash);
  EXPECT_EQ(w.flows[1].path, Flow::kPathOfHash);
  EXPECT_EQ(w.flows[1].path_back, 0);
  EXPECT_EQ(
      flow_error(text),
      "2:9: a path for a flow, but none are chosen flow by flow (packets over a network of two tiers or "
      "more, simulation.load_balancing = \"ecmp\")");
  EXPECT_THROW(read_flow_file(source(text), 64, kMostFlowsOfFile, 3), InputError);
}

TEST(FlowFile, FlowsWaitForReceiptOrForTheSender) {
  const std::string text =
      "id,from,to,bytes,start_s,after,after_sent\n"
      "late,0,1,10,1e-6,b; a c,\n"
      "a,0,1,10,0,,\n"
      "b,1,2,10,0,,a;c\n"
      "c,2,3,10,0,,\n";
  EXPECT_EQ(shown(flow_file(text)),
            "0->1 10 at 1000000\n0->1 10 at 0\n1->2 10 at 0\n2->3 10 at 0\n"
            "0 after 2\n0 after 1\n0 after 3\n2 after_sent 1\n2 after_sent 3\n");
}

TEST(FlowFile, NamesWhatIsWrongInItsHeader) {
  EXPECT_EQ(flow_error(""), "1:1: no header line (the first line names the columns: from,to,bytes,start_s)");
  EXPECT_EQ(flow_error("# only this\n"),
            "2:1: no header line (the first line names the columns: from,to,bytes,start_s)");
  EXPECT_EQ(flow_error("from,to,bytes,strat_s\n"), "1:15: no column 'strat_s' (did you mean 'start_s'?)");
  EXPECT_EQ(flow_error("from,to,bytes,start_s,to\n"), "1:23: column 'to' again (name it once)");
  EXPECT_EQ(flow_error("\nfrom,to,bytes\n"),
            "2:1: column 'start_s' is missing (the first line names the columns: from,to,bytes,start_s)");
  EXPECT_EQ(flow_error("from,to,bytes,start_s,after\n"),
            "1:1: column 'id' is missing (flows that wait for others name them by their ids)");
}

std::string row_error(const std::string& rows) {
  return flow_error("from,to,bytes,start_s,id,after\n" + rows);
}

TEST(FlowFile, NamesWhatIsWrongInARow) {
  EXPECT_EQ(row_error(""), "0:0: no flows (a line for each flow)");
  EXPECT_EQ(row_error("0,1,5,0\n"),
            "2:1: 4 fields under 6 columns (a field for each column, empty where there is nothing to say)");
  EXPECT_EQ(row_error("0,1,5,0,a,\n0,8,5,0,b,\n"),
            "3:3: '8' is no host of this network (allowed: a whole number from 0 to 7)");
  EXPECT_EQ(row_error("-1,1,5,0,a,\n"),
            "2:1: '-1' is no host of this network (allowed: a whole number from 0 to 7)");
  EXPECT_EQ(row_error("1.5,1,5,0,a,\n"),
            "2:1: '1.5' is no host of this network (allowed: a whole number from 0 to 7)");
  EXPECT_EQ(row_error(",1,5,0,a,\n"),
            "2:1: '' is no host of this network (allowed: a whole number from 0 to 7)");
  EXPECT_EQ(row_error("3,3,5,0,a,\n"), "2:1: a flow from host 3 to itself (name two hosts)");
  for (const std::string bytes : {"0", "-5", "0.5", "nan", "inf", "1e300", "1e999", "12x", "", "0x10", "1 2"})
    EXPECT_EQ(
        row_error("0,1," + bytes + ",0,a,\n"),
        "2:5: '" + bytes + "' is no number of bytes (allowed: a whole number from 1 to 280000000000000)");
  for (const std::string start : {"-1e-9", "nan", "inf", "1e7", "soon", ""})
    EXPECT_EQ(row_error("0,1,5," + start + ",a,\n"),
              "2:7: '" + start + "' is no start in seconds (allowed: a number from 0 to 1000000)");
  EXPECT_EQ(row_error("0,1,5,0,a b,\n"), "2:9: 'a b' is no id (one name without blanks and semicolons)");
  EXPECT_EQ(row_error("0,1,5,0,;,\n"), "2:9: ';' is no id (one name without blanks and semicolons)");
  EXPECT_EQ(row_error("0,1,5,0,\"a,\n"), "2:9: a quote that does not end on this line (\"like this\")");
  EXPECT_EQ(row_error("0,1,5,0,\"a\"b,\n"),
            "2:12: text after a quote (names of flows have no quotes in them)");
}

TEST(FlowFile, NamesFlowsThatCannotBeWaitedFor) {
  EXPECT_EQ(row_error("0,1,5,0,a,\n0,1,5,0,b,\n0,1,5,0,a,\n"), "4:9: id 'a' again (line 2 has it)");
  EXPECT_EQ(row_error("0,1,5,0,alpha,\n0,1,5,0,b,alpah\n"),
            "3:11: no flow has the id 'alpah' (did you mean 'alpha'?)");
  EXPECT_EQ(row_error("0,1,5,0,,x\n"), "2:10: no flow has the id 'x' (no flow has an id)");
  EXPECT_EQ(row_error("0,1,5,0,a,a\n"), "2:11: a flow that waits for itself (it would never begin)");
  EXPECT_EQ(row_error("0,1,5,0,a,b\n0,1,5,0,b,a\n0,1,5,0,c,\n"),
            "2:1: 2 flows wait for each other in a circle, or for one that does (flow 0 (line 2) waits for "
            "flow 1 (line 3) waits for flow 0 (line 2))");
}

TEST(FlowFile, HasNoMoreFlowsThanCanBeSimulated) {
  const auto text = source("from,to,bytes,start_s\n0,1,1,0\n0,1,1,0\n0,1,1,0\n");
  EXPECT_EQ(read_flow_file(text, 2, 3).flows.size(), 3U);
  EXPECT_EQ(error_of([&] { read_flow_file(text, 2, 2); }), "4:1: too many flows (at most 2 are simulated)");
}

TEST(FlowFile, ANetworkWithoutHostsHasNoFlows) {
  EXPECT_NE(flow_error("from,to,bytes,start_s\n0,1,1,0\n", 0), "none");
  EXPECT_NE(flow_error("from,to,bytes,start_s\n0,1,1,0\n", 1), "none");
}

// ---- htsim's connection matrices

TEST(ConnectionMatrix, SaysTheSameAsAFlowFile) {
  const Workload a = matrix(
      "Nodes 8\nConnections 5\nTriggers 3\n"
      "0->1 id 1 start 0 size 2000000 send_done_trigger 1\n"
      "1->2 id 2 trigger 1 size 1000 recv_done_trigger 2\n"
      "2->3 id 3 start 1500000 size 1 recv_done_trigger 2 prio 3\n"
      "3->4 id 4 trigger 2 size 7 send_done_trigger 3\n"
      "4->5 id 5 trigger 3 size 8\n"
      "trigger id 1 oneshot\ntrigger id 2 barrier count 2\ntrigger id 3 multishot\n");
  const Workload b = flow_file(
      "from,to,bytes,start_s,id,after,after_sent\n"
      "0,1,2000000,0,1,,\n1,2,1000,0,2,,1\n2,3,1,1.5e-6,3,,\n3,4,7,0,4,2 3,\n4,5,8,0,5,,4\n");
  EXPECT_EQ(shown(a), shown(b));
}

TEST(ConnectionMatrix, ReadsWhatHtsimsGeneratorsWrite) {
  // gen_incast.py, gen_allreduce_butterfly.py (a flow waits for what its sender received), and test_cr of
  // uet-htsim with its `msg`.
  EXPECT_EQ(shown(matrix("Nodes 4\nConnections 2\n2->0 id 1 start 17 size 64\n3->0 id 2 start 0 size 64\n")),
            "2->0 64 at 17\n3->0 64 at 0\n");
  EXPECT_EQ(shown(matrix("Nodes 4\nConnections 2\nTriggers 1\n"
                         "0->1 id 1 start 0 size 64 recv_done_trigger 1\n1->0 id 2 trigger 1 size 64\n"
                         "trigger id 1 oneshot\n")),
            "0->1 64 at 0\n1->0 64 at 0\n1 after 0\n");
  EXPECT_EQ(
      shown(matrix("Nodes 2\nConnections 2\nTriggers 0\nFailures 0\n# a comment\n\n"
                   "0->1 id 1 msg start 0 size 4086\n0->1 id 2 msg 7 start 0 size 4086 # the second\n")),
      "0->1 4086 at 0\n0->1 4086 at 0\n");
}

TEST(ConnectionMatrix, ATriggerBeginsAllThatWaitForIt) {
  EXPECT_EQ(shown(matrix("Nodes 8\nConnections 4\nTriggers 1\ntrigger count 2 barrier id 9\n"
                         "0->1 start 0 size 1 send_done_trigger 9\n1->2 start 0 size 1 recv_done_trigger 9\n"
                         "2->3 trigger 9 size 1\n3->4 trigger 9 size 1\n")),
            "0->1 1 at 0\n1->2 1 at 0\n2->3 1 at 0\n3->4 1 at 0\n"
            "2 after_sent 0\n3 after_sent 0\n2 after 1\n3 after 1\n");
  // Nothing waits for it.
  EXPECT_EQ(shown(matrix("Connections 1\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n"
                         "trigger id 1 oneshot\n")),
            "0->1 1 at 0\n");
}

TEST(ConnectionMatrix, AMultishotChainBeginsOneAfterTheOther) {
  // Each time that the trigger fires, the next of its flows begins (htsim, trigger.cpp).
  EXPECT_EQ(
      shown(matrix("Connections 3\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n"
                   "0->2 trigger 1 size 1 send_done_trigger 1\n0->3 trigger 1 size 1 send_done_trigger 1\n"
                   "trigger id 1 multishot\n")),
      "0->1 1 at 0\n0->2 1 at 0\n0->3 1 at 0\n1 after_sent 0\n2 after_sent 1\n");
}

TEST(ConnectionMatrix, AMultishotTriggerOfSeveralLinesFlowsUp) {
  // gen_serialn_alltoall.py: of a host's flows two run at a time, whichever ends first begins the next.
  const Workload read = matrix(
      "Nodes 8\nConnections 4\nTriggers 1\n"
      "0->1 start 0 size 1 recv_done_trigger 1\n0->2 start 0 size 1 recv_done_trigger 1\n"
      "0->3 trigger 1 size 1 recv_done_trigger 1\n0->4 trigger 1 size 1 recv_done_trigger 1\n"
      "trigger id 1 multishot\n");
  ASSERT_EQ(read.lineups.size(), 1U);
  EXPECT_EQ(read.lineups.front(), (Lineup{2, 3}));
  ASSERT_EQ(read.dependencies.size(), 4U);
  for (std::uint32_t f = 0; f < 4; ++f) {
    EXPECT_EQ(read.dependencies[f].before, f);
    EXPECT_EQ(read.dependencies[f].after, 4U);
  }
}

std::string triggered(const std::string& flows, const std::string& triggers) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  return matrix_error(
      fmt::format("Connections {}\nTriggers {}\n{}{}", lines(flows), lines(triggers), flows, triggers));
}

TEST(ConnectionMatrix, NamesTriggersThatCannotBeDependencies) {
  const std::string two =
      "0->1 start 0 size 1 send_done_trigger 1\n1->2 start 0 size 1 send_done_trigger 1\n";
  EXPECT_EQ(
      triggered(two + "2->3 trigger 1 size 1\n", "trigger id 1 oneshot\n"),
      "6:1: oneshot trigger 1 is fired 2 times (the first of them would begin what waits; 'barrier count 2' "
      "waits for all of them)");
  EXPECT_EQ(triggered(two + "2->3 trigger 1 size 1\n", "trigger id 1 barrier count 1\n"),
            "6:1: barrier 1 counts to 1 and is fired 2 times (any of them could complete it: only barriers "
            "over all "
            "that fire them are read)");
  EXPECT_EQ(triggered(two + "2->3 trigger 1 size 1\n", "trigger id 1 barrier count 3\n"),
            "6:1: barrier 1 counts to 3 and is fired 2 times (what waits for it would never begin)");
  EXPECT_EQ(
      triggered("0->1 start 0 size 1 send_done_trigger 1\n1->2 trigger 1 size 1\n2->3 trigger 1 size 1\n",
                "trigger id 1 multishot\n"),
      "6:1: multishot trigger 1 is fired 1 times, and 2 flows wait for it (each time it begins one of them: "
      "the last ones would never begin)");
  EXPECT_EQ(triggered(two + "1->2 trigger 1 size 1\n2->3 trigger 1 size 1\n", "trigger id 1 multishot\n"),
            "6:14: multishot trigger 1 begins flows of hosts 1 and 2 (flows of one host, or a chain in which "
            "each that it begins fires it for the next)");
  EXPECT_EQ(triggered("0->1 start 0 size 1\n1->2 trigger 1 size 1\n", "trigger id 1 oneshot\n"),
            "4:14: no flow fires trigger 1 (what waits for it would never begin)");
  EXPECT_EQ(triggered("0->1 trigger 1 size 1 send_done_trigger 1\n", "trigger id 1 oneshot\n"),
            "3:14: a flow that waits for itself (it would never begin)");
  EXPECT_EQ(
      triggered("0->1 trigger 1 size 1 send_done_trigger 2\n1->2 trigger 2 size 1 send_done_trigger 1\n",
                "trigger id 1 oneshot\ntrigger id 2 oneshot\n"),
      "3:1: 2 flows wait for each other in a circle, or for one that does (flow 0 (line 3) waits for "
      "flow 1 (line 4) waits for flow 0 (line 3))");
}

TEST(ConnectionMatrix, NamesWhatIsWrongWithATrigger) {
  const std::string flow = "0->1 start 0 size 1 send_done_trigger 1\n";
  EXPECT_EQ(triggered(flow, ""), "3:39: no trigger 1 (a line 'trigger id 1 oneshot')");
  EXPECT_EQ(triggered("0->1 trigger 5 size 1\n", ""), "3:14: no trigger 5 (a line 'trigger id 5 oneshot')");
  EXPECT_EQ(triggered(flow, "trigger id 1 oneshot\ntrigger id 1 barrier count 1\n"),
            "5:1: trigger 1 again (line 4 describes it)");
  EXPECT_EQ(triggered(flow, "trigger id 1 oneshoot\n"), "4:14: unknown 'oneshoot' (did you mean 'oneshot'?)");
  EXPECT_EQ(triggered(flow, "trigger id 1 oneshot multishot\n"), "4:22: 'multishot' again (name it once)");
  EXPECT_EQ(triggered(flow, "trigger id\n"), "4:9: 'id' without a value (a value behind it)");
  EXPECT_EQ(triggered(flow, "trigger oneshot\n"), "4:1: a trigger without 'id' (trigger id 1 oneshot)");
  EXPECT_EQ(triggered(flow, "trigger id 1\n"),
            "4:1: a trigger without a kind (allowed: oneshot, multishot, barrier)");
  EXPECT_EQ(triggered(flow, "trigger id 1 barrier\n"),
            "4:1: a barrier without 'count' (a barrier counts, the others do not)");
  EXPECT_EQ(triggered(flow, "trigger id 1 oneshot count 1\n"),
            "4:1: a oneshot trigger with a count (a barrier counts, the others do not)");
  EXPECT_EQ(triggered(flow, "trigger id 0 oneshot\n"),
            "4:12: '0' is no id (allowed: a whole number from 1 to 4294967295)");
  EXPECT_EQ(triggered(flow, "trigger id 1 barrier count 0\n"),
            "4:28: '0' is no count (allowed: a whole number from 1 to 4294967295)");
}

std::string connection(const std::string& line) { return matrix_error("Nodes 4\nConnections 1\n" + line); }

TEST(ConnectionMatrix, NamesWhatIsWrongWithAFlow) {
  EXPECT_EQ(connection("0->4 start 0 size 1\n"), "3:4: host 4 of 4 nodes (nodes are numbered 0 to 3)");
  EXPECT_EQ(connection("0->8 start 0 size 1\n"),
            "3:4: '8' is no host of this network (allowed: a whole number from 0 to 7)");
  EXPECT_EQ(connection("->1 start 0 size 1\n"),
            "3:1: '' is no host of this network (allowed: a whole number from 0 to 7)");
  EXPECT_EQ(connection("2->2 start 0 size 1\n"), "3:1: a flow from host 2 to itself (name two hosts)");
  EXPECT_EQ(connection("0->1 strat 0 size 1\n"), "3:6: unknown 'strat' (did you mean 'start'?)");
  EXPECT_EQ(connection("0->1 start 0 start 1 size 1\n"), "3:14: 'start' again (name it once)");
  EXPECT_EQ(connection("0->1 start 0 size\n"), "3:14: 'size' without a value (a value behind it)");
  EXPECT_EQ(connection("0->1 start 0\n"), "3:1: a flow without 'size' (size and its bytes)");
  EXPECT_EQ(connection("0->1 size 1\n"),
            "3:1: neither 'start' nor 'trigger' ('start' and picoseconds, or 'trigger' and its id)");
  EXPECT_EQ(connection("0->1 start 0 trigger 1 size 1\n"),
            "3:1: both 'start' and 'trigger' ('start' and picoseconds, or 'trigger' and its id)");
  EXPECT_EQ(connection("0->1 start -1 size 1\n"),
            "3:12: '-1' is no start in picoseconds (allowed: a number from 0 to 1e+18)");
  EXPECT_EQ(connection("0->1 start 0 size 0\n"),
            "3:19: a flow without an end (in htsim size 0 goes on for ever; at least 1 byte)");
  EXPECT_EQ(connection("0->1 start 0 size -1\n"),
            "3:19: '-1' is no number of bytes (allowed: a whole number from 1 to 280000000000000)");
  EXPECT_EQ(connection("0->1 id 0 start 0 size 1\n"),
            "3:9: '0' is no id (allowed: a whole number from 1 to 4294967295)");
  EXPECT_EQ(connection("0->1 id 1 start 0 size 1 prio high\n"),
            "3:31: 'high' is no priority (allowed: a whole number from 0 to 4294967295)");
  EXPECT_EQ(matrix_error("Connections 2\n0->1 id 3 start 0 size 1\n0->2 id 3 start 0 size 1\n"),
            "3:9: id 3 again (line 2 has it; another message of that connection says 'msg')");
}

TEST(ConnectionMatrix, TakesRowsOfOneIdForMessages) {
  EXPECT_EQ(shown(matrix("Connections 3\n0->1 id 1 start 0 size 5 msg 1\n0->2 id 2 start 0 size 6\n"
                         "0->1 id 1 start 0 size 7 msg 2\n",
                         8)),
            "0->1 5 at 0\n0->2 6 at 0\n0->1 7 at 0\n0, 2 on one connection\n");
}

TEST(ConnectionMatrix, NamesWhatIsWrongWithItsHead) {
  EXPECT_EQ(connection(""), "2:1: 'Connections 1', and there are 0 (is the file complete?)");
  EXPECT_EQ(matrix_error(""), "0:0: no flows (a line for each flow)");
  EXPECT_EQ(matrix_error("0->1 start 0 size 1\n"),
            "2:1: 1 of them without a line 'Connections 1' (is the file complete?)");
  EXPECT_EQ(connection("0->1 start 0 size 1\ntrigger id 1 oneshot\n"),
            "5:1: 1 of them without a line 'Triggers 1' (is the file complete?)");
  EXPECT_EQ(matrix_error("Nodes 9\nConnections 1\n"),
            "1:1: 9 nodes; the network has 8 hosts (a network of at least as many)");
  EXPECT_EQ(matrix_error("Nods 8\n"), "1:1: unknown 'Nods' (did you mean 'Nodes'?)");
  EXPECT_EQ(matrix_error("Nodes 8\nNodes 8\n"), "2:1: 'Nodes' again (name it once)");
  EXPECT_EQ(matrix_error("Nodes 8 9\n"), "1:9: unexpected '9' (the line ends before it)");
  EXPECT_EQ(matrix_error("Nodes\n"), "1:1: 'Nodes' without a value (a value behind it)");
  EXPECT_EQ(matrix_error("Nodes many\n"),
            "1:7: 'many' is no count (allowed: a whole number from 1 to 4294967295)");
  EXPECT_EQ(connection("0->1 start 0 size 1\nTriggers 0\n"),
            "4:1: 'Triggers' behind flows or triggers (it belongs to the head of the file)");
  const std::string failures =
      "failures are not read from connection matrices (in the scenario: [[failure]] node = \"aggregation "
      "0\", "
      "uplink = 1)";
  EXPECT_EQ(matrix_error("Failures 1\n"), "1:1: " + failures);
  EXPECT_EQ(connection("failure switch_type AGG switch_id 0 link_id 1\n"), "3:1: " + failures);
  const auto text = source("Connections 2\n0->1 start 0 size 1\n0->2 start 0 size 1\n");
  EXPECT_EQ(error_of([&] { read_connection_matrix(text, 8, 1); }),
            "3:1: too many flows (at most 1 are simulated)");
}

// ---- htsim's topologies

struct TierFacts {
  int gbps = 100;
  int down = 0;
  int up = 0;  // 0 on the top tier
  int oversubscribed = 1;
  int bundle = 1;
};

struct TopologyFacts {
  const char* name;
  int nodes = 0;
  int podsize = 0;
  std::vector<TierFacts> tiers;
};

/// What stands in the .topo files of Broadcom/csg-htsim and ultraethernet/uet-htsim,
/// sim/datacenter/topologies. All their links take 1 us and their switches no time.
const std::vector<TopologyFacts>& htsim_files() {
  static const std::vector<TopologyFacts> kFiles = {
      {"test", 8, 4, {{200, 2, 2}, {200, 2, 4}, {100, 4, 0, 1, 2}}},
      {"leaf_spine_tiny", 32, 32, {{100, 8, 2, 4}, {100, 4}}},
      {"fat_tree_128_1os", 128, 16, {{100, 4, 4}, {100, 4, 4}, {100, 8}}},
      {"fat_tree_128_4os", 128, 16, {{100, 4, 4}, {100, 4, 1, 4}, {100, 8}}},
      {"fat_tree_128_8os", 128, 16, {{100, 4, 1, 4}, {100, 4, 2, 2}, {100, 8}}},
      {"fat_tree_1024", 1024, 64, {{100, 8, 8}, {100, 8, 8}, {100, 16}}},
      {"fat_tree_1024_1os", 1024, 64, {{200, 8, 8}, {200, 8, 8}, {200, 16}}},
      {"fat_tree_1024_4os", 1024, 64, {{200, 8, 2, 4}, {200, 8, 8}, {200, 16}}},
      {"fat_tree_1024_8os", 1024, 64, {{100, 8, 2, 4}, {100, 8, 4, 2}, {100, 16}}},
      {"leaf_spine_1024", 1024, 1024, {{100, 32, 32}, {100, 32}}},
      {"leaf_spine_1024_oversub", 1024, 1024, {{100, 32, 8, 4}, {100, 32}}},
      {"leaf_spine_1024_oversub_8-1", 1024, 1024, {{100, 32, 4, 8}, {100, 32}}},
      {"fat_tree_8192_1os", 8192, 256, {{100, 16, 16}, {100, 16, 16}, {100, 32}}},
      {"fat_tree_8192_4os", 8192, 256, {{100, 16, 4, 4}, {100, 16, 16}, {100, 32}}},
      {"fat_tree_8192_8os", 8192, 256, {{100, 16, 4, 4}, {100, 16, 8, 2}, {100, 32}}},
      {"leaf_spine_8192_100g", 8192, 8192, {{100, 64, 64}, {100, 128}}},
      {"leaf_spine_8192_800g_4_to_1", 8192, 8192, {{800, 64, 16, 4}, {800, 128}}},
      {"leaf_spine_8192_400g_8_to_1", 8192, 8192, {{400, 64, 8, 8}, {400, 128}}},
  };
  return kFiles;
}

std::string topo_text(const TopologyFacts& f) {
  std::string out = fmt::format("Nodes {}\nTiers {}\nPodsize {}\n", f.nodes, f.tiers.size(), f.podsize);
  for (std::size_t t = 0; t < f.tiers.size(); ++t) {
    const TierFacts& tier = f.tiers[t];
    out += fmt::format("\nTier {}\nDownlink_speed_Gbps {}\nRadix_Down {}\n", t, tier.gbps, tier.down);
    if (tier.up > 0) out += fmt::format("Radix_Up {}\nOversubscribed {}\n", tier.up, tier.oversubscribed);
    out += fmt::format("Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\nBundle {}\n", tier.bundle);
  }
  return out;
}

const TopologyFacts& facts(const std::string& name) {
  return *std::find_if(htsim_files().begin(), htsim_files().end(),
                       [&](const auto& f) { return f.name == name; });
}

/// How many links join two switches, by tier below and their numbers.
using Links = std::map<std::array<std::int64_t, 3>, std::int64_t>;

/// As htsim's FatTreeTopology wires them: a leaf to all aggregation switches of its pod; the aggregation
/// switch at position p to the cores p, p + A, p + 2A, ... of A positions; bundles in parallel.
Links links_of_htsim(const TopologyFacts& f) {
  Links out;
  const int leaves = f.nodes / f.tiers[0].down;
  const int pods = f.nodes / f.podsize;
  const int positions = f.tiers[0].up / f.tiers[1].bundle;
  for (int leaf = 0; leaf < leaves; ++leaf) {
    const int pod = leaf / (leaves / pods);
    for (int p = 0; p < positions; ++p) out[{0, leaf, pod * positions + p}] = f.tiers[1].bundle;
  }
  if (f.tiers.size() < 3) return out;
  for (int agg = 0; agg < pods * positions; ++agg) {
    for (int l = 0; l < f.tiers[1].up / f.tiers[2].bundle; ++l)
      out[{1, agg, agg % positions + positions * l}] = f.tiers[2].bundle;
  }
  return out;
}

/// Of a layout, with the top of three tiers numbered as htsim does.
Links links_of_layout(const Layout& layout, const ClosShape& shape) {
  std::array<std::int64_t, 3> first = {-1, -1, -1};  // node of each tier
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    const Node& node = layout.nodes[n];
    if (!node.hosts && first[node.tier] < 0) first[node.tier] = static_cast<std::int64_t>(n);
  }
  Links out;
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    const Node& node = layout.nodes[n];
    if (node.hosts) continue;
    for (std::uint32_t p = node.ports_down; p < node.ports; ++p) {
      const Wire& wire = layout.wires[node.first_port + p];
      std::int64_t above = wire.node - first[node.tier + 1U];
      if (node.tier == 1) {
        const std::int64_t group = shape.tiers[2].group;
        above = above / group + above % group * shape.width(1);
      }
      ++out[{node.tier, static_cast<std::int64_t>(n) - first[node.tier], above}];
    }
  }
  return out;
}

TEST(TopologyFile, HtsimsOwnFilesAreWiredAsHtsimDoes) {
  for (const TopologyFacts& f : htsim_files()) {
    SCOPED_TRACE(f.name);
    const TopologyFile file = topology(topo_text(f));
    const Layout layout = lay_out(file.shape, 1, file.links, whole("test"));
    ASSERT_EQ(layout.hosts(), static_cast<std::uint32_t>(f.nodes));
    // Hosts in the order of leaves, all of them full.
    EXPECT_EQ(layout.leaves, static_cast<std::uint32_t>(f.nodes / f.tiers[0].down));
    for (std::uint32_t h = 0; h < layout.hosts(); ++h)
      ASSERT_EQ(leaf_of(layout.address_of_host[h]), h / static_cast<std::uint32_t>(f.tiers[0].down));
    wiring::expect_wired_back(layout);
    EXPECT_EQ(links_of_layout(layout, file.shape), links_of_htsim(f));
    for (std::size_t t = 0; t < f.tiers.size(); ++t) {
      EXPECT_EQ(file.links[t].picoseconds_per_byte, 8000U / static_cast<unsigned>(f.tiers[t].gbps));
      EXPECT_EQ(file.links[t].delay, 1'000'000U);
      EXPECT_FALSE(file.queues[t].down_bytes || file.queues[t].up_bytes);
    }
  }
}

TEST(TopologyFile, FullBisectionTreesAreTheBestShapesOfTheirSwitches) {
  const std::map<std::string, std::int64_t> ports = {{"fat_tree_128_1os", 8},
                                                     {"fat_tree_1024", 16},
                                                     {"fat_tree_8192_1os", 32},
                                                     {"leaf_spine_8192_100g", 128}};
  for (const auto& [name, k] : ports) {
    SCOPED_TRACE(name);
    const ClosShape shape = topology(topo_text(facts(name))).shape;
    const auto best =
        best_clos_shape({k, {}}, static_cast<std::int64_t>(shape.tiers.size()), shape.endpoints);
    ASSERT_TRUE(best);
    for (std::size_t t = 0; t < shape.tiers.size(); ++t) {
      EXPECT_EQ(shape.tiers[t].children, best->tiers[t].children);
      EXPECT_EQ(shape.tiers[t].group, best->tiers[t].group);
      EXPECT_EQ(shape.tiers[t].uplinks, best->tiers[t].uplinks);
      EXPECT_EQ(shape.tiers[t].down, best->tiers[t].down);
    }
  }
}

/// Two or three tiers of four hosts and more, with one line changed or added.
std::string changed(const std::string& name, const std::string& from, const std::string& to) {
  std::string text = topo_text(facts(name));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(TopologyFile, LatenciesOfLinksAndSwitchesAddUpBetweenHosts) {
  std::string text = topo_text(facts("fat_tree_128_1os"));
  const std::array<std::string, 3> latencies = {"Downlink_Latency_ns 300\nSwitch_Latency_ns 501",
                                                "Downlink_Latency_ns 700\nSwitch_Latency_ns 250",
                                                "Downlink_Latency_ns 2000\nSwitch_Latency_ns 100"};
  const std::string before = "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0";
  for (const std::string& latency : latencies) text.replace(text.find(before), before.size(), latency);
  const auto links = topology(text).links;
  // htsim, get_two_point_diameter_latency(): links both ways and each switch that is passed.
  EXPECT_EQ(2 * links[0].delay, (2 * 300 + 501) * 1000U);
  EXPECT_EQ(2 * (links[0].delay + links[1].delay), (2 * (300 + 700) + 2 * 501 + 250) * 1000U);
  EXPECT_EQ(2 * (links[0].delay + links[1].delay + links[2].delay),
            (2 * (300 + 700 + 2000) + 2 * 501 + 2 * 250 + 100) * 1000U);
}

TEST(TopologyFile, BundlesAreParallelLinks) {
  // As leaf_spine_tiny with half as many spines, each joined twice.
  const TopologyFacts f = {"bundled", 32, 32, {{100, 8, 4, 2}, {100, 8, 0, 1, 2}}};
  const TopologyFile file = topology(topo_text(f));
  const Layout layout = lay_out(file.shape, 1, file.links, whole("test"));
  wiring::expect_wired_back(layout);
  EXPECT_EQ(links_of_layout(layout, file.shape), links_of_htsim(f));
  EXPECT_EQ(file.shape.switches(1), 2);
}

TEST(TopologyFile, RatesDifferBetweenTiers) {
  // Twice the rate above: half the links carry as much.
  const TopologyFacts f = {"fast spine", 32, 32, {{100, 8, 2, 2}, {200, 4}}};
  const TopologyFile file = topology(topo_text(f));
  EXPECT_EQ(file.links[0].picoseconds_per_byte, 80U);
  EXPECT_EQ(file.links[1].picoseconds_per_byte, 40U);
}

TEST(TopologyFile, QueuesAreReadWhereTheFileHasThem) {
  const TopologyFile file =
      topology(changed("leaf_spine_tiny", "Tier 0\n", "Tier 0\nQUEUE_UP 100000 # bytes\nqueue_down 2e5\n"));
  EXPECT_EQ(file.queues[0].up_bytes, 100000U);
  EXPECT_EQ(file.queues[0].down_bytes, 200000U);
  EXPECT_FALSE(file.queues[1].down_bytes);
}

TEST(TopologyFile, RatesNeedNoWholePicosecondsAByte) {
  const TopologyFacts f = {"odd spine", 32, 32, {{100, 8, 2, 2}, {200, 4}}};
  const auto byte_time = [&](const std::string& gbps) {
    std::string text = topo_text(f);
    const std::string was = "Downlink_speed_Gbps 200";
    text.replace(text.find(was), was.size(), "Downlink_speed_Gbps " + gbps);
    std::string without;  // what the file says of oversubscription is of other rates
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("Oversubscribed") == std::string::npos) without += line + "\n";
    }
    return topology(without).links[1].picoseconds_per_byte;
  };
  EXPECT_NEAR(static_cast<double>(byte_time("300")), 8000.0 / 300, 1e-6);
  EXPECT_EQ(byte_time("296.296"), 27U);
  EXPECT_EQ(byte_time("307.692"), 26U);
}

TEST(TopologyFile, RefusesWhatIsNoRate) {
  const auto rate = [](const std::string& gbps) {
    return topology_error(changed("fat_tree_1024", "Downlink_speed_Gbps 100", "Downlink_speed_Gbps " + gbps));
  };
  for (const std::string gbps : {"0", "-100", "nan", "8001", "fast"})
    EXPECT_EQ(rate(gbps), "6:21: '" + gbps + "' is no rate in Gbps (allowed: a number from 0.001 to 8000)");
  // The rates that are proposed work.
  for (const std::string gbps : {"296.296", "307.692"}) {
    std::string text = topo_text(facts("leaf_spine_tiny"));
    for (int i = 0; i < 2; ++i) text.replace(text.find("Gbps 100"), 8, "Gbps " + gbps);
    EXPECT_EQ(topology_error(text), "none");
  }
}

TEST(TopologyFile, NamesWhatIsMissingOrUnknown) {
  const auto tiny = [](const std::string& from, const std::string& to) {
    return topology_error(changed("leaf_spine_tiny", from, to));
  };
  EXPECT_EQ(topology_error(""), "1:1: 'Nodes' is missing (Nodes, Tiers and Podsize come first)");
  EXPECT_EQ(tiny("Podsize 32\n", ""), "19:1: 'Podsize' is missing (Nodes, Tiers and Podsize come first)");
  EXPECT_EQ(tiny("Podsize 32\n", "Pod_size 32\n"), "3:1: unknown 'Pod_size' (did you mean 'podsize'?)");
  EXPECT_EQ(tiny("Podsize 32\n", "Podsize 32\nPodsize 32\n"), "4:1: 'Podsize' again (line 3 has it)");
  EXPECT_EQ(tiny("Podsize 32\n", "Podsize 32\nBundle 1\n"),
            "4:1: 'Bundle' before a tier (a line 'Tier 0' begins the leaves)");
  EXPECT_EQ(tiny("Podsize 32\n", "Podsize\n"), "3:1: 1 words (a name and its value on each line)");
  EXPECT_EQ(tiny("Podsize 32\n", "Podsize 3 2\n"), "3:1: 3 words (a name and its value on each line)");
  EXPECT_EQ(tiny("Radix_Up 2\n", ""), "5:1: 'Radix_Up' of tier 0 is missing (a line 'Radix_Up ...')");
  EXPECT_EQ(tiny("Radix_Up 2\n", "Radix_Up 2\nRadix_Up 2\n"), "9:1: 'Radix_Up' again (line 8 has it)");
  EXPECT_EQ(tiny("Downlink_Latency_ns 1000\n", ""),
            "5:1: 'Downlink_Latency_ns' of tier 0 is missing (a line 'Downlink_Latency_ns ...')");
  EXPECT_EQ(tiny("Tier 1\n", "Tier 2\n"), "20:1: no tier 1 (a line 'Tier 1' and its settings)");
  EXPECT_EQ(tiny("Tier 1\n", "Tier 3\n"), "14:6: '3' is no tier (allowed: a whole number from 0 to 2)");
  EXPECT_EQ(topology_error(topo_text(facts("leaf_spine_tiny")) + "Tier 2\n"),
            "20:1: tier 2 of 2 ('Tiers 3', or without it)");
  EXPECT_EQ(tiny("Tiers 2", "Tiers 4"),
            "2:7: '4' is no value of Tiers (allowed: a whole number from 2 to 3)");
  EXPECT_EQ(tiny("Nodes 32", "Nodes -32"),
            "1:7: '-32' is no value of Nodes (allowed: a whole number from 1 to 16000000)");
  EXPECT_EQ(tiny("Downlink_Latency_ns 1000", "Downlink_Latency_ns 0"),
            "10:21: '0' is no value of Downlink_Latency_ns (allowed: a whole number from 1 to 1000000000)");
  EXPECT_EQ(topology_error(topo_text(facts("leaf_spine_tiny")) + "Radix_Up 2\n"),
            "20:1: 'Radix_Up' of the top tier (no links lead up from it)");
}

TEST(TopologyFile, NamesNumbersThatDoNotFitTogether) {
  EXPECT_EQ(topology_error(changed("fat_tree_128_1os", "Podsize 16", "Podsize 24")),
            "3:1: 128 nodes are no whole number of pods of 24 (a Podsize that divides Nodes)");
  EXPECT_EQ(topology_error(changed("leaf_spine_tiny", "Podsize 32", "Podsize 16")),
            "3:1: 2 pods without a third tier that joins them (with 2 tiers Podsize is Nodes: 32)");
  EXPECT_EQ(topology_error(changed("fat_tree_128_1os", "Radix_Down 4", "Radix_Down 3")),
            "7:1: pods of 16 hosts are no whole number of leaves with 3 (a Radix_Down that divides Podsize)");
  EXPECT_EQ(topology_error(changed("leaf_spine_tiny", "Bundle 1", "Bundle 2")),
            "12:1: hosts with several links to their leaf (Bundle 1, or planes)");
  EXPECT_EQ(topology_error(changed("test", "Bundle 2", "Bundle 3")),
            "28:1: 4 links up from tier 1 are no whole number of bundles of 3 (a Bundle that divides "
            "Radix_Up of the "
            "tier below)");
  EXPECT_EQ(topology_error(changed("test", "Bundle 2", "Bundle 1")),
            "25:1: 4 links down do not fit 2 pods with bundles of 1 (Radix_Down 2, or Bundle 2)");
  EXPECT_EQ(topology_error(changed("leaf_spine_tiny", "Radix_Down 4", "Radix_Down 6")),
            "16:1: 6 links down do not fit 4 leaves of a pod with bundles of 1 (Radix_Down 4)");
  EXPECT_EQ(topology_error(changed("leaf_spine_tiny", "Oversubscribed 4", "Oversubscribed 2")),
            "9:1: switches of tier 0 have 4 times the rate down of that up, not 2 times (Oversubscribed 4, "
            "or another "
            "Radix_Up)");
}

TEST(TopologyFile, NetworksTooLargeToBeHeldAreRefused) {
  // 50,000 leaves of 1,200 ports, 1,000 spines of 50,000.
  const TopologyFacts f = {"large", 10'000'000, 10'000'000, {{500, 200, 1000}, {100, 50'000}}};
  EXPECT_EQ(topology_error(topo_text(f)),
            "1:1: a network of 120000000 ports (at most 100000000 are simulated)");
}

// ---- both together

TEST(Files, AreSimulated) {
  // One packet each, host 0 to 7 over three tiers of test.topo, and back when it was received.
  const TopologyFile file = topology(changed("test", "Switch_Latency_ns 0", "Switch_Latency_ns 100"));
  const Layout layout = lay_out(file.shape, 1, file.links, whole("test"));
  Workload work = matrix(
      "Nodes 8\nConnections 2\nTriggers 1\n0->7 start 5 size 4096 recv_done_trigger 1\n"
      "7->0 trigger 1 size 4096\ntrigger id 1 oneshot\n");
  const std::vector<Fault> faults;
  LinkState links;
  TransportSetup setup{layout, work.flows, work.dependencies, faults, links};
  Ndp ndp(setup, NdpInput{});
  run_transport(setup, ndp, kMostPriorities, [](const WindowSummary&) { return true; });
  // Four links of 200 Gbps, two of 100 Gbps, 1 us each, and 100 ns in each of the two leaves.
  const Picoseconds way = 4096 * (4 * 40 + 2 * 80) + 6 * 1'000'000 + 2 * 100'000;
  EXPECT_EQ(work.flows[0].began, 5U);
  EXPECT_EQ(work.flows[0].received, 5 + way);
  EXPECT_EQ(work.flows[1].began, work.flows[0].received);
  // The acknowledgement goes out first.
  EXPECT_EQ(work.flows[1].received, 5 + 2 * way + 64 * 40);
}

}  // namespace
}  // namespace trainyard::workload
