// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_schedule.hpp>

#include <doctest/doctest.h>

#include <string>

namespace detail = stagecut::io::detail;
using stagecut::op;
using stagecut::op_kind;

TEST_CASE("an order is read as it is written") {
  const std::vector<op> order = {{op_kind::forward, 12, 345},
                                 {op_kind::forward, 1, 2, 0, true},
                                 {op_kind::backward, 3, 4},
                                 {op_kind::backward_input, 5, 6},
                                 {op_kind::backward_weight, 5, 6}};
  const detail::json text = detail::order_json(order);
  CHECK(text.dump() == R"(["12F345",["1F2","3B4"],"5I6","5W6"])");
  CHECK(detail::read_order(detail::json_value(text, "x")) == order);
  CHECK(detail::order_json({}).dump() == "[]");
}

TEST_CASE("passes have four kinds") {
  CHECK(detail::pass_kind("I") == op_kind::backward_input);
  for (const char* word : {"", "f", "FB", "SEND_F", "OPTIMIZER"}) CHECK_FALSE(detail::pass_kind(word).has_value());
}

TEST_CASE("a schedule with a name stands on one line, an order on one for each rank") {
  CHECK(detail::schedule_text({"1f1b", 4, {}}) == R"({"name": "1f1b", "microbatches": 4})");
  CHECK(detail::schedule_text({"", 1, {{{op_kind::forward, 0, 0}, {op_kind::backward, 0, 0}}, {}}}) ==
        "{\"name\": \"\", \"microbatches\": 1, \"orders\": [\n  [\"0F0\", \"0B0\"],\n  []\n ]}");
}
