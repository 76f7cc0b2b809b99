// Public traces: examples of their documents, and what is left out.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "job_texts.h"

namespace trainyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The three rows of HeliosData's README.
TEST(Helios, IsReadAsItsDocumentSays) {
  const JobList list =
      read_jobs_text(kHeliosHeader +
                         "1425511,uXBbc,vcJkd,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 "
                         "18:41:01,2020-06-10 04:55:09,36848,0\n"
                         "1425512,uVMrF,vchbv,4,16,1,FAILED,2020-06-09 18:41:27,2020-06-09 "
                         "18:41:27,2020-06-09 18:45:36,249,0\n"
                         "1425513,uzqls,vcpDC,1,1,1,CANCELLED,2020-06-09 18:41:28,2020-06-09 "
                         "18:41:28,2020-06-17 14:15:21,675233,0\n"
                         "1425514,uzqls,vcpDC,0,1,1,COMPLETED,2020-06-09 18:41:29,2020-06-09 "
                         "18:41:29,2020-06-17 14:15:21,675232,0\n"
                         "1425515,uzqls,vcpDC,2,1,1,CANCELLED,2020-06-09 18:41:29,None,Unknown,0,0\n",
                     "data/Venus/cluster_log.csv");
  EXPECT_EQ(list.format, "helios");
  EXPECT_EQ(list.trace, "Helios Venus");
  ASSERT_EQ(list.jobs.size(), 3U);
  EXPECT_EQ(list.jobs[0].run_s, 36848);  // the column duration
  EXPECT_EQ(list.jobs[1].run_s, 249);
  EXPECT_EQ(list.jobs[2].run_s, 675233);
  EXPECT_EQ(list.jobs[1].devices, 4);
  EXPECT_EQ(list.jobs[1].user, "uVMrF");
  EXPECT_EQ(list.jobs[1].submit_s, 26);
  EXPECT_EQ(list.jobs[1].wait_recorded_s, 0);
  EXPECT_THAT(list.notes, ElementsAre("1 job without devices is left out",
                                      "1 job that never began or had not ended is left out"));
}

TEST(Helios, FiguresStandBesidePublishedOnes) {
  const JobList list = read_jobs_text(
      kHeliosHeader +
          "1,u,v,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:11,2020-06-09 18:44:35,204,10\n",
      "Venus/cluster_log.csv");
  const auto rows = published_job_figures(list);
  ASSERT_EQ(rows.size(), 6U);
  const auto median =
      std::find_if(rows.begin(), rows.end(), [](const auto& r) { return r.quantity == "median run"; });
  ASSERT_NE(median, rows.end());
  EXPECT_EQ(median->published, 204);
  EXPECT_EQ(median->ours, 204);
  EXPECT_FALSE(median->recalled);
}

// Examples of AcmeTrace's README, their lines in another order.
TEST(Acme, IsReadAsItsDocumentSays) {
  const JobList kalos = read_jobs_text(
      kKalosHeader +
          "dlc1t2ypl09b8qtp,uf794,8,64,960,1000,100.0,Other,CANCELLED,2023-05-17 11:28:42+00:00,"
          "2023-05-17 11:28:54+00:00,2023-05-17 11:30:04+00:00,,2023-05-17 11:30:04+00:00,82,12.0,5248.0\n"
          "dlctk696s0jbvitv,uf794,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,"
          "2023-05-17 11:01:08+00:00,2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0\n",
      "trace_kalos.csv");
  EXPECT_EQ(kalos.format, "acme");
  EXPECT_EQ(kalos.trace, "Kalos");
  ASSERT_EQ(kalos.jobs.size(), 2U);
  EXPECT_EQ(kalos.jobs[0].name, "dlctk696s0jbvitv");
  EXPECT_EQ(kalos.jobs[0].row, 3);
  EXPECT_EQ(kalos.jobs[0].devices, 64);
  // The column duration, 18 s, less the column queue.
  EXPECT_EQ(kalos.jobs[0].run_s, 8);
  EXPECT_EQ(kalos.jobs[0].wait_recorded_s, 10);
  EXPECT_EQ(kalos.jobs[1].submit_s, 27 * 60 + 44);

  const JobList seren = read_jobs_text(
      kSerenHeader +
          "5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,"
          "2023-03-01 00:20:51+08:00,117,32,936.0\n",
      "trace_seren.csv");
  EXPECT_EQ(seren.trace, "Seren");
  EXPECT_EQ(seren.jobs[0].run_s, 117);
  EXPECT_EQ(seren.jobs[0].wait_recorded_s, 32);
  EXPECT_EQ(seren.jobs[0].run_s * static_cast<double>(seren.jobs[0].devices), 936);
}

