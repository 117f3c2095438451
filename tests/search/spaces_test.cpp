// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/graph_paths.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/search/candidate_list.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/neighbourhood.hpp>
#include <stagecut/search/product.hpp>

#include "../core/copied_arrays.hpp"
#include "../refusal.hpp"

namespace search = stagecut::search;
using stagecut::interval;
using stagecut::view;
using numbers = std::vector<std::uint32_t>;

namespace {

template <class Space>
numbers decoded(const Space& space, std::uint64_t index) {
  numbers result(2 * space.points(), 4711);  // every other one is a neighbour's
  space.decode(index, search::candidate_room(result.data(), space.points(), 2));
  for (std::size_t i = 0; i < space.points(); ++i) {
    CHECK(result[2 * i + 1] == 4711);
    result[i] = result[2 * i];
  }
  result.resize(space.points());
  return result;
}

template <class Space>
std::vector<numbers> all_of(const Space& space) {
  std::vector<numbers> result;
  for (std::uint64_t i = 0; i < space.size(); ++i) result.push_back(decoded(space, i));
  // The same one after the other, from several of them on.
  for (std::uint64_t begin = 0; begin < space.size(); begin += 1 + space.size() / 3) {
    numbers points(space.points());
    auto walk = search::detail::walk(space, begin, search::candidate_room(points.data(), points.size()));
    for (std::uint64_t i = begin; i < space.size(); ++i) {
      if (i != begin) walk.next();
      CHECK(points == result[i]);
    }
  }
  return result;
}

/// The same from where its arrays were placed, when the space itself is gone.
template <class Space>
std::vector<numbers> all_of_placed(const Space& space) {
  copied_arrays memory;
  auto owner = std::make_unique<Space>(space);
  const auto placed = stagecut::detail::placed(*owner, memory);
  static_assert(std::is_trivially_copyable_v<decltype(placed)>);
  owner.reset();
  CHECK(placed.size() == space.size());
  return all_of(placed);
}

/// All points that rise, each in its window, in lexicographic order.
std::vector<numbers> rising(const std::vector<interval>& windows) {
  std::vector<numbers> result{{}};
  for (const interval& window : windows) {
    std::vector<numbers> longer;
    for (const numbers& begin : result) {
      for (std::size_t at = window.first; at < window.last; ++at) {
        if (!begin.empty() && begin.back() >= at) continue;
        longer.push_back(begin);
        longer.back().push_back(static_cast<std::uint32_t>(at));
      }
    }
    result = longer;
  }
  return result;
}

}  // namespace

TEST_CASE("cuts within windows are all that there are, in lexicographic order, and each knows its index") {
  std::mt19937 random(18);
  std::size_t empty = 0;
  for (int i = 0; i < 600; ++i) {
    const std::size_t points = 2 + random() % 5;
    const std::size_t items = points - 1 + random() % 7;
    std::vector<interval> windows{{0, 1}};
    for (std::size_t j = 1; j + 1 < points; ++j) {
      const std::size_t first = random() % (items + 1);
      windows.push_back({first, first + random() % 5});
    }
    windows.push_back({items, items + 1});
    const auto expected = rising(windows);
    const auto space = search::cuts_within(windows);
    REQUIRE(space.size() == expected.size());
    CHECK(all_of(space) == expected);
    CHECK(all_of_placed(space) == expected);
    CHECK(space.exact());
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(space.index_of(expected[k]) == k);
    CHECK(!space.index_of(numbers(points, 1)));
    CHECK(!space.index_of(numbers(points + 1, 0)));
    empty += expected.empty() ? 1 : 0;
  }
  CHECK(empty > 20);
}

TEST_CASE("all cuts: as many as there are ways to choose") {
  CHECK(search::all_cuts(5, 5).size() == 1);
  CHECK(search::all_cuts(4, 5).size() == 0);
  CHECK(search::all_cuts(9, 1).size() == 1);
  CHECK(search::all_cuts(48, 16).size() == 751'616'304'549U);
  CHECK(refusal([] { return search::all_cuts(3, 0); }) == "stagecut::search::all_cuts: stages = 0, must be at least 1");
  const auto space = search::all_cuts(48, 16);
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t index = random() % space.size();
    CHECK(space.index_of(decoded(space, index)) == index);
  }
}

