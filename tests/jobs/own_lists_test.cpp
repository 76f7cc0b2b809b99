// This project's own lists, and what is said of wrong ones.
#include "job_texts.h"

namespace trainyard {
namespace {

using testing::HasSubstr;

TEST(OwnJobs, NeedThreeColumnsInAnyOrder) {
  const JobList list = read_jobs_text("run_s,devices,submit_s\n10,8,100\n20.5,1,160\n", "a.csv");
  EXPECT_EQ(list.format, "trainyard");
  ASSERT_EQ(list.jobs.size(), 2U);
  EXPECT_EQ(list.jobs[0].submit_s, 0);
  EXPECT_EQ(list.jobs[1].submit_s, 60);
  EXPECT_EQ(list.jobs[1].run_s, 20.5);
  EXPECT_EQ(list.jobs[1].estimate_s, 20.5);
  EXPECT_EQ(list.jobs[1].devices, 1);
  EXPECT_EQ(list.jobs[1].row, 3);
  EXPECT_FALSE(list.jobs[1].wait_recorded_s);
  EXPECT_TRUE(list.notes.empty());
}

TEST(OwnJobs, AreReadAsTheyWereWritten) {
  const std::string text =
      "name,user,submit_s,devices,run_s,estimate_s,priority,wait_s,traffic\n"
      "\"a,b\",\"say \"\"x\"\"\",0,16,3600.25,7200,-2,12.5,ring\n"
      "None,nan,1.5,1,0,0,0,,\n";
  const JobList list = read_jobs_text(text, "a.csv");
  EXPECT_EQ(list.jobs[0].name, "a,b");
  EXPECT_EQ(list.jobs[0].user, "say \"x\"");
  EXPECT_EQ(list.jobs[0].priority, -2);
  EXPECT_EQ(list.jobs[0].wait_recorded_s, 12.5);
  EXPECT_EQ(list.jobs[0].pattern, "ring");
  EXPECT_EQ(jobs_csv(list), text);
}

TEST(OwnJobs, OfWindowsAreReadToo) {
  const JobList list = read_jobs_text("\xEF\xBB\xBFsubmit_s,devices,run_s\r\n0,1,5\r\n\r\n", "a.csv");
  EXPECT_EQ(list.jobs.size(), 1U);
}

TEST(OwnJobs, SayWhichRowIsWrong) {
  const std::string head = "name,submit_s,devices,run_s\na,5,1,1\n";
  EXPECT_THAT(said(head + "b,4,1,1\n"),
              HasSubstr("list.csv:3:3: error: submit_s: 4 is before the row above, 5"));
  EXPECT_THAT(said(head + "b,-4,1,1\n"), HasSubstr("list.csv:3:3: error: submit_s: '-4' is negative"));
  EXPECT_THAT(said(head + "b,6,0,1\n"), HasSubstr("list.csv:3:5: error: devices: '0' is not allowed"));
  EXPECT_THAT(said(head + "b,6,1.5,1\n"), HasSubstr("no whole number"));
  EXPECT_THAT(said(head + "b,6,1,-1\n"), HasSubstr("list.csv:3:7: error: run_s: '-1' is negative"));
  EXPECT_THAT(said(head + "b,6,1,\n"), HasSubstr("run_s is empty"));
  EXPECT_THAT(said(head + "b,6,1,2e12\n"), HasSubstr("allowed: 0 to 1e+12"));
  EXPECT_THAT(said(head + "b,6,1,inf\n"), HasSubstr("is no number"));
  EXPECT_THAT(said(head + "b,6,1,5 s\n"), HasSubstr("is no number"));
  EXPECT_THAT(said(head + "b,nan,1,5\n"), HasSubstr("submit_s: 'nan' is no number"));
  const std::string optional = "submit_s,devices,run_s,estimate_s,priority,wait_s\n0,1,5,";
  EXPECT_THAT(said(optional + "nan,0,0\n"), HasSubstr("list.csv:2:7: error: estimate_s: 'nan' is no number"));
  EXPECT_THAT(said(optional + "5,NULL,0\n"), HasSubstr("priority: 'NULL' is no number"));
  EXPECT_THAT(said(optional + "5,0,NaN\n"), HasSubstr("wait_s: 'NaN' is no number"));
  EXPECT_THAT(said(head + "\n\na,6,1,1\n"), HasSubstr("list.csv:5:1: error: name: 'a' again, as on line 2"));
  EXPECT_THAT(said(head + "b,6,1\n"), HasSubstr("3 fields under 4 columns"));
  EXPECT_THAT(said(head + "b,6,1,1,1\n"), HasSubstr("5 fields under 4 columns"));
  EXPECT_THAT(said(head + "\"b,6,1,1\n"), HasSubstr("a quote that is never closed"));
}

TEST(OwnJobs, NameTheNearestColumn) {
  EXPECT_THAT(said("submit_s,device,run_s\n"), HasSubstr("did you mean 'devices'?"));
  EXPECT_THAT(said("submit_s,devices\n0,1\n"), HasSubstr("column 'run_s' is missing"));
  EXPECT_THAT(said("submit_s,devices,run_s,run_s\n0,1,1,1\n"), HasSubstr("column 'run_s' again"));
  EXPECT_THAT(said("submit_s,devices,run_s,traffic\n0,1,1,rings\n"), HasSubstr("did you mean 'ring'?"));
}

TEST(OwnJobs, CanBeReadWithoutTheirBadRows) {
  JobReading reading;
  reading.skip_bad_rows = true;
  const JobList list =
      read_jobs_text("submit_s,devices,run_s\n0,1,1\n5,1,-1\n5,0,1\n9,1,1\n", "a.csv", reading);
  EXPECT_EQ(list.jobs.size(), 2U);
  ASSERT_EQ(list.notes.size(), 1U);
  EXPECT_EQ(list.notes[0], "2 bad rows are left out, the first: line 3: run_s: '-1' is negative");
}

TEST(OwnJobs, HaveALimit) {
  JobReading reading;
  reading.most_jobs = 2;
  EXPECT_THAT(said("submit_s,devices,run_s\n0,1,1\n0,1,1\n0,1,1\n", "a.csv", reading),
              HasSubstr("a.csv:4:1: error: more than 2 jobs"));
}

TEST(Figures, AreThoseOfSmallLists) {
  const JobList list =
      read_jobs_text("submit_s,devices,run_s,wait_s\n0,1,10,1\n10,2,20,\n20,4,90,3\n40,8,40,11\n", "a.csv");
  const JobFigures f = job_figures(list);
  EXPECT_EQ(f.jobs, 4);
  EXPECT_EQ(f.span_s, 40);
  EXPECT_EQ(f.device_s, 10 + 40 + 360 + 320);
  EXPECT_EQ(f.mean_devices, 3.75);
  EXPECT_EQ(f.median_devices, 3);
  EXPECT_EQ(f.largest_devices, 8);
  EXPECT_EQ(f.mean_run_s, 40);
  EXPECT_EQ(f.median_run_s, 30);
  EXPECT_EQ(f.mean_wait_s, 5);
  EXPECT_EQ(f.median_wait_s, 3);
  EXPECT_EQ(f.median_completion_s, 51);
}

}  // namespace
}  // namespace trainyard