std::string philly_attempt(const std::string& start, const std::string& end, const std::string& gpus) {
  return R"({"start_time": )" + start + R"(, "end_time": )" + end +
         R"(, "detail": [{"ip": "m47", "gpus": [)" + gpus + "]}]}";
}

std::string philly_job(const std::string& attempts) {
  return R"({"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "attempts": [)" + attempts +
         R"(], "submitted_time": "2017-10-07 01:11:39", "user": "ce2f4c"})";
}

// The example of philly-traces' README.
TEST(Philly, RunsFromTheFirstStartToTheLastEnd) {
  const std::string two =
      philly_attempt("\"2017-10-07 01:12:09\"", "\"2017-10-07 01:13:23\"", R"("gpu0", "gpu1")") + "," +
      philly_attempt("\"2017-10-07 01:13:30\"", "\"2017-10-09 06:53:12\"", R"("gpu4")");
  const JobList list = read_jobs_text(
      "[\n" + philly_job(two) + ",\n" + philly_job("") + ",\n" +
          philly_job(philly_attempt("\"2017-10-07 01:12:09\"", "null", "\"gpu0\"")) + ",\n" +
          philly_job(philly_attempt("\"2017-10-07 01:12:09\"", "\"2017-10-07 01:12:10 PDT\"", "")) + "\n]\n",
      "cluster_job_log");
  EXPECT_EQ(list.format, "philly");
  ASSERT_EQ(list.jobs.size(), 1U);
  EXPECT_EQ(list.jobs[0].devices, 2);
  EXPECT_EQ(list.jobs[0].wait_recorded_s, 30);
  EXPECT_EQ(list.jobs[0].run_s, 2 * 86400 + 5 * 3600 + 41 * 60 + 3);
  EXPECT_EQ(list.jobs[0].row, 2);
  EXPECT_THAT(list.notes,
              ElementsAre("1 job of several attempts, as one run from the first start to the last end",
                          "2 jobs that never began or had not ended are left out",
                          "1 job without devices is left out"));
}

// Attempts of the trace that lack a start or an end, between the first and the last.
TEST(Philly, AttemptsBetweenMayLackTheirTimes) {
  const std::string gpu = R"("detail": [{"ip": "m1", "gpus": ["gpu7"]}]})";
  const JobList list = read_jobs_text(
      R"([{"status": "Pass", "vc": "v", "jobid": "a", "attempts": [)"
      R"({"start_time": "2017-10-09 03:07:23", "end_time": "None", )" +
          gpu + R"(, {"start_time": "2017-10-09 03:11:14", "end_time": "2017-10-09 03:11:57", )" + gpu +
          R"(, {"start_time": "2017-10-09 03:14:24", "end_time": null, )" + gpu +
          R"(, {"start_time": "None", "end_time": "2017-10-09 03:15:12", )" + gpu +
          R"(], "submitted_time": "2017-10-09 03:04:16", "user": "u"}])",
      "cluster_job_log");
  ASSERT_EQ(list.jobs.size(), 1U);
  EXPECT_EQ(list.jobs[0].run_s, 469);
  EXPECT_EQ(list.jobs[0].wait_recorded_s, 187);
}

TEST(Philly, AttemptsThatOverlapContradictThemselves) {
  const auto attempts = [](const char* start, const char* end) {
    return "[" +
           philly_job(philly_attempt("\"2017-10-07 01:12:09\"", "\"2017-10-07 02:12:09\"", "\"gpu0\"") + "," +
                      philly_attempt(start, end, "\"gpu0\"")) +
           "]";
  };
  EXPECT_THAT(said(attempts("\"2017-10-07 01:12:08\"", "\"2017-10-07 03:00:00\"")),
              HasSubstr(":1:2: error: start_time: attempt 2 begins 3601 s before the one before it ends"));
  EXPECT_THAT(said(attempts("\"2017-10-07 04:00:00\"", "\"2017-10-07 02:30:00\"")),
              HasSubstr("end_time: attempt 2 ends 5400 s before it begins"));
  // Clocks were turned back by an hour.
  EXPECT_EQ(read_jobs_text(attempts("\"2017-10-07 01:20:00\"", "\"2017-10-07 03:00:00\""), "a").jobs.size(),
            1U);
  EXPECT_EQ(read_jobs_text(attempts("\"2017-10-07 02:12:09\"", "\"2017-10-07 02:12:09\""), "a").jobs.size(),
            1U);
}

