// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/tables/nvtx_ranges.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../refusal.hpp"

using doctest::Approx;
using stagecut::io::read_nvtx_ranges;

namespace {

const std::string trace_header =
    "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,ParentId,"
    "RangeStack,NameTree\n";
const std::string sum_header =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range\n";

std::string refused(const std::string& text, const stagecut::io::read_limits& limits = {}) {
  return refusal<stagecut::invalid_input>([&] { return read_nvtx_ranges(text, "x.csv", limits); });
}

}  // namespace

TEST_CASE("each run of a trace") {
  const auto made = read_nvtx_ranges(
      "Generating SQLite file report.sqlite from report.nsys-rep\n"
      "Processing [report.sqlite] with [nvtx_pushpop_trace.py]...\n\n" +
          trace_header +
          "100,4000100,4000000,0,4000000,\":layers.0, forward\",53,53,0,0,1,,:1,\"x\"\n"
          "4000200,6000200,2000000,0,2000000,:head,53,53,0,0,2,,:2,:head\n"
          "7000000,8000000,1000000,0,1000000,\":layers.0, forward\",53,54,0,0,3,,:3,x\n"
          "9000000,12000000,3000000,0,3000000,\":layers.0, forward\",53,53,0,0,4,,:4,x\n"
          "\n"
          "Processing [report.sqlite] with [other.py]...\n",
      "x.csv");
  CHECK(!made.on_device);
  REQUIRE(made.ranges.size() == 2);
  const auto* const layer = made.find("layers.0, forward");
  REQUIRE(layer == &made.ranges[0]);
  CHECK(layer->samples == std::vector<double>{0.004, 0.001, 0.003});
  CHECK(layer->instances == 3);
  CHECK(layer->total == Approx(0.008));
  CHECK(layer->mean() == Approx(0.008 / 3));
  CHECK(layer->median == 0.003);
  CHECK(layer->least == 0.001);
  CHECK(layer->most == 0.004);
  CHECK(made.ranges[1].name == "head");
  CHECK(made.ranges[1].median == 0.002);
  CHECK(made.find("tail") == nullptr);
}

TEST_CASE("runs on the device") {
  const auto made = read_nvtx_ranges(
      "Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration "
      "(ns),Style,PID,TID,NumGPUOps,Lvl,"
      "NumChild,RangeId,ParentId,RangeStack\n"
      ",10,900,,,,1,1,164,,0,,,\n"
      "a,10,200,5,50,PushPop,1,1,2,0,0,2,,:2\n"
      "b,,,5,70,PushPop,1,1,0,0,0,3,,:3\n"
      "a,30,400,5,50,PushPop,1,1,2,0,0,4,,:4\n",
      "x.csv");
  CHECK(made.on_device);
  REQUIRE(made.ranges.size() == 1);
  CHECK(made.ranges[0].instances == 2);
  CHECK(*made.ranges[0].median == Approx(3e-7));
}

TEST_CASE("what reports sum up") {
  const auto made = read_nvtx_ranges(sum_header +
                                         "80.0,8000,8,1000.5,1000.0,900,1100,0.0,PushPop,:forward\n"
                                         "20.0,2000,2,1000.0,1000.0,800,1200,0.0,StartEnd,optimizer:step\n"
                                         "10.0,1000,2,500.0,500.0,400,600,0.0,StartEnd,forward\n",
                                     "x.csv");
  REQUIRE(made.ranges.size() == 2);
  const auto& forward = made.ranges[0];
  CHECK(forward.name == "forward");
  CHECK(forward.instances == 10);
  CHECK(forward.total == Approx(9e-6));
  CHECK(forward.mean() == Approx(9e-7));
  CHECK(!forward.median);  // of two rows it is not known
  CHECK(*forward.least == Approx(4e-7));
  CHECK(*forward.most == Approx(1.1e-6));
  CHECK(forward.samples.empty());
  CHECK(made.ranges[1].name == "optimizer:step");
  CHECK(*made.ranges[1].median == Approx(1e-6));
  CHECK(*made.ranges[1].least == Approx(8e-7));
}

TEST_CASE("sums of the device's work, in other units, without all columns") {
  const auto made = read_nvtx_ranges(
      "Range,Style,Total Proj Time (ms),Total Range Time (ms),Range Instances,Proj Med (ms)\n"
      ":a,PushPop,12,99,4,2.5\n",
      "x.csv");
  CHECK(made.on_device);
  CHECK(made.ranges[0].total == Approx(0.012));
  CHECK(made.ranges[0].mean() == Approx(0.003));
  CHECK(*made.ranges[0].median == Approx(0.0025));
  CHECK(!made.ranges[0].least);
  CHECK(read_nvtx_ranges("\"Total Time (us)\",\"Instances\",\"Range\"\n7,1,a", "x.csv").ranges[0].total ==
        Approx(7e-6));
}

TEST_CASE("the first table of ranges counts, and kernels are none") {
  const std::string kernels = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n100,5,1,5,gemm\n\n";
  const std::string calls = "Start (ns),Duration (ns),Name,Result,CorrID\n1,2,cudaLaunchKernel,0,11\n\n";
  const auto made =
      read_nvtx_ranges(kernels + calls + sum_header + "1,7,1,7,7,7,7,0,PushPop,a\n\n" + trace_header, "x.csv");
  CHECK(made.ranges.size() == 1);
  CHECK(made.ranges[0].total == Approx(7e-9));
  CHECK(refused(kernels + calls).starts_with("x.csv: has no line that names the columns of NVTX ranges, as "));
}

TEST_CASE("what is wrong is refused at its line") {
  CHECK(refused("").starts_with("x.csv: has no line that names the columns"));
  CHECK(refused(sum_header) == "x.csv: names no range that ran");
  CHECK(refused(sum_header + "1,7,1,7,7,7,7,0,PushPop\n") == "x.csv:2: 9 fields, and the header names 10");
  CHECK(refused(sum_header + "1,7,0,7,7,7,7,0,PushPop,a\n") ==
        "x.csv:2: instances: \"0\" is no whole number from 1 on");
  CHECK(refused(sum_header + "1,7,1.5,7,7,7,7,0,PushPop,a\n") ==
        "x.csv:2: instances: \"1.5\" is no whole number from 1 on");
  CHECK(refused(sum_header + "1,-7,1,7,7,7,7,0,PushPop,a\n") == "x.csv:2: Total Time (ns): \"-7\" is negative");
  CHECK(refused(sum_header + "1,7,1,7,7,nan,7,0,PushPop,a\n") == "x.csv:2: Min (ns): \"nan\" is NaN");
  CHECK(refused(sum_header + "1,\"7,000\",1,7,7,7,7,0,PushPop,a\n") ==
        "x.csv:2: Total Time (ns): \"7,000\" is not a number");
  CHECK(refused(sum_header + "1,7,1,7,7,7,7,0,PushPop,\"a\n") == "x.csv:2: the quote of field 10 is not closed");
  CHECK(refused("Total Time (s),Instances,Range\n1e308,1,a\n1e308,1,a\n") == "x.csv:3: \"a\": the sum is out of range");
  CHECK(refused(sum_header, {.bytes = 5}).starts_with("x.csv: is larger than 5"));
}
