// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/result_places.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>

#include <stagecut/schedule/generators/sliced.hpp>

using stagecut::op;
using stagecut::op_kind;

TEST_CASE("every pass and message has a place of its own, forward and back") {
  const stagecut::schedule order = stagecut::sliced_one_forward_one_backward(3, 2, 2);
  stagecut::detail::result_places places(order, true);
  std::set<const std::uint32_t*> seen;
  for (const op_kind kind : {op_kind::forward, op_kind::backward}) {
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t slice = 0; slice < 2; ++slice) {
        for (std::size_t s = 0; s < 3; ++s) seen.insert(&places.made({kind, s, k, slice}));
        for (std::size_t edge = 0; edge < 2; ++edge) {
          seen.insert(&places.sent({kind, 0, k, slice}, edge));
          seen.insert(&places.arrived({kind, 0, k, slice}, edge));
        }
      }
    }
  }
  CHECK(seen.size() == 2 * 2 * 2 * (3 + 2 + 2));
  for (const std::uint32_t* const each : seen) CHECK(*each == 0);
  CHECK(&places.made({op_kind::forward, 1, 1, 0}, 1) == &places.made({op_kind::forward, 1, 1, 1}));
  CHECK(&places.made({op_kind::backward_input, 1, 1}) == &places.made({op_kind::backward, 1, 1}));
  CHECK(&places.arrived({op_kind::receive_backward, 1, 1}, 0) == &places.arrived({op_kind::backward, 0, 1}, 0));
  static_assert(!stagecut::detail::is_back(op_kind::receive_forward) &&
                stagecut::detail::is_back(op_kind::send_backward));
}
