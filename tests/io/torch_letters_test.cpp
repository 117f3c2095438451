// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/torch_letters.hpp>

#include <doctest/doctest.h>

using stagecut::op_kind;
using stagecut::io::torch_letters;
using stagecut::io::detail::torch_kind;

TEST_CASE("what B means depends on the letters") {
  op_kind kind{};
  CHECK(torch_kind("B", torch_letters::current, kind));
  CHECK(kind == op_kind::backward);
  CHECK(torch_kind("B", torch_letters::old, kind));
  CHECK(kind == op_kind::backward_input);
  CHECK(torch_kind("BW", torch_letters::old, kind));
  CHECK(kind == op_kind::backward);
  CHECK_FALSE(torch_kind("I", torch_letters::old, kind));
  CHECK_FALSE(torch_kind("BW", torch_letters::current, kind));
  CHECK(torch_kind("REDUCE_GRAD", torch_letters::current, kind));
  CHECK(kind == op_kind::reduce_gradient);
  CHECK_FALSE(torch_kind("OPTIMIZER", torch_letters::current, kind));
}