TEST(Philly, NamesTheLineOfAWrongJob) {
  const std::string wrong =
      philly_job(philly_attempt("\"2017-10-07 01:12:09\"", "\"2017-10-07 01:12:08\"", "\"gpu0\""));
  EXPECT_THAT(said("[" + philly_job("") + ",\n\n" + wrong + "]", "cluster_job_log"),
              HasSubstr("cluster_job_log:3:1: error: end_time: the job ends 1 s before it begins"));
  // All jobs on one line: its column.
  const std::string right = philly_job("");
  EXPECT_THAT(said("[" + right + "," + wrong + "]", "cluster_job_log"),
              HasSubstr("cluster_job_log:1:" + std::to_string(right.size() + 3) + ": error: end_time"));
  EXPECT_THAT(said("[{\"jobid\": \"a}\"}]"), HasSubstr("'attempts' is missing"));
  EXPECT_THAT(said("[{\"jobid\": }]"), HasSubstr("no JSON"));
  EXPECT_THAT(said("[{\"jobid\": 5"), HasSubstr("does not end"));
  EXPECT_THAT(said("[" + philly_job("")), HasSubstr("does not end"));
  EXPECT_THAT(said("[5]"), HasSubstr("no job"));
  EXPECT_THAT(said("[]"), HasSubstr("no jobs"));
}

TEST(Openb, HoldsPodsThatFinished) {
  const JobList list =
      read_jobs_text(kOpenbHeader +
                         "openb-pod-0017,88000,327680,8,1000,,Burstable,Succeeded,9437497,10769854,9437497\n"
                         "openb-pod-0022,4000,15258,1,220,,BE,Running,9679175,9973826,9679180\n"
                         "openb-pod-0023,4000,15258,0,0,,BE,Running,9679175,9973826,9679175\n"
                         "openb-pod-0024,4000,15258,1,1000,V100M16|V100M32,LS,Pending,9679175,9973826,\n",
                     "openb_pod_list_default.csv");
  EXPECT_EQ(list.format, "openb");
  ASSERT_EQ(list.jobs.size(), 2U);
  EXPECT_EQ(list.jobs[0].devices, 8);
  EXPECT_EQ(list.jobs[0].run_s, 1332357);
  EXPECT_EQ(list.jobs[1].wait_recorded_s, 5);
  EXPECT_EQ(list.jobs[1].submit_s, 241678);
  EXPECT_EQ(list.notes.front(), "1 job on a share of a device, rounded up to all of it");
}

class Pai : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("trainyard-pai-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

constexpr const char* kTasks =
    "4f05,tensorflow,1.0,Terminated,1739162.0,1739200.0,600.0,29.29,50.0,MISC\n"
    "aaaa,ps,1.0,Terminated,1739100.0,1739300.0,600.0,29.29,,\n"
    "aaaa,worker,16.0,Terminated,1739110.0,1739290.0,600.0,29.29,100.0,V100\n"
    "aaaa,chief,1.0,Terminated,1739105.0,1739300.0,600.0,29.29,50.0,V100\n"
    "bbbb,worker,1.0,Waiting,,,600.0,29.29,100.0,V100\n";

TEST_F(Pai, JobsAreTheirTasksTogether) {
  const JobList list = read_jobs(file("pai_task_table.csv", kTasks));
  EXPECT_EQ(list.format, "pai");
  ASSERT_EQ(list.jobs.size(), 2U);
  EXPECT_EQ(list.jobs[0].name, "aaaa");
  EXPECT_EQ(list.jobs[0].devices, 17);  // 16 and a half
  EXPECT_EQ(list.jobs[0].run_s, 195);
  EXPECT_FALSE(list.jobs[0].wait_recorded_s);
  EXPECT_EQ(list.jobs[1].devices, 1);
  EXPECT_THAT(list.notes.front(), HasSubstr("pai_job_table.csv is not beside it"));
}

TEST_F(Pai, SubmissionsStandInTheTableOfJobs) {
  file("pai_job_table.csv",
       "aaaa,8cb3,58540f191766,Terminated,1739095.0,1739300.0\ncccc,1,u,Failed,5.0,6.0\n");
  const JobList list = read_jobs(file("pai_task_table.csv", kTasks));
  ASSERT_EQ(list.jobs.size(), 2U);
  EXPECT_EQ(list.jobs[0].user, "58540f191766");
  EXPECT_EQ(list.jobs[0].wait_recorded_s, 10);
  EXPECT_FALSE(list.jobs[1].wait_recorded_s);
}

TEST_F(Pai, WithAHeaderLineIsReadToo) {
  const std::string header =
      "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n";
  EXPECT_EQ(read_jobs_text(header + kTasks, "tasks.csv").jobs.size(), 2U);
}

TEST_F(Pai, OtherTablesAreRefused) {
  EXPECT_THAT(said("aaaa,8cb3,u,Terminated,1.0,2.0\n", "pai_job_table.csv"), HasSubstr("pai_task_table.csv"));
  EXPECT_THAT(said("aaaa,w,1.0,Terminated,20.0,10.0,1,1,100,V\n", "pai_task_table.csv"),
              HasSubstr("pai_task_table.csv:1:28: error: end_time: the job ends 10 s before it begins"));
}

}  // namespace
}  // namespace trainyard
