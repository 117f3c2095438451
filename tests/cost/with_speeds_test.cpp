// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/with_speeds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

using stagecut::item_times;
using stagecut::with_speeds;

namespace {

struct least {
  std::size_t size() const { return 2; }
  double forward(std::size_t, std::size_t) const { return 1; }
  int backward(std::size_t, std::size_t) const { return 2; }
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

TEST_CASE("what stays known on devices of different speeds") {
  static_assert(!stagecut::promises<with_speeds<item_times>, stagecut::stage_invariant>);
  static_assert(stagecut::split_pipeline_model<with_speeds<item_times>>);
  static_assert(!stagecut::split_pipeline_model<with_speeds<least>>);
  static_assert(stagecut::memory_pipeline_model<with_speeds<heavy>>);
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
