// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/layer_graph.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using stagecut::layer_graph;

namespace {

layer_graph graph(std::size_t layers, const std::vector<std::vector<std::size_t>>& edges) {
  layer_graph result(layers);
  for (const auto& edge : edges) result.join(edge[0], edge[1]);
  return result;
}

using numbers = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a group that is left and entered again is found") {
  const auto parted = [](const std::vector<std::string>& groups) {
    const auto group = [&](std::size_t i) -> std::string_view { return groups[i]; };
    const auto found = stagecut::detail::find_parted_group(groups.size(), group);
    return std::pair(found.again, found.left);
  };
  CHECK(parted({}) == std::pair<std::size_t, std::size_t>(0, 0));
  CHECK(parted({"a", "a", "", "b", "", ""}) == std::pair<std::size_t, std::size_t>(6, 6));
  CHECK(parted({"a", "b", "b", "a", "b"}) == std::pair<std::size_t, std::size_t>(3, 1));
  CHECK(parted({"a", "", "a"}) == std::pair<std::size_t, std::size_t>(2, 1));
}

TEST_CASE("an order follows the edges, and the numbers where they leave a choice") {
  CHECK(graph(4, {}).order() == numbers{0, 1, 2, 3});
  CHECK(graph(4, {{3, 0}, {2, 1}}).order() == numbers{2, 1, 3, 0});
  CHECK(graph(4, {{3, 2}, {2, 1}, {1, 0}}).order() == numbers{3, 2, 1, 0});
  CHECK(graph(4, {}).order([](std::size_t v) { return v < 2; }) == numbers{2, 3, 0, 1});
  CHECK(graph(3, {{0, 1}}).next(0) == numbers{1});
  CHECK(graph(3, {{0, 1}}).previous(1) == numbers{0});
  CHECK(graph(0, {}).order().empty());
}

TEST_CASE("a cycle is found wherever it is, and waits for nothing before it") {
  CHECK(graph(3, {{0, 1}, {1, 2}, {0, 2}}).cycle().empty());
  CHECK(graph(0, {}).cycle().empty());
  CHECK(graph(2, {{1, 1}}).cycle() == numbers{1});
  CHECK(graph(5, {{0, 1}, {4, 2}, {2, 3}, {3, 4}, {1, 3}}).cycle() == numbers{2, 3, 4});
  CHECK(graph(5, {{0, 1}, {4, 2}, {2, 3}, {3, 4}, {1, 3}}).order() == numbers{0, 1});
  CHECK(graph(4, {{1, 2}, {2, 1}, {2, 3}, {3, 0}}).cycle() == numbers{1, 2});
}

TEST_CASE("there is an order of all, or a cycle, of any graph") {
  std::mt19937 random(7);
  int cycles = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 1 + random() % 7;
    layer_graph any(n);
    std::set<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t e = random() % (2 * n); e-- > 0;) {
      const auto edge = std::pair(random() % n, random() % n);
      if (edges.insert(edge).second) any.join(edge.first, edge.second);
    }
    const numbers cycle = any.cycle();
    REQUIRE(cycle.empty() == (any.order().size() == n));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      REQUIRE(edges.count({cycle[i], cycle[(i + 1) % cycle.size()]}) == 1);
      REQUIRE(cycle[i] >= cycle[0]);
    }
    REQUIRE(std::set<std::size_t>(cycle.begin(), cycle.end()).size() == cycle.size());
    if (!cycle.empty()) ++cycles;
  }
  CHECK(cycles > 300);
  CHECK(cycles < 1700);
}

TEST_CASE("a cycle is shown by its names, and the beginning of a long one") {
  std::vector<stagecut::layer> layers(9);
  for (std::size_t i = 0; i < 9; ++i) layers[i].name = std::string("abcdefghi").substr(i, 1);
  CHECK(stagecut::detail::cycle_text(layers, {1, 0}) == R"("b" -> "a" -> "b")");
  CHECK(stagecut::detail::cycle_text(layers, {2}) == R"("c" -> "c")");
  CHECK(stagecut::detail::cycle_text(layers, {0, 1, 2, 3, 4, 5, 6, 7}) ==
        R"("a" -> "b" -> "c" -> "d" -> "e" -> "f" -> "g" -> "h" -> "a")");
  CHECK(stagecut::detail::cycle_text(layers, {0, 1, 2, 3, 4, 5, 6, 7, 8}) ==
        R"("a" -> "b" -> "c" -> "d" -> "e" -> "f" -> "g" -> "h" -> ... (9 layers) -> "a")");
}
