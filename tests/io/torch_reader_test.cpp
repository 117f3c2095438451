// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/torch_reader.hpp>

#include <doctest/doctest.h>

#include <string>

using stagecut::io::torch_letters;
using stagecut::io::detail::torch_reader;

namespace {

std::string refusal(const std::string& text) {
  try {
    (void)torch_reader(text, "s.csv", torch_letters::current).read();
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a line a rank, a cell an op; mistakes with both") {
  const auto read = torch_reader("0F0,,0B0\n1F0,1B0\n", "s.csv", torch_letters::current).read();
  CHECK(read.ranks() == 2);
  CHECK(read.stages() == 2);
  CHECK(read.microbatches == 1);
  CHECK(read.orders[0].size() == 2);
  CHECK(refusal("") == "s.csv:1: has no op: each line holds the ops of a rank");
  CHECK(refusal("0F0,0X0\n") == "s.csv:1: cell 2: \"0X0\" has the kind \"X\", which is none of PyTorch's");
  CHECK(refusal("0F0,0B0\n0F0\n") == "s.csv:2: cell 1: \"0F0\" is of a stage that line 1 has");
  CHECK(refusal("0F0,0F0,0B0\n") == "s.csv:1: cell 2: \"0F0\" stands on its rank twice");
}
