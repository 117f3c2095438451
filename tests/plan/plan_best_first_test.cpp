// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/plan_best_first.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using stagecut::detail::plan_best_first;

namespace {

/// Requests with these bounds and values: the best value so far leaves out what has no smaller bound.
struct requests {
  std::vector<double> bounds;
  std::vector<double> values;
  std::vector<bool> closed{};
  std::vector<std::size_t> bounded{};
  std::vector<std::size_t> solved{};
  std::vector<std::size_t> left{};
  double best = 1e300;
  double next = 1e300;  // of the round
  std::size_t reports = 0;
  std::size_t most = ~std::size_t{0};

  [[nodiscard]] std::size_t size() const { return bounds.size(); }
  void bound(std::size_t i) { bounded.push_back(i); }
  [[nodiscard]] bool is_open(std::size_t i) const { return closed.empty() || !closed[i]; }
  [[nodiscard]] double least(std::size_t i) const { return bounds[i]; }
  void begin_round(std::size_t open) {
    best = std::min(best, next);
    left.push_back(open);
  }
  [[nodiscard]] bool leave_out(std::size_t i) const { return bounds[i] >= best; }
  void solve(std::size_t i) {
    solved.push_back(i);
    next = std::min(next, values[i]);
  }
  void report() { ++reports; }
  [[nodiscard]] bool is_stopped() const { return solved.size() >= most; }
};

}  // namespace

TEST_CASE("the smallest bound is planned first, and what cannot win is left out") {
  requests all{{5, 1, 3, 2, 4}, {9, 4, 3.5, 6, 5}};
  plan_best_first(all, 1, {});
  CHECK(all.bounded == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(all.solved == std::vector<std::size_t>{1, 3, 2});
  CHECK(all.left == std::vector<std::size_t>{5, 4, 3, 2});
  CHECK(all.reports == 5);
}

TEST_CASE("a round is compared with those before it, on any threads") {
  const auto backwards = [](std::size_t count, const stagecut::function_ref<void(std::size_t)>& call) {
    for (std::size_t i = count; i-- > 0;) call(i);
  };
  std::vector<double> bounds;
  std::vector<double> values;
  for (std::size_t i = 0; i < 100; ++i) {
    bounds.push_back(static_cast<double>(i * 37 % 100));
    values.push_back(bounds.back() + static_cast<double>(20 + i % 7));
  }
  requests serial{bounds, values};
  plan_best_first(serial, 16, {});
  requests threaded{bounds, values};
  plan_best_first(threaded, 16, backwards);
  CHECK(serial.solved.size() == 20);  // the first round has a value of 20, which leaves out bounds from 20 on
  CHECK(threaded.solved != serial.solved);
  std::sort(threaded.solved.begin(), threaded.solved.end());
  std::sort(serial.solved.begin(), serial.solved.end());
  CHECK(threaded.solved == serial.solved);
}

TEST_CASE("what is closed is not planned, nor anything after a stop") {
  requests some{{5, 1, 3, 2, 4}, {9, 9, 9, 9, 9}, {false, true, false, false, true}};
  plan_best_first(some, 1, {});
  CHECK(some.solved == std::vector<std::size_t>{3, 2, 0});
  requests stopped{{5, 1, 3, 2, 4}, {9, 9, 9, 9, 9}};
  stopped.most = 2;
  plan_best_first(stopped, 1, {});
  CHECK(stopped.solved == std::vector<std::size_t>{1, 3});
}
