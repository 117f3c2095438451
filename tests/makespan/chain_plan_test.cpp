// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/chain_plan.hpp>

#include <doctest/doctest.h>

namespace detail = stagecut::detail;
using stagecut::checkpointing;

TEST_CASE("how many forward passes are predicted") {
  CHECK(detail::is_predictable({.devices = 4, .microbatches = 1}));
  CHECK_FALSE(detail::is_predictable({.devices = 4}));
  CHECK(detail::is_predictable({.devices = 4, .microbatches = std::size_t{1} << 18U}));
  CHECK_FALSE(detail::is_predictable({.devices = 4, .microbatches = (std::size_t{1} << 18U) + 1}));
  CHECK_FALSE(detail::is_predictable({.devices = 4, .chunks = 2, .microbatches = std::size_t{1} << 18U}));
}

TEST_CASE("a backward pass by what it computes again, the mean over the microbatches") {
  stagecut::layer each;
  each.forward = 4;
  each.backward = 8;
  CHECK(detail::backward_of(each, checkpointing::never, 4) == 8);
  CHECK(detail::backward_of(each, checkpointing::always, 4) == 12);
  CHECK(detail::backward_of(each, checkpointing::except_last, 4) == 11);
  CHECK(detail::backward_of(each, checkpointing::except_last, 0) == 12);
}

TEST_CASE("messages between the stages of a plan") {
  stagecut::plan made;
  made.profile.layers.resize(5);
  for (std::size_t i = 0; i < 5; ++i) made.profile.layers[i].output = 10.0 * static_cast<double>(i);
  made.cuts = stagecut::cuts{0, 2, 4, 5};
  stagecut::chain_request request;
  CHECK(detail::messages_of(made, request).forward.empty());
  request.links = {{1, 10}};
  request.transfers = stagecut::transfer_kind::stream;
  const auto all = detail::messages_of(made, request);
  CHECK(all.kind == stagecut::transfer_kind::stream);
  CHECK(all.forward == std::vector<double>{2, 4});
  CHECK(all.backward == all.forward);
  request.links = {{1, 10}, {5, 0}};
  CHECK(detail::messages_of(made, request).forward == std::vector<double>{2, 5});
}
