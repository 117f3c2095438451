// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_machine.hpp>

#include <doctest/doctest.h>

#include <string>

#include <stagecut/io/json/json_line.hpp>

namespace detail = stagecut::io::detail;

TEST_CASE("a machine is written as it is read, without what is not said") {
  for (const std::string text : {R"({"devices": 4, "cpus": 2, "memory": 1024, "latency": 0.5, "bandwidth": 8})",
                                 R"({"memory": 0})", R"({"latency": 0, "bandwidth": 0})", R"({"cpus": 1})"}) {
    const auto parsed = detail::parse_json(text, "f");
    const auto machine = detail::read_machine(detail::json_value(parsed, "f"));
    CHECK(stagecut::io::json_line(detail::machine_json(machine, "m")) == text);
  }
}