TEST_CASE("more paths than 64 bits count: the first of them are there") {
  const auto space = search::all_cuts(300, 40);
  CHECK(space.size() == ~std::uint64_t{0});
  CHECK(!space.exact());
  std::mt19937_64 random(6);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t index = random() >> (random() % 60);
    const numbers points = decoded(space, index);
    CHECK(std::is_sorted(points.begin(), points.end(), std::less_equal<>()));
    CHECK(space.index_of(points) == index);
  }
}

TEST_CASE("an index beyond 64 bits is none") {
  const auto all = search::all_cuts(200, 40);
  REQUIRE(!all.exact());
  std::mt19937 random(3);
  std::size_t none = 0;
  for (int round = 0; round < 2000; ++round) {
    std::set<std::uint32_t> inner;
    const std::uint32_t from = round % 2 == 0 ? 1 : 1 + static_cast<std::uint32_t>(random() % 100);
    while (inner.size() < 39) inner.insert(from + static_cast<std::uint32_t>(random()) % (200 - from));
    numbers points(inner.begin(), inner.end());
    points.insert(points.begin(), 0);
    points.push_back(200);
    const auto index = all.index_of(points);
    none += index ? 0 : 1;
    if (index) CHECK(decoded(all, *index) == points);
  }
  CHECK(none > 1000);
  numbers first;
  for (std::uint32_t i = 0; i < 40; ++i) first.push_back(i);
  first.push_back(200);
  CHECK(*all.index_of(first) == 0);
}

