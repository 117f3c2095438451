// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/parts/wrapped_model.hpp>
#include <stagecut/cost/stage_times.hpp>
#include <stagecut/cost/with_speeds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "small_models.hpp"

using stagecut::with_speeds;
using stagecut::with_stage_times;
using stagecut::detail::wrapped_model;

namespace {

int copies = 0;

/// A pipeline model with every member, that nothing can be derived from, and that counts its copies.
class final_model final {
 public:
  using axioms = stagecut::axioms<stagecut::stage_invariant>;

  explicit final_model(std::vector<double> times) : times_(std::move(times)) {}
  final_model(const final_model& other) : times_(other.times_) { ++copies; }
  final_model(final_model&&) = default;
  final_model& operator=(const final_model&) = delete;
  final_model& operator=(final_model&&) = delete;
  ~final_model() = default;

  [[nodiscard]] std::size_t size() const { return times_.size(); }
  [[nodiscard]] double forward(std::size_t, std::size_t item) const { return times_[item]; }
  [[nodiscard]] double backward(std::size_t, std::size_t item) const { return 2 * times_[item]; }
  [[nodiscard]] double backward_weight(std::size_t, std::size_t item) const { return times_[item] / 2; }
  [[nodiscard]] double backward_input(std::size_t, std::size_t item) const { return 4 * times_[item]; }
  [[nodiscard]] double stage_forward(std::size_t stage) const { return static_cast<double>(stage); }
  [[nodiscard]] double stage_backward(std::size_t stage) const { return static_cast<double>(stage) + 1; }
  [[nodiscard]] double stage_backward_weight(std::size_t stage) const { return static_cast<double>(stage) / 2; }
  [[nodiscard]] double sent(std::size_t cut) const { return 10 * times_[cut]; }
  [[nodiscard]] double memory(std::size_t s, std::size_t first, std::size_t last, std::size_t held) const {
    return static_cast<double>(1000 * s + 100 * first + 10 * last + held);
  }
  [[nodiscard]] double least_memory(std::size_t s, std::size_t first, std::size_t last, std::size_t held) const {
    return memory(s, first, last, held) / 2;
  }
  [[nodiscard]] double recomputed(std::size_t s, std::size_t first, std::size_t last) const {
    return memory(s, first, last, 0) / 4;
  }
  [[nodiscard]] double recomputed_apart(std::size_t s, std::size_t first, std::size_t last) const {
    return memory(s, first, last, 0) / 8;
  }
  [[nodiscard]] bool recomputes() const { return !times_.empty(); }
  [[nodiscard]] bool splits_backward() const { return times_.empty(); }

 private:
  std::vector<double> times_;
};

/// Every member but those that adaptors change, of stage 1 and item 2.
template <class Model>
std::vector<double> unchanged(const Model& of) {
  return {static_cast<double>(of.size()),
          of.sent(2),
          of.memory(1, 2, 3, 4),
          of.least_memory(1, 2, 3, 4),
          of.recomputed(1, 2, 3),
          of.recomputed_apart(1, 2, 3),
          static_cast<double>(of.recomputes()),
          static_cast<double>(of.splits_backward())};
}

/// The others.
template <class Model>
std::vector<double> times(const Model& of) {
  return {of.forward(1, 2),    of.backward(1, 2),    of.backward_weight(1, 2),   of.backward_input(1, 2),
          of.stage_forward(1), of.stage_backward(1), of.stage_backward_weight(1)};
}

const final_model inner({1, 2, 4});

}  // namespace

TEST_CASE("a model inside keeps all of its members, and has no others") {
  const wrapped_model<final_model> all(inner);
  CHECK(unchanged(all) == unchanged(inner));
  CHECK(times(all) == times(inner));
  using none = wrapped_model<small::least>;
  static_assert(stagecut::pipeline_model<none>);
  static_assert(!stagecut::detail::has_sent<none> && !stagecut::detail::has_memory<none>);
  static_assert(!stagecut::detail::has_least_memory<none> && !stagecut::detail::has_recomputed<none>);
  static_assert(!stagecut::detail::has_recomputed_apart<none> && !stagecut::detail::has_recomputes<none>);
  static_assert(!stagecut::detail::has_splits_backward<none> && !stagecut::detail::has_backward_weight<none>);
  static_assert(!stagecut::detail::has_backward_input<none> && !stagecut::detail::has_stage_forward<none>);
  static_assert(!stagecut::detail::has_stage_backward<none> && !stagecut::detail::has_stage_backward_weight<none>);
}

TEST_CASE("a final model runs at speeds and with times of stages") {
  const with_speeds fast(inner, {1, 2});
  CHECK(unchanged(fast) == unchanged(inner));
  CHECK(times(fast) == std::vector<double>{2, 4, 1, 8, 0.5, 1, 0.25});
  const with_stage_times later(inner, {{10}, {20}, {5}});
  CHECK(unchanged(later) == unchanged(inner));
  CHECK(times(later) == std::vector<double>{4, 8, 2, 16, 11, 22, 5.5});
  CHECK(times(with_speeds(later, {1, 2})) == std::vector<double>{2, 4, 1, 8, 5.5, 11, 2.75});
  static_assert(stagecut::promises<with_stage_times<final_model>, stagecut::stage_invariant>);
}

TEST_CASE("the model is copied or moved, or referred to if that is said") {
  const auto made = [](const auto& make) {
    const final_model local({1, 2, 4});
    copies = 0;
    return make(local);
  };
  const auto speeds = [](auto&& of) { return with_speeds(std::forward<decltype(of)>(of), {1, 2}); };
  const auto stages = [](auto&& of) { return with_stage_times(std::forward<decltype(of)>(of), {{10}, {20}, {5}}); };
  const auto fast = made(speeds);
  CHECK(copies == 1);
  CHECK(times(fast) == times(speeds(inner)));
  const auto later = made(stages);
  CHECK(copies == 1);
  CHECK(times(later) == times(stages(inner)));

  copies = 0;
  CHECK(times(speeds(final_model({1, 2, 4}))) == times(fast));
  const auto referring = speeds(std::cref(inner));
  const auto both = stages(std::cref(inner));
  CHECK(times(referring) == times(fast));
  CHECK(times(both) == times(later));
  CHECK(&referring.model() == &inner);
  CHECK(copies == 0);
  static_assert(std::is_same_v<decltype(referring), const with_speeds<const final_model&>>);
  static_assert(stagecut::promises<decltype(both), stagecut::stage_invariant>);
  static_assert(!std::is_constructible_v<with_speeds<const final_model&>, final_model, std::vector<double>>);
  static_assert(!std::is_constructible_v<with_stage_times<const final_model&>, final_model, stagecut::stage_times>);
}
