#include "trainyard/operator_table.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "cost/operators.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

constexpr const char* kGemm =
    "system,dtype,m,n,k,time_us,backend,version,power_w,power_limit_w\n"
    "h100_sxm,bf16,4096,4096,4096,200.5,trtllm,1,,\n"
    "h100_sxm,bf16,8192,4096,4096,410,trtllm,1,,\n"
    "h100_sxm,bf16,8192,4096,4096,450,vllm,2,690,700\n";

OperatorTable read_table(const std::string& text, const std::string& name = "table.csv") {
  return read_operator_table(text, name, *shipped_catalog());
}

std::string gzipped(const std::string& text) {
  std::string out(text.size() + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string message_of(const std::string& text) {
  try {
    read_table(text);
  } catch (const InputError& error) {
    return describe(error.findings());
  }
  return "read";
}

TEST(OperatorTables, RowsWithPowerAreSustained) {
  const OperatorTable table = read_table(kGemm);
  ASSERT_EQ(table.series.size(), 2U);
  EXPECT_FALSE(table.series[0].sustained);
  EXPECT_EQ(table.series[0].rows.size(), 2U);
  EXPECT_TRUE(table.series[1].sustained);
  EXPECT_EQ(table.series[1].rows[0].shape, gemm_shape(8192, 4096, 4096));
  EXPECT_EQ(table.series[1].rows[0].time_us, 450);
}

TEST(OperatorTables, ColumnsOfOthersAreNamed) {
  const OperatorTable table = read_table("system,dtype,m,n,k,time_us,driver\nh100_sxm,bf16,8,8,8,5,570\n");
  ASSERT_EQ(table.series.size(), 1U);
  ASSERT_EQ(table.unread.size(), 1U);
  EXPECT_EQ(table.unread[0].message, "unknown column 'driver' in a table of gemm");
  EXPECT_EQ(table.unread[0].where.column, 28);
}

TEST(OperatorTables, GzipIsUnpacked) {
  EXPECT_EQ(read_table(gzipped(kGemm)).series.size(), 2U);
  const std::string once = kGemm;
  std::string twice = once;
  twice.append(once);
  EXPECT_EQ(unpacked(gzipped(once) + gzipped(once), "two"), twice);
}

TEST(OperatorTables, DamagedGzipIsRefused) {
  const std::string whole = gzipped(kGemm);
  for (std::size_t cut = 2; cut < whole.size(); cut += 7)
    EXPECT_NE(message_of(whole.substr(0, cut)), "read") << cut;
  std::string bent = whole;
  bent[whole.size() / 2] = static_cast<char>(bent[whole.size() / 2] ^ 0x55);
  EXPECT_NE(message_of(bent), "read");
}

TEST(OperatorTables, ColumnsTellTheOperator) {
  const auto operation = [](const std::string& text) { return read_table(text).series.at(0).key.operation; };
  EXPECT_EQ(operation("system,dtype,batch,seq,heads,kv_heads,head_dim,time_us\nx,bf16,1,2,3,1,128,5\n"),
            "attention");
  EXPECT_EQ(operation("system,dtype,kv_dtype,batch,seq,heads,time_us\nx,bf16,fp8,1,2,3,5\n"), "mla");
  EXPECT_EQ(
      operation("system,dtype,tokens,hidden,inter,topk,experts,tp,ep,time_us\nx,bf16,1,2,3,4,5,1,1,5\n"),
      "moe");
  EXPECT_EQ(operation("system,operation,dtype,devices,bytes,time_us\nx,alltoall,fp16,2,512,5\n"), "alltoall");
  EXPECT_EQ(operation("system,operation,dtype,devices,bytes,time_us,kernel\nx,all_reduce,bf16,2,512,5,own\n"),
            "custom_all_reduce");
}

TEST(OperatorTables, ErrorsNamePlaceAndWhatIsAllowed) {
  EXPECT_NE(message_of("system,dtype,m,n,k,time_us\nx,bf16,1,2,zero,5\n").find("table.csv:2:12"),
            std::string::npos)
      << message_of("system,dtype,m,n,k,time_us\nx,bf16,1,2,zero,5\n");
  EXPECT_NE(message_of("system,dtype,m,n,k,time_us\nx,fb16,1,2,3,5\n").find("did you mean 'bf16'"),
            std::string::npos);
  EXPECT_NE(message_of("system,dtype,m,n,k,tme_us\nx,bf16,1,2,3,5\n").find("time_us"), std::string::npos);
  EXPECT_NE(message_of("system,operation,dtype,devices,bytes,time_us\nx,all_reduse,fp16,2,512,5\n")
                .find("all_reduce"),
            std::string::npos);
  EXPECT_NE(message_of("system,dtype,batch,seq,heads,kv_heads,head_dim,context,time_us\n").find("generation"),
            std::string::npos);
}

TEST(OperatorTables, GarbageIsRefusedWithoutACrash) {
  for (const char* text :
       {"", "a,b\n", "\n\n\n", "system,dtype,m,n,k,time_us\n", "system,dtype,m,n,k,time_us\nx,bf16,1,2,3\n",
        "system,dtype,m,n,k,time_us\nx,bf16,nan,2,3,5\n", "system,dtype,m,n,k,time_us\nx,bf16,1,2,3,inf\n",
        "system,dtype,m,n,k,time_us\nx,bf16,1,2,3,-5\n", "system,dtype,m,n,k,time_us\nx,bf16,1,2,1e99,5\n",
        "system,dtype,m,m,k,time_us\nx,bf16,1,2,3,5\n", "system,dtype,m,n,k,time_us\n\"x,bf16,1,2,3,5\n",
        "#\n#\n", "# a\n1 2 3 4 5 6 7 8\n"}) {
    EXPECT_NE(message_of(text), "read") << text;
  }
  EXPECT_NE(message_of(std::string(3, '\0')), "read");
}

TEST(OperatorTables, MistakesNameTheirColumn) {
  const std::string head = "system,dtype,m,n,k,time_us";
  const auto says = [&](const std::string& text, const std::string& words) {
    EXPECT_NE(message_of(text).find(words), std::string::npos) << message_of(text);
  };
  says(head + ",m\nx,bf16,1,2,3,5,6\n", "table.csv:1:28: error: the column 'm' stands twice");
  says(head + ", m\nx,bf16,1,2,3,5,6\n", "the column 'm' stands twice");
  says(head + "\nx,bf16,1.5,2,3,5\n", "table.csv:2:8: error: m: '1.5' is no whole number");
  says(head + "\nx,bf16,1,2,3,nan\n", "time_us: 'nan' is no number from 0.001 to 1e+15");
  says(head + "\nx,bf16,1,2,3,1e-300\n",
       "time_us: '1e-300' is no number");  // its error would be beyond numbers
  says("system,dtype,batch,seq,heads,kv_heads,head_dim,time_us\nx,bf16,1,64,8,16,128,5\n",
       "table.csv:2:15: error: kv_heads: 16 of 8 heads");
  says("system,dtype,tokens,hidden,inter,topk,experts,tp,ep,time_us\nx,bf16,64,64,64,9,8,1,1,5\n",
       "topk: 9 of 8 experts");
  says(head + ",power_w\nx,bf16,1,2,3,5,nan\n", "power_w: 'nan' is no number");
  says(head + ",powr_w\nx,bf16,1,2,3,5,700\n",
       "table.csv:1:28: error: unknown column 'powr_w' in a table of gemm");
  says(head + ",powr_w\nx,bf16,1,2,3,5,700\n", "did you mean 'power_w'?");
}

TEST(OperatorTables, BlanksAroundFieldsAreNobodys) {
  const OperatorTable table = read_table("system , dtype,m,n, k,time_us\nh100_sxm , bf16, 64,64 ,64, 5\n");
  EXPECT_EQ(table.series.at(0).key.system, "h100_sxm");
  EXPECT_EQ(table.series.at(0).rows.at(0).shape, gemm_shape(64, 64, 64));
}

TEST(OperatorTables, FindingsAreCapped) {
  std::string text = "system,dtype,m,n,k,time_us\n";
  for (int i = 0; i < 1000; ++i) text += "x,bf16,1,2,no,5\n";
  try {
    read_table(text);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings().size(), kMostFindings);
  }
}

TEST(OperatorTables, CollectivesTakeTheMedianOverVersions) {
  const OperatorTable table = with_median_versions(
      read_table("system,operation,dtype,devices,bytes,time_us,backend,version\n"
                 "x,all_reduce,fp16,2,512,5,nccl,1\nx,all_reduce,fp16,2,512,9,nccl,2\nx,all_"
                 "reduce,fp16,2,512,6,nccl,3\n"));
  ASSERT_EQ(table.series.size(), 1U);
  ASSERT_EQ(table.series[0].rows.size(), 1U);
  EXPECT_EQ(table.series[0].rows[0].time_us, 6);
}

}  // namespace
}  // namespace trainyard
