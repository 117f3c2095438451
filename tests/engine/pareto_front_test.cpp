// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <stagecut/engine/pareto_front.hpp>

#include <doctest/doctest.h>

namespace engine = stagecut::engine;

namespace {

struct element {
  int group = 0, a = 0, b = 0, c = 0, number = 0;
};

bool covers(const element& x, const element& y) { return x.group == y.group && x.a <= y.a && x.b <= y.b && x.c <= y.c; }

bool is_before(const element& x, const element& y) {
  if (x.group != y.group) return x.group < y.group;
  if (x.a != y.a) return x.a < y.a;
  return x.b != y.b ? x.b < y.b : x.c < y.c;
}

struct by_group {
  bool two_figures = false;
  [[nodiscard]] static bool before(const element& x, const element& y) { return is_before(x, y); }
  [[nodiscard]] static bool alike(const element& x, const element& y) { return x.group == y.group; }
  [[nodiscard]] static bool dominates(const element& x, const element& y) { return x.b <= y.b && x.c <= y.c; }
};

/// The numbers of the non-dominated ones; of equal ones the first.
std::vector<int> best_of(const std::vector<element>& all) {
  std::vector<element> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool is_best = true;
    for (std::size_t j = 0; j < all.size(); ++j) {
      is_best = is_best && !(covers(all[j], all[i]) && (j < i || !covers(all[i], all[j])));
    }
    if (is_best) best.push_back(all[i]);
  }
  std::vector<int> numbers;
  for (const element& each : best) numbers.push_back(each.number);
  return numbers;
}

std::vector<int> numbers_of(const std::vector<element>& list) {
  std::vector<int> numbers;
  for (const element& each : list) numbers.push_back(each.number);
  return numbers;
}

std::vector<element> drawn(std::mt19937& dice, int groups, int third) {
  const auto below = [&dice](int most) { return static_cast<int>(dice() % static_cast<unsigned>(most)); };
  std::vector<element> all(dice() % 50);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {below(groups), below(9), below(9), below(third), static_cast<int>(i)};
  }
  return all;
}

}  // namespace

TEST_CASE("what is kept of a list is what no other element covers, sorted") {
  std::mt19937 dice(8);
  for (int round = 0; round < 400; ++round) {
    const int third = round % 2 == 0 ? 1 : 6;
    const std::vector<element> all = drawn(dice, 1 + round % 3, third);
    std::vector<element> kept = all;
    engine::keep_front(kept, by_group{third == 1});
    CHECK(std::is_sorted(kept.begin(), kept.end(), is_before));
    std::vector<int> numbers = numbers_of(kept);
    std::sort(numbers.begin(), numbers.end());
    REQUIRE(numbers == best_of(all));
  }
}

TEST_CASE("a rule of two functions compares all") {
  std::mt19937 dice(9);
  const auto dominates = [](const element& x, const element& y) { return x.b <= y.b && x.c <= y.c; };
  for (int round = 0; round < 200; ++round) {
    const std::vector<element> all = drawn(dice, 1, 5);
    std::vector<element> kept = all;
    engine::keep_front(kept, engine::front_rule{is_before, dominates, false});
    std::vector<int> numbers = numbers_of(kept);
    std::sort(numbers.begin(), numbers.end());
    REQUIRE(numbers == best_of(all));
  }
}

TEST_CASE("elements are added one by one behind those that stay") {
  std::mt19937 dice(10);
  for (int round = 0; round < 300; ++round) {
    const std::vector<element> all = drawn(dice, 2, 4);
    std::vector<element> list(static_cast<std::size_t>(round % 3), element{0, 0, 0, 0, -1});  // which are left alone
    const std::size_t begin = list.size();
    for (const element& each : all) engine::add_to_front(list, each, covers, begin);
    REQUIRE(std::vector<int>(begin, -1) ==
            numbers_of({list.begin(), list.begin() + static_cast<std::ptrdiff_t>(begin)}));
    REQUIRE(numbers_of({list.begin() + static_cast<std::ptrdiff_t>(begin), list.end()}) == best_of(all));
  }
}
