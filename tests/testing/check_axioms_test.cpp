// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

using stagecut::testing::check_axioms;

namespace {

double length(std::size_t first, std::size_t last) { return static_cast<double>(last - first); }

struct false_sum {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  [[nodiscard]] std::size_t size() const { return 9; }
  [[nodiscard]] double prefix(std::size_t i) const { return static_cast<double>(i); }
  double operator()(std::size_t first, std::size_t last) const { return length(first, last) + (last == 7 ? 0.5 : 0); }
};

/// Says that it is `end - begin`, which it is but for one stage.
struct false_ends {
  using axioms = stagecut::axioms<stagecut::separable>;
  [[nodiscard]] std::size_t size() const { return 9; }
  [[nodiscard]] double end(std::size_t stage, std::size_t last) const { return length(0, last) / length(0, stage + 3); }
  [[nodiscard]] double begin(std::size_t stage, std::size_t first) const {
    return length(0, first) / length(0, stage + 3) - 0.1;
  }
  double operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    if (stage == 1 && last == 7) return length(first, last) / 4 + 0.1;
    return end(stage, last) - begin(stage, first);
  }
};

/// The same where stages do not differ.
struct false_ends_of_all {
  using axioms = stagecut::axioms<stagecut::separable>;
  [[nodiscard]] std::size_t size() const { return 9; }
  [[nodiscard]] int end(std::size_t last) const { return static_cast<int>(last * last) % 7; }
  [[nodiscard]] int begin(std::size_t first) const { return static_cast<int>(first * first) % 5; }
  int operator()(std::size_t first, std::size_t last) const { return end(last) - begin(first) + (last == lie ? 1 : 0); }
  std::size_t lie;
};

/// The greatest of its work and of a message; the work falls at one place, or is more than the cost.
struct false_work {
  std::size_t falls;
  double more;
  [[nodiscard]] std::size_t size() const { return 6; }
  [[nodiscard]] double work(std::size_t, std::size_t first, std::size_t last) const {
    return first == 0 && last == falls ? 0 : length(first, last) + more;
  }
  [[nodiscard]] double message(std::size_t, std::size_t) const { return 2; }
  double operator()(std::size_t, std::size_t first, std::size_t last) const {
    return length(first, last) < 2 ? 2 : length(first, last);
  }
};

template <class Axioms>
struct by_stage {
  using axioms = Axioms;
  [[nodiscard]] std::size_t size() const { return 6; }
  double operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return stage == 2 && last == 6 ? 0 : length(first, last);
  }
};

}  // namespace

TEST_CASE("honest models pass") {
  CHECK(check_axioms(stagecut::prefix_sums{0.1, 0.2, 0.0, 1e300, 1e-300, 3.0}));
  CHECK(check_axioms(stagecut::prefix_sums{1, 2, 0, 5}));
  const std::vector<double> items(2000, 0.1);
  CHECK(check_axioms(stagecut::block_sums(items)));
  CHECK(check_axioms(stagecut::testing::monotone_archetype(9)));
  CHECK(check_axioms(stagecut::testing::additive_archetype(9)));
  CHECK(check_axioms((stagecut::monotone | stagecut::monge)(
      20, [](std::size_t i, std::size_t j) { return length(i, j) * length(i, j); })));
  CHECK(check_axioms((stagecut::monotone | stagecut::inverse_monge)(
      20, [](std::size_t i, std::size_t j) { return std::sqrt(length(i, j)); })));
}

