// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/mindspore_log.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../refusal.hpp"

using stagecut::io::mindspore_memory;
using stagecut::io::read_mindspore_log;

namespace {

constexpr double mb = 1048576;

std::string refused(const std::string& text, const stagecut::io::read_limits& limits = {}) {
  return refusal<stagecut::invalid_input>([&] { return read_mindspore_log(text, "x.log", limits); });
}

}  // namespace

TEST_CASE("what stands at the end of a log") {
  CHECK(read_mindspore_log("2025-01-01 [INFO] step 1, memory is fine\n\n"
                           "Device MOC memory size: 62432M\n"
                           "MindSpore Used memory size: 59392M\r\n"
                           "MindSpore memory base address: 0\n"
                           "Used peak memory usage (without fragments): 48874M\n"
                           "Actual peak memory usage (with fragments): 48900M\n",
                           "x.log") == mindspore_memory{48874 * mb, 6, 48900 * mb, 59392 * mb, 62432 * mb});
  // As grep shows it, and as older versions call the device's memory.
  CHECK(read_mindspore_log("Device HBM memory size: 32768M\n"
                           "rank_6144/mindformer.log:13340: Used peak memory usage (without fragments): 49732M",
                           "x.log") == mindspore_memory{49732 * mb, 2, {}, {}, 32768 * mb});
}

TEST_CASE("of several peaks the largest") {
  CHECK(read_mindspore_log("Used peak memory usage (without fragments): 0M\n"
                           "Used peak memory usage (without fragments): 7M\n"
                           "Actual peak memory usage (with fragments): 9M\n"
                           "Used peak memory usage (without fragments): 5M\n"
                           "Actual peak memory usage (with fragments): 8M\n",
                           "x.log") == mindspore_memory{7 * mb, 2, 9 * mb, {}, {}});
}

TEST_CASE("what is no peak is refused") {
  CHECK(refused("") ==
        "x.log: has no line \"Used peak memory usage (without fragments): ...M\": MindSpore writes one with "
        "MS_MEMORY_STATISTIC=1");
  CHECK(refused("Actual peak memory usage (with fragments): 8M").starts_with("x.log: has no line "));
  CHECK(refused("\nUsed peak memory usage (without fragments): 8G") ==
        "x.log:2: Used peak memory usage (without fragments): \"8G\" is no number of M");
  CHECK(refused("Used peak memory usage (without fragments): manyM") ==
        "x.log:1: Used peak memory usage (without fragments): \"many\" is not a number");
  CHECK(refused("Used peak memory usage (without fragments): -8M") ==
        "x.log:1: Used peak memory usage (without fragments): \"-8\" is negative");
  CHECK(refused("Used peak memory usage (without fragments): 1e308M") ==
        "x.log:1: Used peak memory usage (without fragments): \"1e308M\" is out of range");
  CHECK(refused("Used peak memory usage (without fragments):") ==
        "x.log:1: Used peak memory usage (without fragments): \"\" is no number of M");
  CHECK(refused("Used peak memory usage (without fragments): 0M") == "x.log:1: the peak is 0: nothing was run");
  CHECK(refused("Used peak memory usage (without fragments): 8M\nOut of Memory!!! Request memory size: 1B") ==
        "x.log:2: the run ended out of memory: its peak is not the peak of the model");
  CHECK(refused("Used peak memory usage (without fragments): 8M", {.bytes = 5}).starts_with("x.log: is larger than 5"));
}
