// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/target_schedules.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace detail = stagecut::detail;
using stagecut::entry_of;
using stagecut::framework;

TEST_CASE("the schedules of a target, with one stage a device and with several") {
  std::size_t count = 9;
  CHECK(detail::known_schedules(entry_of(framework::deepspeed), 1, count) == "\"1f1b\"");
  CHECK(count == 1);
  CHECK(detail::known_schedules(entry_of(framework::deepspeed), 2, count) == "\"dualpipev\"");
  CHECK(count == 1);
  CHECK(detail::known_schedules(entry_of(framework::alpa), 1, count) == "\"1f1b\" and \"gpipe\"");
  CHECK(count == 2);
  CHECK(detail::known_schedules(entry_of(framework::sapp), 2, count) ==
        "\"interleaved\", \"sapp-big\" and \"sapp-less-memory\"");
  CHECK(count == 3);
  CHECK(detail::usual_schedule(entry_of(framework::megatron), 1) == "1f1b");
  CHECK(detail::usual_schedule(entry_of(framework::megatron), 3) == "interleaved");
  CHECK(detail::usual_schedule(entry_of(framework::torchgpipe), 1) == "gpipe");
  CHECK(detail::usual_schedule(entry_of(framework::torchgpipe), 2) == "");
  CHECK(detail::usual_schedule(entry_of(framework::vllm), 1) == "");
}

TEST_CASE("why a target does not run a schedule") {
  const auto why = [](framework to, const char* name, std::size_t chunks, std::size_t m = 8, std::size_t group = 0) {
    return detail::schedule_obstacle(entry_of(to), name, 4, chunks, m, group);
  };
  CHECK(why(framework::deepspeed, "1f1b", 1) == "");
  CHECK(why(framework::deepspeed, "zb-h1", 1) == "its schedule is \"zb-h1\", and the only one there is \"1f1b\"");
  CHECK(why(framework::deepspeed, "dualpipev", 2) == "");
  CHECK(why(framework::deepspeed, "dualpipev", 2, 7) ==
        "7 microbatches, and DualPipeV needs at least two for each of the 4 ranks: 8");
  CHECK(why(framework::alpa, "no such", 1) ==
        "its schedule is \"no such\", and those there are \"1f1b\" and \"gpipe\"");
  CHECK(why(framework::megatron, "zbv", 2) ==
        "its schedule is \"zbv\", and the only one there with several stages on a device is \"interleaved\"");
  CHECK(why(framework::megatron, "1f1b", 2).find("with several stages on a device") != std::string::npos);
  CHECK(why(framework::megatron, "interleaved", 1).find("the only one there is \"1f1b\"") != std::string::npos);
  CHECK(why(framework::megatron, "interleaved", 2) == "");
  CHECK(why(framework::megatron, "interleaved", 2, 7) ==
        "7 microbatches, and interleaved they must be a multiple of the 4 ranks, or come in groups, for example of 7");
  CHECK(why(framework::megatron, "interleaved", 2, 7, 7) == "");
  CHECK(why(framework::megatron, "interleaved", 2, 0) == "");
  CHECK(why(framework::vllm, "zb-h1", 1) == "");  // it serves, and runs none
}
