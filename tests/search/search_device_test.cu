// SPDX-License-Identifier: BSL-1.0
// The tests of searches, compiled for a device: the same candidates there as on the host, and the same answers to the bit.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/search/bounded.hpp>
#include <stagecut/search/backends_on.hpp>
#include <stagecut/search/stage_dp.hpp>
#include <stagecut/search/tempered.hpp>

#include "best_test.cpp"
#include "evaluators_test.cpp"

namespace {

/// Promises nothing: stages of an odd length pay.
struct odd_stages {
  stagecut::view<const double> sums;

  [[nodiscard]] std::size_t size() const { return sums.size() - 1; }
  [[nodiscard]] STAGECUT_HOST_DEVICE double operator()(std::size_t first, std::size_t last) const {
    return sums[last] - sums[first] + ((last - first) % 2 == 1 ? 3 : 0);
  }
  template <class Memory>
  [[nodiscard]] odd_stages placed(Memory& memory) const {
    return {memory(sums)};
  }
};

}  // namespace

TEST_CASE("a dynamic program says the same on every system") {
  std::mt19937 random(12);
  for (int i = 0; i < 20; ++i) {
    std::vector<double> sums{0};
    for (int j = 0; j < 300; ++j) sums.push_back(sums.back() + static_cast<double>(random() % 50));
    const odd_stages cost{sums};
    const std::size_t stages = 1 + random() % 20;
    const auto expected = search::stage_dp(thrust::seq, cost, stages);
    const auto sum = search::stage_dp(thrust::seq, cost, stages, stagecut::total_cost{});
    on_each_system([&](const auto& policy) {
      CHECK(search::stage_dp(policy, cost, stages)->cuts == expected->cuts);
      CHECK(search::stage_dp(policy, cost, stages)->value == expected->value);
      CHECK(search::stage_dp(policy, cost, stages, stagecut::total_cost{})->cuts == sum->cuts);
    });
  }
}

TEST_CASE("helpers of a search find and prove the same on every system") {
  std::mt19937 random(13);
  for (int i = 0; i < 6; ++i) {
    const random_model model(random, 24, false, false);
    stagecut::makespan_request request{
        .schedule = stagecut::make_schedule("interleaved", {.ranks = 3, .stages_per_rank = 3, .microbatches = 6})};
    request.search.time_limit.reset();
    request.search.node_limit = 20'000;
    const auto plain = stagecut::minimize_makespan(model, request);
    on_each_system([&](const auto& policy) {
      search::backends_on helpers(policy);
      auto helped = request;
      helped.backends = helpers.refs();
      const auto answer = stagecut::minimize_makespan(model, helped);
      if (answer.state() == state::optimal && plain.state() == state::optimal) CHECK(answer->value == plain->value);
      CHECK(answer->bound <= plain->value);
      CHECK(plain->bound <= answer->value);
    });
    // The same number of simulations and chains: the same cut.
    std::vector<std::size_t> first;
    on_each_system([&](const auto& policy) {
      auto heuristic = search::tempered(policy, {.chains = 64});
      auto helped = request;
      helped.backends.heuristic = std::ref(heuristic);
      const auto answer = stagecut::minimize_makespan(model, helped);
      const std::vector<std::size_t> points(answer->cuts.points().begin(), answer->cuts.points().end());
      if (first.empty()) first = points;
      CHECK(points == first);
    });
  }
}

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (status != 0 || has_device()) return status;
  std::printf("skipped: no device\n");
  return 77;
}
