// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/pipeline_model.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using stagecut::item_times;
using stagecut::with_speeds;

namespace {

struct least {
  std::size_t size() const { return 2; }
  double forward(std::size_t, std::size_t) const { return 1; }
  int backward(std::size_t, std::size_t) const { return 2; }
};

/// As models were asked once, for whole stages.
struct of_stages {
  std::size_t size() const { return 2; }
  double forward(std::size_t, std::size_t, std::size_t) const { return 1; }
  double backward(std::size_t, std::size_t, std::size_t) const { return 2; }
};

struct sized_only {
  std::size_t size() const { return 2; }
};

struct heavy : least {
  double memory(std::size_t, std::size_t, std::size_t, std::size_t held) const { return static_cast<double>(held); }
};

template <class Make>
std::string refusal(const Make& make) {
  try {
    (void)make();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

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
  static_assert(!stagecut::promises<with_speeds<item_times>, stagecut::stage_invariant>);
  static_assert(stagecut::split_pipeline_model<with_speeds<item_times>>);
  static_assert(!stagecut::split_pipeline_model<with_speeds<least>>);
  static_assert(stagecut::memory_pipeline_model<with_speeds<heavy>>);
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
  CHECK(refusal([] { return item_times({1, 2}, {1, 2}, {1, 2}, {0, 0}); }).empty());
}

TEST_CASE("devices of different speeds") {
  const with_speeds<item_times> model(item_times({1, 2}, {4, 6}, {2, 2}, {9, 9}), {1, 2, 0.5});
  CHECK(model.size() == 2);
  CHECK(model.forward(0, 1) == 2);
  CHECK(model.forward(1, 0) == 0.5);
  CHECK(model.backward(2, 1) == 12);
  CHECK(model.backward_weight(1, 0) == 1);
  CHECK(model.sent(1) == 9);
  CHECK(model.splits_backward());
  const with_speeds<heavy> kept(heavy{}, {2, 2});
  CHECK(kept.memory(1, 0, 1, 7) == 7);
  CHECK(kept.backward(1, 0) == 1);
}

TEST_CASE("stages that take a time of their own") {
  using stagecut::stage_times;
  using stagecut::with_stage_times;
  const item_times items({1, 2}, {4, 6}, {2, 2});
  const with_stage_times<item_times> model(items, {{5}, {7, 8, 9}, {}});
  static_assert(stagecut::promises<with_stage_times<item_times>, stagecut::stage_invariant>);
  static_assert(!stagecut::promises<with_stage_times<least>, stagecut::stage_invariant>);
  static_assert(stagecut::split_pipeline_model<with_stage_times<item_times>>);
  CHECK(model.forward(2, 1) == 2);
  CHECK(model.stage_forward(0) == 5);
  CHECK(model.stage_forward(100) == 5);  // one number for all
  CHECK(model.stage_backward(2) == 9);
  CHECK(model.stage_backward_weight(2) == 0);
  CHECK(refusal([&] { return model.stage_backward(3); }) ==
        "stagecut::with_stage_times: times.backward.size() = 3, must be the number of stages, above 3");
  // One around the other: what is told already counts, too, and speeds divide all that they are put around.
  const with_stage_times<with_stage_times<item_times>> more(model, {{}, {1}, {1}});
  CHECK(more.stage_forward(1) == 5);
  CHECK(more.stage_backward(1) == 9);
  CHECK(more.stage_backward_weight(1) == 1);
  const with_speeds<with_stage_times<item_times>> slow(model, {1, 0.5, 2});
  CHECK(slow.stage_forward(1) == 10);
  CHECK(slow.stage_backward(2) == 4.5);
  CHECK(slow.stage_backward_weight(2) == 0);
  CHECK(with_speeds<item_times>(items, {2}).stage_forward(0) == 0);
}

TEST_CASE("times of stages that are none") {
  using stagecut::with_stage_times;
  const item_times items({1, 2}, {4, 6});
  const auto refused = [&](const stagecut::stage_times& times) {
    return refusal([&] { return with_stage_times<item_times>(items, times); });
  };
  CHECK(refused({{1, -1}, {}, {}}) == "forward[1]: must be finite and not negative");
  CHECK(refused({{}, {infinity}, {}}) == "backward[0]: must be finite and not negative");
  CHECK(refused({{}, {1, 2}, {0, -2}}) == "backward_weight[1]: must be finite and not negative");
  CHECK(refused({{}, {1, 2}, {1, 3}}) == "backward_weight[1]: is above the whole backward pass");
  CHECK(refused({{}, {2, 1}, {2}}) == "backward_weight[1]: is above the whole backward pass");
  CHECK(refused({{}, {}, {1}}) == "backward_weight[0]: is above the whole backward pass");
  CHECK(refused({{}, {1}, {1, 1, 1}}).empty());
}

TEST_CASE("speeds that are none") {
  const item_times model({1}, {1});
  CHECK(refusal([&] {
          return with_speeds<item_times>(model, {1, 0});
        }) == "stagecut::with_speeds: speeds[1] = 0.000000, must be above 0");
  CHECK(refusal([&] { return with_speeds<item_times>(model, {-1}); }) ==
        "stagecut::with_speeds: speeds[0] = -1.000000, must be above 0");
  CHECK(refusal([&] { return with_speeds<item_times>(model, {infinity}); }) ==
        "stagecut::with_speeds: speeds[0] = inf, must be above 0");
  const with_speeds<item_times> short_list(model, {1, 2});
  CHECK(refusal([&] { return short_list.forward(2, 0); }) ==
        "stagecut::with_speeds: speeds.size() = 2, must be the number of stages, above 2");
}
