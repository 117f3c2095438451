// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/layer_groups.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

using stagecut::graph_operator;

namespace {

constexpr auto colocated = stagecut::tied_parameters::placement::colocated;
constexpr auto replicated = stagecut::tied_parameters::placement::replicated;

}  // namespace

TEST_CASE("sets are joined as their members are, and known by the least of them") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 9;
    stagecut::detail::joined_sets sets(n);
    std::vector<std::size_t> least(n);
    for (std::size_t i = 0; i < n; ++i) least[i] = i;
    for (std::size_t joins = random() % n; joins-- > 0;) {
      const std::size_t a = random() % n;
      const std::size_t b = random() % n;
      sets.join(a, b);
      const std::size_t low = std::min(least[a], least[b]);
      const std::size_t high = std::max(least[a], least[b]);
      for (std::size_t& each : least) each = each == high ? low : each;
    }
    for (std::size_t i = 0; i < n; ++i) REQUIRE(sets(i) == least[i]);
  }
}

TEST_CASE("two layers are of one group exactly if names and colocated parameters lead from one to the other") {
  std::mt19937 random(4);
  int joined_by_both = 0;
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random() % 7;
    stagecut::profile model;
    model.layers.resize(n);
    // Of every layer: which of three names its group has, and which of three parameters it has.
    std::vector<std::size_t> name(n);
    std::vector<std::vector<bool>> has(n, std::vector<bool>(3));
    for (std::size_t i = 0; i < n; ++i) {
      name[i] = random() % 5;
      if (name[i] < 3) model.layers[i].group = std::string(1, static_cast<char>('a' + name[i]));
      for (std::size_t t = 0; t < 3; ++t) {
        has[i][t] = random() % 4 == 0;
        // The last of them may be on any stage.
        if (has[i][t])
          model.layers[i].tied.push_back(
              {std::string(1, static_cast<char>('x' + t)), 1, {}, t < 2 ? colocated : replicated});
      }
    }
    std::vector<std::vector<bool>> together(n, std::vector<bool>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        together[i][j] =
            i == j || (name[i] < 3 && name[i] == name[j]) || (has[i][0] && has[j][0]) || (has[i][1] && has[j][1]);
      }
    }
    const auto direct = together;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) together[i][j] = together[i][j] || (together[i][k] && together[k][j]);
      }
    }
    if (together != direct) ++joined_by_both;
    const std::vector<std::size_t> group = stagecut::detail::layer_groups(model);
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; ++i) {
      bool alone = true;
      bool first = true;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i || !together[i][j]) continue;
        alone = false;
        first = first && i < j;
        REQUIRE(group[j] == group[i]);
      }
      REQUIRE((group[i] == graph_operator::none) == alone);
      if (alone) continue;
      if (first) REQUIRE(group[i] == count++);
      REQUIRE(group[i] < count);
    }
  }
  CHECK(joined_by_both > 50);
}
