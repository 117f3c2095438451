// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/part_writer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using stagecut::io::detail::part_writer;
using stagecut::io::detail::trace_time;

TEST_CASE("texts, whole numbers, figures and times follow each other") {
  std::string text;
  const auto append = [&text](std::string_view part) { text += part; };
  part_writer out(append);
  out.put("a", std::size_t{12}, std::string("b"), 0.1, " ", trace_time{1500}, " ");
  CHECK(text.empty());  // it is held until there is enough of it
  out.put(trace_time{2e18}, " ", trace_time{0});
  out.finish();
  CHECK(text == "a12b0.1 1.5 2e+15 0");
  out.finish();
  CHECK(text == "a12b0.1 1.5 2e+15 0");
}

TEST_CASE("parts are large, and a text that is larger goes on as it is") {
  std::vector<std::string> parts;
  const auto keep = [&parts](std::string_view part) { parts.emplace_back(part); };
  part_writer out(keep);
  const std::string large(20000, 'x');
  out.put("first", large, "last");
  out.finish();
  CHECK(parts == std::vector<std::string>{"first", large, "last"});
  parts.clear();
  for (int i = 0; i < 5000; ++i) out.put("0123456789");
  out.finish();
  REQUIRE(parts.size() == 4);
  std::size_t sum = 0;
  for (const std::string& part : parts) sum += part.size();
  CHECK(sum == 50000);
  CHECK(parts[0].size() > 16000);
}