TEST_CASE("windows that make no sense") {
  CHECK(refusal([] { return search::all_cuts(100'000, 3); }) ==
        "stagecut::search::cuts_within: windows = 5000049997 pairs of neighbouring points, must have less than 2^31");
  CHECK(refusal([] {
          return search::cuts_within({{0, 1}});
        }) ==
        "stagecut::search::cuts_within: windows.size() = 1, must be at least 2: where the first stage begins and the "
        "last one "
        "ends");
  CHECK(refusal([] {
          return search::cuts_within({{0, 2}, {5, 6}});
        }) == "stagecut::search::cuts_within: windows[0] = [0, 2), must hold one point: an end of the chain");
  CHECK(refusal([] {
          return search::cuts_within({{0, 1}, {3, 2}, {5, 6}});
        }) == "stagecut::search::cuts_within: windows[1] = [3, 2), must not end before it begins, nor lie beyond 2^31");
}

TEST_CASE("a graph whose nodes write several numbers") {
  // Two ranks of two stages: step 1 writes points 0 and 2, step 2 points 1 and 3, the last one points 2 and 4.
  search::path_graph graph;
  graph.points = 5;
  graph.width = 2;
  const std::uint32_t none = search::path_graph::nowhere;
  graph.places = {none, none, 0, 2, 1, 3, 2, 4};
  graph.values = {0, 0, 0, 3, 1, 4, 2, 5, 3, 6};  // of the nodes of steps 0, 1, 2, 2, 3
  graph.first = {0, 1, 3, 4, 5, 5};
  graph.to = {1, 2, 3, 4, 4};
  const search::graph_paths space(graph);
  CHECK(all_of(space) == std::vector<numbers>{{0, 1, 3, 4, 6}, {0, 2, 3, 5, 6}});
  CHECK(all_of_placed(space) == all_of(space));
  CHECK(space.index_of(numbers{0, 2, 3, 5, 6}) == 1U);
  CHECK(!space.index_of(numbers{0, 2, 3, 4, 6}));
  CHECK(search::graph_paths().size() == 0);
}

TEST_CASE("graphs that are none") {
  // 0 -> {1, 2} -> 3: two paths.
  const search::path_graph good{
      .points = 3, .places = {0, 1, 2}, .values = {0, 1, 2, 4}, .first = {0, 2, 3, 4, 4}, .to = {1, 2, 3, 3}};
  CHECK(search::graph_paths(good).size() == 2);
  const auto refused = [&](const auto& change) {
    search::path_graph graph = good;
    change(graph);
    return refusal([&] { return search::graph_paths(graph); });
  };
  const std::string where = "stagecut::search::graph_paths: graph.";
  CHECK(refused([](auto& g) { g.to[1] = 9; }) == where + "to[1] = 9, must be a node of the next step");
  CHECK(refused([](auto& g) { g.to[0] = 0; }) == where + "to[0] = 0, must be a node of the next step");
  CHECK(refused([](auto& g) { g.to[1] = 3; }) == where + "to[2] = 3, must be a node of the next step");
  CHECK(refused([](auto& g) { g.to[2] = 2; }) == where + "to[2] = 2, must be a node of the next step");
  CHECK(refused([](auto& g) { g.width = 0; }) == where + "width = 0, must be at least 1");
  CHECK(refused([](auto& g) { g.width = 2; }) ==
        where + "places.size() = 3, must be a number of steps times the width");
  CHECK(refused([](auto& g) { g.places[1] = 3; }) == where + "places[1] = 3, must be below points, or nowhere");
  CHECK(refused([](auto& g) { g.places[1] = 2; }) == where + "points = 3, must be as many as steps write");
  CHECK(refused([](auto& g) { g.values.pop_back(); }) ==
        where + "values.size() = 3, must be the number of nodes times the width");
  CHECK(refused([](auto& g) { g.first[0] = 1; }) == where + "first[0] = 1, must be 0");
  CHECK(refused([](auto& g) { g.first[4] = 3; }) == where + "first[4] = 3, must be the number of edges");
  CHECK(refused([](auto& g) { g.first[1] = 5; }) == where + "first[1] = 5, must not fall");
  CHECK(refused([](auto& g) { g.first[2] = 1; }) == where + "first[2] = 1, must not fall");
  CHECK(refused([](auto& g) { g.first[2] = 2; }) ==
        where + "first[2] = 2, leaves a node before the last step without edges");
  CHECK(refused([](auto& g) { g.first[3] = 3, g.first[4] = 4; }) ==
        where + "first[3] = 3, leaves a node before the last step without edges");
  CHECK(refused([](auto& g) { g = {.to = {0}}; }) == where + "to.size() = 1, must be 0 where there are no nodes");
  // Any change of a number is refused, or leaves a graph that can be walked.
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    search::path_graph graph = good;
    auto& array = *std::vector<numbers*>{&graph.places, &graph.values, &graph.first, &graph.to}[random() % 4];
    array[random() % array.size()] = static_cast<std::uint32_t>(random() % 6);
    try {
      const search::graph_paths paths(graph);
      static_cast<void>(all_of(paths));
    } catch (const stagecut::argument_error&) {
    }
  }
}

TEST_CASE("a neighbourhood is the cuts near a cut, and moves that leave none leave it as it is") {
  std::mt19937 random(9);
  for (int i = 0; i < 60; ++i) {
    const std::size_t stages = 2 + random() % 4;
    const std::size_t items = stages + random() % 8;
    const auto cuts = all_of(search::all_cuts(items, stages));
    const numbers centre = cuts[random() % cuts.size()];
    const auto steps = static_cast<std::uint32_t>(1 + random() % 3);
    const bool pairs = random() % 2 == 0;
    const search::neighbourhood space(stagecut::cuts(std::vector<std::size_t>(centre.begin(), centre.end())), steps,
                                      pairs);
    // Every run to every side, once or twice.
    std::vector<numbers> moved{centre};
    std::size_t moves = 0;
    const auto each_move = [&](const numbers& from, std::vector<numbers>& to) {
      moves = 0;
      for (std::size_t begin = 1; begin < stages; ++begin) {
        for (std::size_t end = begin + 1; end <= stages; ++end) {
          for (int by = -static_cast<int>(steps); by <= static_cast<int>(steps); ++by) {
            if (by == 0) continue;
            ++moves;
            numbers points = from;
            for (std::size_t j = begin; j < end; ++j) points[j] += static_cast<std::uint32_t>(by);
            to.push_back(points);
          }
        }
      }
    };
    std::vector<numbers> once;
    each_move(centre, once);
    moved.insert(moved.end(), once.begin(), once.end());
    if (pairs) {
      for (const numbers& each : once) each_move(each, moved);
    }
    std::set<numbers> expected;
    for (const numbers& each : moved) {
      bool rises = true;
      for (std::size_t j = 1; j <= stages; ++j)
        rises = rises && static_cast<int>(each[j - 1]) < static_cast<int>(each[j]);
      if (rises) expected.insert(each);
    }
    CHECK(space.size() == 1 + moves + (pairs ? moves * moves : 0));
    const auto found = all_of(space);
    CHECK(std::set<numbers>(found.begin(), found.end()) == expected);
    CHECK(found[0] == centre);
    CHECK(all_of_placed(space) == found);
  }
  CHECK(refusal([] {
          return search::neighbourhood(stagecut::cuts({0, 4}));
        }) == "stagecut::search::neighbourhood: centre.stages() = 1, must be at least 2");
  CHECK(refusal([] {
          return search::neighbourhood(stagecut::cuts({0, 2, 4}), 0);
        }) == "stagecut::search::neighbourhood: steps = 0, must be at least 1 and below 2^31");
}

TEST_CASE("lists") {
  search::candidate_list three(3);
  three.add({0, 2, 5});
  three.add(std::vector<std::size_t>{0, 3, 5});
  CHECK(all_of(three) == std::vector<numbers>{{0, 2, 5}, {0, 3, 5}});
  CHECK(refusal<stagecut::argument_error>([&] {
          return three.add({1, 2}), 0;
        }) == "stagecut::search::candidate_list::add: points.size() = 2, must be 3");
  search::candidate_list list(3);
  CHECK(list.size() == 0);
  list.add(view<const std::size_t>(std::initializer_list<std::size_t>{0, 4, 9}));
  const numbers second{5, 6, 7};
  list.add(view<const std::uint32_t>(second));
  CHECK(all_of(list) == std::vector<numbers>{{0, 4, 9}, {5, 6, 7}});
  CHECK(all_of_placed(list) == all_of(list));
  const std::vector<std::int64_t> negative{1, -2, 3};
  CHECK(refusal([&] { list.add(view<const std::int64_t>(negative)); }) ==
        "stagecut::search::candidate_list::add: points = -2, must be from 0 to below 2^32");
  const std::vector<std::size_t> large{1, 2, std::size_t{1} << 32U};
  CHECK(refusal([&] { list.add(view<const std::size_t>(large)); }) ==
        "stagecut::search::candidate_list::add: points = 4294967296, must be from 0 to below 2^32");
  CHECK(refusal([&] { list.add(view<const std::size_t>(large).slice(0, 2)); }) ==
        "stagecut::search::candidate_list::add: points.size() = 2, must be 3");
  CHECK(refusal([] { return search::candidate_list(0); }) ==
        "stagecut::search::candidate_list: width = 0, must be at least 1");
  CHECK(list.size() == 2);
}

TEST_CASE("products: the last one changes first") {
  const search::configurations axes({2, 3});
  CHECK(all_of(axes) == std::vector<numbers>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(all_of_placed(axes) == all_of(axes));
  const search::product both(search::all_cuts(3, 2), axes);
  std::vector<numbers> expected;
  for (const numbers& cut : all_of(search::all_cuts(3, 2))) {
    for (const numbers& digits : all_of(axes)) {
      expected.push_back(cut);
      expected.back().insert(expected.back().end(), digits.begin(), digits.end());
    }
  }
  CHECK(all_of(both) == expected);
  CHECK(all_of_placed(both) == expected);
  CHECK(search::configurations({1U << 31U, 1U << 31U, 1U << 31U}).size() == ~std::uint64_t{0});
  CHECK(search::product(search::configurations({0}), search::all_cuts(3, 2)).size() == 0);
  CHECK(refusal([] { return search::product(search::all_cuts(300, 40), search::configurations({2})); }) ==
        "stagecut::search::product: first.size() * second.size() = 18446744073709551615 * 2, must be below 2^64 - 1");
}
