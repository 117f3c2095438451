// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/op.hpp>

#include <doctest/doctest.h>

#include <string>

using stagecut::op;
using stagecut::op_kind;

TEST_CASE("an op as text, in PyTorch's words") {
  CHECK(to_string(op{op_kind::forward, 3, 12}) == "3F12");
  CHECK(to_string(op{op_kind::backward, 0, 0}) == "0B0");
  CHECK(to_string(op{op_kind::backward_input, 1, 2}) == "1I2");
  CHECK(to_string(op{op_kind::backward_weight, 1, 2, 3}) == "1W2:3");
  CHECK(to_string(op{op_kind::send_forward, 1, 2}) == "1SEND_F2");
  CHECK(to_string(op{op_kind::receive_backward, 1, 2}) == "1RECV_B2");
  CHECK(to_string(op{op_kind::unshard, 4, 0}) == "4UNSHARD");
  CHECK(to_string(op{op_kind::reduce_gradient, 4, 0}) == "4REDUCE_GRAD");
}

TEST_CASE("each kind computes, transfers, or neither") {
  int computes = 0;
  int transfers = 0;
  for (int kind = 0; kind <= static_cast<int>(op_kind::optimizer_step); ++kind) {
    const auto each = static_cast<op_kind>(kind);
    CHECK_FALSE((is_compute(each) && is_transfer(each)));
    computes += is_compute(each);
    transfers += is_transfer(each);
    CHECK(has_microbatch(each) == (is_compute(each) || is_transfer(each)));
  }
  CHECK(computes == 4);
  CHECK(transfers == 4);
  static_assert(is_compute(op_kind::backward_weight) && is_transfer(op_kind::send_forward));
  static_assert(has_microbatch(op_kind::receive_backward) && !has_microbatch(op_kind::reduce_gradient));
  static_assert(!is_compute(op_kind::optimizer_step) && !is_transfer(op_kind::unshard));
}

TEST_CASE("the other end of a transfer") {
  const op sent{op_kind::send_forward, 3, 5, 1};
  CHECK(other_end(sent) == op{op_kind::receive_forward, 4, 5, 1});
  CHECK(other_end(op{op_kind::send_backward, 3, 5}) == op{op_kind::receive_backward, 2, 5});
  for (const auto kind :
       {op_kind::send_forward, op_kind::receive_forward, op_kind::send_backward, op_kind::receive_backward}) {
    const op each{kind, 3, 5};
    CHECK(other_end(other_end(each)) == each);
    CHECK(is_send(kind) != is_send(other_end(each).kind));
  }
  CHECK_FALSE(is_send(op_kind::forward));
}

TEST_CASE("ops are equal in every part") {
  const op each{op_kind::forward, 1, 2, 3};
  op other = each;
  CHECK(other == each);
  other.with_next = true;
  CHECK_FALSE(other == each);
}
