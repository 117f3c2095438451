// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/fm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/seeded.hpp>

using stagecut::engine::fm_pass;
using stagecut::engine::fm_step;
using stagecut::engine::gain_heap;
using stagecut::engine::seeded;

namespace {

struct move {
  std::int64_t gain = 0;
  std::size_t element = 0;
  std::size_t to = gain_heap<move>::nowhere;
  friend bool operator<(const move& a, const move& b) {
    return std::pair(a.gain, b.element) < std::pair(b.gain, a.element);
  }
};

/// Vertices in three parts, each of at most `most`, so that edges between parts weigh little.
struct partition {
  using value_type = std::pair<std::size_t, std::int64_t>;
  std::size_t n;
  std::vector<std::int64_t> weight;  // of every pair
  std::vector<std::size_t> part{};
  std::size_t most;

  partition(std::size_t vertices, seeded& random) : n(vertices), weight(n * n), most(n / 3 + 1 + random.below(3)) {
    for (std::size_t v = 0; v < n; ++v) {
      part.push_back(v % 3);
      for (std::size_t u = 0; u < v; ++u) {
        if (random.below(n) < 4) weight[v * n + u] = weight[u * n + v] = static_cast<std::int64_t>(1 + random.below(6));
      }
    }
  }
  /// What is held too much, and what is cut.
  [[nodiscard]] value_type value() const {
    value_type sum{};
    std::size_t held[3] = {};
    for (std::size_t v = 0; v < n; ++v) {
      if (++held[part[v]] > most) ++sum.first;
      for (std::size_t u = 0; u < v; ++u) sum.second += part[v] != part[u] ? weight[v * n + u] : 0;
    }
    return sum;
  }
  [[nodiscard]] move best_move(std::size_t v) const {
    std::int64_t attached[3] = {};
    for (std::size_t u = 0; u < n; ++u) attached[part[u]] += weight[v * n + u];
    move best;
    for (std::size_t to = 0; to < 3; ++to) {
      const std::int64_t gain = attached[to] - attached[part[v]];
      if (to != part[v] && (best.to == gain_heap<move>::nowhere || gain > best.gain)) best = {gain, v, to};
    }
    return best;
  }

  /// A pass with the heap. @return whether the value is less
  bool pass() {
    const auto best = [&](std::size_t v) { return best_move(v); };
    gain_heap<move> heap(n);
    std::vector<std::pair<std::size_t, std::size_t>> made;
    heap.begin();
    for (std::size_t v = 0; v < n; ++v) heap.offer(v, best);
    const auto step = [&] {
      const auto now = heap.take(best);
      if (!now) return fm_step::none;
      made.emplace_back(now->element, std::exchange(part[now->element], now->to));
      for (std::size_t u = 0; u < n; ++u) {
        if (weight[now->element * n + u] != 0) heap.offer(u, best);
      }
      return fm_step::made;
    };
    const auto undo = [&](const auto& each) { part[each.first] = each.second; };
    return fm_pass(
        n, made, [&] { return value(); }, step, undo);
  }

  /// The same, restated: always the best of all moves, then back to the first of the least values.
  bool plain_pass() {
    std::vector<bool> moved(n);
    std::vector<std::vector<std::size_t>> met{part};
    std::vector<value_type> values{value()};
    for (std::size_t moves = 0; moves < n; ++moves) {
      move best;
      for (std::size_t v = 0; v < n; ++v) {
        if (moved[v]) continue;
        const move each = best_move(v);
        if (best.to == gain_heap<move>::nowhere || best < each) best = each;
      }
      moved[best.element] = true;
      part[best.element] = best.to;
      met.push_back(part);
      values.push_back(value());
    }
    const auto least = static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin());
    part = met[least];
    return least > 0;
  }
};

}  // namespace

TEST_CASE("a pass makes always the best move, and keeps the best prefix") {
  seeded random(1);
  std::size_t better = 0;
  for (int round = 0; round < 300; ++round) {
    partition heap(2 + random.below(30), random);
    partition plain = heap;
    for (bool goes_on = true; goes_on;) {
      goes_on = heap.pass();
      REQUIRE(goes_on == plain.plain_pass());
      REQUIRE(heap.part == plain.part);
      better += goes_on ? 1 : 0;
    }
  }
  CHECK(better > 300);
}

TEST_CASE("patience runs out by moves without a better value, those apart that mend") {
  std::vector<int> made;
  int value = 0;
  const auto run = [&](int better_at, fm_step kind, std::size_t most) {
    value = 0;
    std::size_t met = 0;
    std::size_t undone = 0;
    const auto step = [&] {
      if (met == most) return fm_step::none;
      made.push_back(static_cast<int>(++met));
      value = made.back() == better_at ? -1 : 1;
      return kind;
    };
    const bool better = fm_pass(
        90, made, [&] { return value; }, step, [&](int) { ++undone; });
    CHECK(better == (better_at != 0));
    CHECK(made.size() == static_cast<std::size_t>(better_at));
    CHECK(met == made.size() + undone);
    return met;
  };
  CHECK(run(0, fm_step::made, 1000) == 60);
  CHECK(run(50, fm_step::made, 1000) == 110);
  CHECK(run(0, fm_step::made, 7) == 7);
  CHECK(run(0, fm_step::relieved, 1000) == 1000);
  std::size_t asked = 0;
  std::size_t met = 0;
  const auto step = [&] { return made.push_back(0), ++met, value = -static_cast<int>(met), fm_step::made; };
  const auto stop = [&] { return ++asked == 3; };
  CHECK(fm_pass(
      90, made, [&] { return value; }, step, [](int) {}, stop));
  CHECK(met == 128);
}

TEST_CASE("a new offer makes older ones void, an element without a move waits or is dropped") {
  std::vector<std::int64_t> gain{5, 4, 3};
  std::vector<bool> has_room(3, true);
  const auto best = [&](std::size_t e) { return move{gain[e], e, has_room[e] ? 0 : gain_heap<move>::nowhere}; };
  for (const std::size_t most_refused : {std::size_t{0}, std::size_t{2}}) {
    gain_heap<move> heap(3, most_refused);
    heap.begin();
    for (std::size_t e = 0; e < 3; ++e) heap.offer(e, best);
    gain = {2, 4, 9};
    heap.offer(2, best);
    has_room = {true, false, true};
    CHECK(heap.take(best)->element == 2);
    CHECK(heap.is_locked(2));
    CHECK(heap.take(best)->element == 0);
    has_room[1] = true;
    const auto last = heap.take(best);
    CHECK(last.has_value() == (most_refused != 0));
    CHECK_FALSE(heap.take(best));
    gain = {5, 4, 3};
  }
  gain_heap<move> heap(3, 1);
  heap.begin();
  for (std::size_t e = 0; e < 3; ++e) heap.offer(e, best);
  has_room = {false, true, true};
  CHECK_FALSE(heap.take(best));  // the turn ends after one that has none
  has_room[0] = true;
  CHECK(heap.take(best)->element == 0);
}
