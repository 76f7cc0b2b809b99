// Files that nobody should have written.
#include <rapidcheck/gtest.h>

#include <limits>

#include "job_texts.h"
#include "trainyard/errors.h"
#include "trainyard/job_format.h"

namespace trainyard {
namespace {

using testing::HasSubstr;

TEST(WrongTraces, AreNamedByRowAndColumn) {
  const std::string row = "1,u,v,1,1,1,COMPLETED,";
  const std::string submit = "2020-06-09 18:41:01,";
  EXPECT_THAT(said(kHeliosHeader + row + submit + "2020-06-09 18:41:00,2020-06-09 18:42:00,1,1\n"),
              HasSubstr("list.csv:2:43: error: start_time: the job begins 1 s before it is submitted"));
  EXPECT_THAT(said(kHeliosHeader + row + submit + "2020-06-09 18:42:00,2020-06-09 18:41:59,1,1\n"),
              HasSubstr("list.csv:2:63: error: end_time: the job ends 1 s before it begins"));
  EXPECT_THAT(said(kHeliosHeader + row + "yesterday,2020-06-09 18:42:00,2020-06-09 18:42:59,1,1\n"),
              HasSubstr("submit_time: 'yesterday' is no time"));
  EXPECT_THAT(said(kHeliosHeader + "1,u,v,-1,1,1,X," + submit + submit + submit + "1,1\n"),
              HasSubstr("list.csv:2:7: error: gpu_num: '-1' is negative"));
  EXPECT_THAT(said(kHeliosHeader + "1,u,v,1\n"), HasSubstr("4 fields under 12 columns"));
  EXPECT_THAT(said(kHeliosHeader), HasSubstr("no jobs"));
  EXPECT_THAT(said(kOpenbHeader + "a,1,1,1,1000,,LS,Running,-5,10,0\n"),
              HasSubstr("creation_time: '-5' is negative"));
  EXPECT_THAT(said(kOpenbHeader + "a,1,1,1e13,1000,,LS,Running,5,10,6\n"), HasSubstr("num_gpu"));
}

TEST(WrongTraces, CanBeReadWithoutTheirBadRows) {
  JobReading reading;
  reading.skip_bad_rows = true;
  const JobList list =
      read_jobs_text(kOpenbHeader + "a,1,1,1,1000,,LS,Running,5,10,4\nb,1,1,1,1000,,LS,Running,5,10,6\n",
                     "openb.csv", reading);
  EXPECT_EQ(list.jobs.size(), 1U);
  EXPECT_THAT(list.notes.front(), HasSubstr("1 bad row is left out, the first: line 2: scheduled_time"));
}

TEST(WrongTraces, SayWhereAJobStandsTwice) {
  const std::string pod = "a,1,1,1,1000,,LS,Running,5,10,6\n";
  const JobList list =
      read_jobs_text(kOpenbHeader + pod + pod + "b,1,1,1,1000,,LS,Running,5,10,6\n", "o.csv");
  EXPECT_EQ(list.jobs.size(), 3U);
  EXPECT_THAT(list.notes.back(), HasSubstr("1 job has the name of one above it"));
}

TEST(UnknownFiles, AreSaidToBeUnknown) {
  EXPECT_THAT(said("a,b,c\n1,2,3\n"), HasSubstr("no known list of jobs"));
  EXPECT_THAT(said("a,b,c\n1,2,3\n"), HasSubstr("helios"));
  EXPECT_THAT(said(""), HasSubstr("is empty"));
  EXPECT_THAT(said("\n\n\n"), HasSubstr("error"));
  EXPECT_THAT(said(std::string("\x1f\x8b\x08", 3)), HasSubstr("is packed"));
  EXPECT_THAT(said(std::string("\xFF\xFE"
                               "a\0",
                               4)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(said(std::string(5, '\0')), HasSubstr("error"));
  EXPECT_THAT(said(kHeliosHeader, "a.csv", as_format(JobFormat::openb)), HasSubstr("is missing"));
  EXPECT_THAT(said("x" + std::string(100000, ',') + "\n"), HasSubstr("error"));
  EXPECT_THROW(job_format("heliso", "--jobs-format"), InputError);
  EXPECT_EQ(job_format("helios", "--jobs-format"), JobFormat::helios);
  EXPECT_EQ(job_format("detect", "--jobs-format"), JobFormat::detect);
}

// Any bytes behind any header: an answer or an error, and every number of an answer is one.
RC_GTEST_PROP(HostileJobs, AnswerOrError, ()) {
  const std::vector<std::string> headers = {
      "submit_s,devices,run_s,estimate_s,priority,wait_s\n",
      kHeliosHeader,
      kKalosHeader,
      kOpenbHeader,
      "job_name,task_name,inst_num,status,start_time,end_time,plan_gpu,plan_cpu,"
      "plan_mem,gpu_type\n",
      "[",
      ""};
  std::string text = headers[*rc::gen::inRange<std::size_t>(0, headers.size())];
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::elementOf(std::vector<std::string>{",",
                                                  "\n",
                                                  "0",
                                                  "1",
                                                  "-1",
                                                  "1e300",
                                                  "nan",
                                                  "inf",
                                                  "2020-06-09 18:41:01",
                                                  "\"",
                                                  "{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  "\\",
                                                  "None",
                                                  ":",
                                                  "\"attempts\"",
                                                  "a",
                                                  "\xFF",
                                                  "1e-320",
                                                  "99999999999999999999",
                                                  " ",
                                                  "\r"}));
  for (const std::string& piece : pieces) text += piece;
  for (const bool skip : {false, true}) {
    JobReading reading;
    reading.skip_bad_rows = skip;
    try {
      const JobList list = read_jobs_text(text, "x", reading);
      RC_ASSERT(!list.jobs.empty());
      double last = 0;
      for (const Job& job : list.jobs) {
        RC_ASSERT(job.submit_s >= last && job.submit_s <= 1e12);
        RC_ASSERT(job.run_s >= 0 && job.run_s <= 1e12 && job.devices >= 1);
        last = job.submit_s;
      }
    } catch (const InputError& error) {
      RC_ASSERT(!error.findings().empty());
    }
  }
}

}  // namespace
}  // namespace trainyard
