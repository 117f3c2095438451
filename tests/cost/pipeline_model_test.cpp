// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/pipeline_model.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "../refusal.hpp"
#include "small_models.hpp"

using small::heavy;
using small::least;
using stagecut::item_times;

namespace {

/// As models were asked once, for whole stages.
struct of_stages {
  std::size_t size() const { return 2; }
  double forward(std::size_t, std::size_t, std::size_t) const { return 1; }
  double backward(std::size_t, std::size_t, std::size_t) const { return 2; }
};

struct sized_only {
  std::size_t size() const { return 2; }
};

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("what a pipeline model is, and what it may be beside") {
  static_assert(stagecut::pipeline_model<least>);
  static_assert(!stagecut::pipeline_model<sized_only>);
  static_assert(!stagecut::pipeline_model<of_stages>);
  static_assert(!stagecut::pipeline_model<std::vector<double>>);
  static_assert(!stagecut::split_pipeline_model<least>);
  static_assert(!stagecut::sending_pipeline_model<least>);
  static_assert(!stagecut::memory_pipeline_model<least>);
  static_assert(stagecut::memory_pipeline_model<heavy>);
  static_assert(stagecut::split_pipeline_model<item_times>);
  static_assert(stagecut::sending_pipeline_model<item_times>);
  static_assert(!stagecut::memory_pipeline_model<item_times>);
  static_assert(stagecut::promises<item_times, stagecut::stage_invariant>);
  CHECK(heavy{}.memory(0, 0, 1, 3) == 3);
}

TEST_CASE("lists of times") {
  const item_times model({1, 2, 3}, {4, 5, 6}, {1, 2, 3}, {7, 8, 9});
  CHECK(model.size() == 3);
  CHECK(model.forward(5, 2) == 3);
  CHECK(model.backward(0, 1) == 5);
  CHECK(model.backward_weight(0, 1) == 2);
  CHECK(model.sent(1) == 7);
  CHECK(model.sent(2) == 8);
  CHECK(model.splits_backward());
  const item_times plain({1, 2}, {3, 4});
  CHECK(plain.backward_weight(0, 1) == 0);
  CHECK(plain.sent(1) == 0);
  CHECK_FALSE(plain.splits_backward());
  CHECK(item_times({}, {}).size() == 0);
}

TEST_CASE("lists of gradients that take another time apart") {
  const stagecut::split_item_times model({1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10});
  CHECK(model.size() == 2);
  CHECK(model.backward(0, 1) == 4);
  CHECK(model.backward_input(3, 1) == 6);
  CHECK(model.backward_weight(0, 0) == 7);
  CHECK(model.sent(2) == 10);
  CHECK(model.splits_backward());
  const auto made = [](std::vector<double> input, std::vector<double> weight) {
    return refusal([&] { return stagecut::split_item_times({1, 2}, {3, 4}, input, weight); });
  };
  CHECK(made({5, 6}, {7, 8}) == "not refused");
  CHECK(made({5}, {7, 8}) == "input: has 1 elements, forward has 2");
  CHECK(made({5, 6}, {}) == "weight: has 0 elements, forward has 2");
  CHECK(made({5, -6}, {7, 8}) == "input[1]: must be finite and not negative");
  CHECK(made({5, 6}, {infinity, 8}) == "weight[0]: must be finite and not negative");
}

TEST_CASE("lists that are not of one length, and times that are none") {
  CHECK(refusal([] { return item_times({1, 2}, {1}); }) == "backward: has 1 elements, forward has 2");
  CHECK(refusal([] { return item_times({1, 2}, {}); }) == "backward: has 0 elements, forward has 2");
  CHECK(refusal([] { return item_times({1, 2}, {1, 2}, {1}); }) == "weight: has 1 elements, forward has 2");
  CHECK(refusal([] { return item_times({1, 2}, {1, 2}, {}, {1, 2, 3}); }) == "sent: has 3 elements, forward has 2");
  CHECK(refusal([] { return item_times({1, -2}, {1, 2}); }) == "forward[1]: must be finite and not negative");
  CHECK(refusal([] { return item_times({1, 2}, {infinity, 2}); }) == "backward[0]: must be finite and not negative");
  CHECK(refusal([] {
          return item_times({1, 2}, {1, 2}, {}, {0, -infinity});
        }) == "sent[1]: must be finite and not negative");
  CHECK(refusal([] {
          return item_times({1, 2}, {1, 2}, {std::numeric_limits<double>::quiet_NaN(), 0});
        }) == "weight[0]: must be finite and not negative");
  CHECK(refusal([] { return item_times({1, 2}, {1, 2}, {1, 2.5}); }) == "weight[1]: is above the whole backward pass");
  CHECK(refusal([] { return item_times({1, 2}, {1, 2}, {1, 2}, {0, 0}); }) == "not refused");
}
