// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/sweep.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../plan/known_profile.hpp"
#include "../plan/random_sweeps.hpp"
#include "../refusal.hpp"
#include "systems.hpp"

using stagecut::sweep_axes;
using stagecut::sweep_rows;
using stagecut::search::sweep;

TEST_CASE("the rows are the same to the bit on every system and for any number of threads") {
  random_sweeps random(11);
  for (int round = 0; round < 25; ++round) {
    const auto model = random.profile();
    auto request = random.request();
    request.search.node_limit = 100;
    const auto axes = random.axes();
    const auto rows = sweep_rows(model, request, axes);
    on_each_system([&](const auto& policy) { REQUIRE(sweep(policy, model, request, axes) == rows); });
  }
}

TEST_CASE("rounds that leave rows out do not depend on who runs them") {
  const auto model = known_profile::chain_of({8, 11, 2, 1, 18, 5, 4, 11, 7, 6});
  sweep_axes axes{{1, 2, 3, 4, 5}, {4, 6, 8, 12, 16, 24}, {}, {1}, {}};
  using enum stagecut::schedule_kind;
  axes.schedules = {gpipe, one_forward_one_backward, eager_one_forward_one_backward, zb_h1, zb_h2};
  axes.checkpoints = {stagecut::checkpointing::never, stagecut::checkpointing::always};
  stagecut::plan_request request;
  request.search.node_limit = 50;
  const auto rows = sweep(thrust::seq, model, request, axes);
  REQUIRE(rows.size() == 300);
  on_each_system([&](const auto& policy) { CHECK(sweep(policy, model, request, axes) == rows); });
  std::size_t dominated = 0;
  for (const auto& row : rows) dominated += row.dominated ? 1 : 0;
  CHECK(dominated > 0);
}

TEST_CASE("an exception of one configuration is not lost, and it is the first of them") {
  const sweep_axes axes{{2}, {4, 8, 12, 16, 20, 24, 28, 32}, {}, {}, {}};
  const auto improve = [](const stagecut::heuristic_call& task, stagecut::view<std::size_t>) -> bool {
    throw std::runtime_error(std::to_string(task.value));
  };
  stagecut::plan_request request;
  request.backends.heuristic = improve;
  const auto says = [&](const auto& policy) {
    return refusal<std::runtime_error>([&] { return sweep(policy, known_profile::known, request, axes); });
  };
  const std::string first = says(thrust::seq);
  CHECK(first != "not refused");
  for (int round = 0; round < 10; ++round) {
    on_each_system([&](const auto& policy) { REQUIRE(says(policy) == first); });
  }
  const auto refused = refusal([&] { return sweep(thrust::seq, known_profile::known, {}, {.devices = {0}}); });
  CHECK(refused == "stagecut::sweep_rows: axes.devices[0] = 0, must be at least 1");
}

TEST_CASE("stop is asked by all threads, and ends the sweep on every system") {
  const auto model = known_profile::chain_of({8, 11, 2, 1, 18, 5, 4, 11, 7, 6});
  const sweep_axes axes{{2, 3, 4}, {8, 12, 24}, {}, {1, 2}, {}};
  const auto whole = sweep_rows(model, {}, axes);
  std::atomic<std::size_t> asked = 0;
  const auto stop = [&] { return ++asked > 40; };
  stagecut::plan_request request;
  request.search.stop = stop;
  const auto check = [&](const auto& policy) {
    asked = 0;
    const auto rows = sweep(policy, model, request, axes);
    REQUIRE(rows.size() == whole.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].has_plan()) CHECK(rows[i].makespan == whole[i].makespan);
    }
  };
  on_each_system(check);
}