TEST_CASE("each lie is found where it is told") {
  const auto falling = check_axioms(
      stagecut::monotone(8, [](std::size_t i, std::size_t j) { return i == 2 && j == 5 ? 0.0 : length(i, j); }));
  CHECK(!falling);
  CHECK(falling.text() == "right_monotone does not hold at [2, 4) and [2, 5), stage 0");

  const auto left = check_axioms(
      stagecut::left_monotone(8, [](std::size_t i, std::size_t j) { return i == 0 && j == 8 ? 0.0 : length(i, j); }));
  CHECK(left.text() == "left_monotone does not hold at [1, 8) and [0, 8), stage 0");

  const auto nan = check_axioms(stagecut::monotone(8, [](std::size_t i, std::size_t j) {
    return j == 8 ? std::numeric_limits<double>::quiet_NaN() : length(i, j);
  }));
  CHECK(!nan);

  CHECK(check_axioms(stagecut::monge(8, [](std::size_t i, std::size_t j) { return std::sqrt(length(i, j)); })).broken ==
        "monge");
  CHECK(check_axioms(stagecut::inverse_monge(8, [](std::size_t i, std::size_t j) {
          return length(i, j) * length(i, j);
        })).broken == "inverse_monge");
  CHECK(check_axioms(false_sum()).broken == "additive");
  int calls = 0;
  CHECK(check_axioms(stagecut::monotone(8, [&](std::size_t, std::size_t) { return ++calls; })).broken == "pure");
}

TEST_CASE("a lie of a staged cost is found with its stage") {
  const auto report = check_axioms(by_stage<stagecut::axioms<stagecut::right_monotone>>(), 4);
  CHECK(report.text() == "right_monotone does not hold at [0, 5) and [0, 6), stage 2");
  CHECK(check_axioms(by_stage<stagecut::axioms<stagecut::stage_invariant>>(), 4).broken == "stage_invariant");
  CHECK(check_axioms(by_stage<stagecut::axioms<stagecut::right_monotone>>(), 2));
}

TEST_CASE("a cost that is not its end without its beginning is found, to the last bit") {
  CHECK(check_axioms(false_ends(), 1));
  const auto report = check_axioms(false_ends(), 3);
  CHECK(report.broken == "separable");
  CHECK(report.stage == 1);
  CHECK(report.one.last == 7);
  CHECK(check_axioms(false_ends_of_all{10}));
  CHECK(check_axioms(false_ends_of_all{8}).text() == "separable does not hold at [0, 8) and [0, 8), stage 0");
}

TEST_CASE("work that falls, or is above the cost, is found") {
  CHECK(check_axioms(false_work{9, 0}, 2));
  CHECK(check_axioms(false_work{4, 0}, 2).text() == "work does not hold at [0, 3) and [0, 4), stage 0");
  CHECK(check_axioms(false_work{9, 1}, 2).text() == "work does not hold at [0, 2) and [0, 2), stage 0");
}

TEST_CASE("nothing that was not promised is held against a model") {
  CHECK(check_axioms(stagecut::right_monotone(
      8, [](std::size_t i, std::size_t j) { return i == j ? 0.0 : length(i, j) + static_cast<double>(100 * i % 7); })));
}

TEST_CASE("a lie in one of a million intervals is found when all are looked at, and looks are limited") {
  const std::size_t n = 300;
  const auto cost =
      stagecut::monotone(n, [](std::size_t i, std::size_t j) { return i == 150 && j == 151 ? 500.0 : length(i, j); });
  CHECK(!check_axioms(cost));
  const auto large = check_axioms(stagecut::monotone(1'000'000, length), 1000);
  CHECK(large);
  CHECK(large.checks < 5000);
}

namespace {

using limits = std::numeric_limits<std::int64_t>;

struct wild {
  using axioms = stagecut::axioms<stagecut::additive, stagecut::separable>;
  [[nodiscard]] static std::size_t size() { return 4; }
  [[nodiscard]] static std::int64_t prefix(std::size_t i) { return i % 2 == 0 ? limits::min() : limits::max(); }
  [[nodiscard]] static std::int64_t end(std::size_t i) { return prefix(i); }
  [[nodiscard]] static std::int64_t begin(std::size_t i) { return prefix(i); }
  std::int64_t operator()(std::size_t, std::size_t) const { return 0; }
};

}  // namespace

TEST_CASE("numbers at the ends of their type are told from true ones, without overflow") {
  CHECK(check_axioms(wild()).broken == "additive");
  const auto ends = [](std::size_t i, std::size_t j) { return (i + j) % 2 == 0 ? limits::min() : limits::max(); };
  CHECK(check_axioms(stagecut::monge(4, ends)).broken == "monge");
  CHECK(check_axioms(stagecut::inverse_monge(4, ends)).broken == "inverse_monge");
}
