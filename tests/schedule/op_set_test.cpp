// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/op_set.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::detail::op_set;
using stagecut::detail::stage_links;

TEST_CASE("a set holds what was put into it and nothing else: passes by stage, transfers by edge") {
  schedule all;
  all.microbatches = 2;
  all.slices = 2;
  all.rank_of = {0, 1, 2};
  all.edges = {{0, 1}, {0, 2}};
  const stage_links links(all);
  std::vector<op> ops;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t q = 0; q < 2; ++q) {
      for (std::size_t s = 0; s < 3; ++s) {
        for (const op_kind kind : {op_kind::forward, op_kind::backward, op_kind::backward_input}) {
          ops.push_back({kind, s, k, q});
        }
      }
      for (const std::uint32_t to : {1U, 2U}) {
        for (const op_kind kind : {op_kind::send_forward, op_kind::receive_backward}) {
          ops.push_back({kind, 0, k, q, false, to});
          ops.push_back(other_end(ops.back()));
        }
      }
    }
  }
  op_set met(all, links, true);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    met.insert(ops[i]);
    for (std::size_t j = 0; j < ops.size(); ++j) CHECK(met.contains(ops[j].kind, ops[j]) == (j <= i));
  }
  op_set gradients(all, links, false);
  gradients.insert({op_kind::backward_input, 1, 1, 0});
  CHECK(gradients.contains_gradient({op_kind::forward, 1, 1, 0}));
  CHECK_FALSE(gradients.contains_gradient({op_kind::forward, 1, 0, 0}));
  CHECK_FALSE(gradients.contains_pass(op_kind::backward, {op_kind::forward, 1, 1, 0}));
}
