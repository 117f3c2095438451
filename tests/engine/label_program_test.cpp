// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <stagecut/engine/label_program.hpp>

#include <doctest/doctest.h>

using stagecut::engine::label_front;
using stagecut::engine::label_program;

namespace {

unsigned drawn(std::mt19937& dice, unsigned below) { return static_cast<unsigned>(dice() % below); }

struct label {
  unsigned group = 0, time = 0, bytes = 0, number = 0;
  std::size_t last = 0, from = 0;
};

/// Less time and fewer bytes in the same group; `Two`: tells that these are two figures.
template <bool Two>
struct order {
  static constexpr bool two_figures = Two;
  static constexpr std::size_t slack = 5;

  [[nodiscard]] static bool before(const label& a, const label& b) {
    if (a.group != b.group) return a.group < b.group;
    return a.time != b.time ? a.time < b.time : a.bytes < b.bytes;
  }
  [[nodiscard]] static bool alike(const label& a, const label& b) { return a.group == b.group; }
  [[nodiscard]] static bool dominates(const label& a, const label& b) { return a.bytes <= b.bytes; }
};

bool is_as_good(const label& a, const label& b) { return a.group == b.group && a.time <= b.time && a.bytes <= b.bytes; }

/// The first of each of the best, sorted.
std::vector<label> front_of(const std::vector<label>& all) {
  std::vector<label> front;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool is_best = true;
    for (std::size_t j = 0; j < all.size(); ++j) {
      is_best = is_best && !(is_as_good(all[j], all[i]) && (j < i || !is_as_good(all[i], all[j])));
    }
    if (is_best) front.push_back(all[i]);
  }
  std::sort(front.begin(), front.end(), order<true>::before);
  return front;
}

template <bool Two>
void check_front(const std::vector<label>& all) {
  label_front<label, order<Two>> labels;
  for (const label& each : all) labels.add(each, {});
  labels.settle({});
  const std::vector<label> best = front_of(all);
  REQUIRE(labels.size() == best.size());
  for (std::size_t i = 0; i < best.size(); ++i) REQUIRE(labels[i].number == best[i].number);
}

/// Stages that end at each point.
struct stage {
  std::size_t first = 0, last = 0;
  unsigned time = 0, bytes = 0;
};

/// All there is to reach, stage by stage from the last point.
void each_cut(const std::vector<stage>& stages, const label& behind, std::size_t point, std::vector<label>& found) {
  if (point == 0) return found.push_back(behind);
  for (const stage& each : stages) {
    if (each.last != point) continue;
    label next = behind;
    next.group = (behind.group + 1) % 2;
    next.time += each.time;
    next.bytes = std::max(next.bytes, each.bytes);
    each_cut(stages, next, each.first, found);
  }
}

}  // namespace

TEST_CASE("a front keeps the first of each of the best labels, in their order") {
  std::mt19937 dice(5);
  for (unsigned round = 0; round < 300; ++round) {
    std::vector<label> all(dice() % 60);
    for (unsigned i = 0; i < all.size(); ++i) all[i] = {drawn(dice, 3), drawn(dice, 12), drawn(dice, 12), i};
    check_front<true>(all);
    check_front<false>(all);
  }
}

TEST_CASE("the labels of point 0 are the best of all cuts, and lead to them") {
  std::mt19937 dice(6);
  for (unsigned round = 0; round < 200; ++round) {
    const std::size_t points = 1 + dice() % 6;
    std::vector<stage> stages(dice() % 24);
    for (stage& each : stages) {
      each.first = dice() % points;
      each.last = each.first + 1 + dice() % (points - each.first);
      each.time = drawn(dice, 9);
      each.bytes = drawn(dice, 9);
    }
    label_program<label, order<true>> program(points + 1);
    const bool all = program.run({}, {}, [&](std::size_t last) {
      for (const stage& each : stages) {
        for (std::size_t i = 0; each.last == last && i < program[last].size(); ++i) {
          const label behind = program[last][i];
          program.add(each.first, {(behind.group + 1) % 2, behind.time + each.time, std::max(behind.bytes, each.bytes),
                                   0, last, i});
        }
      }
      return true;
    });
    CHECK(all);
    std::vector<label> found;
    each_cut(stages, {}, points, found);
    const std::vector<label> best = front_of(found);
    REQUIRE(program[0].size() == best.size());
    for (std::size_t i = 0; i < best.size(); ++i) {
      const label& whole = program[0][i];
      REQUIRE((is_as_good(whole, best[i]) && is_as_good(best[i], whole)));
      unsigned time = 0;
      std::size_t at = 0;
      program.each_stage(whole, [&](std::size_t first, const label& here, const label& behind) {
        CHECK(first == at);
        bool is_one = false;
        for (const stage& each : stages) {
          is_one = is_one || (each.first == first && each.last == here.last && each.time == here.time - behind.time &&
                              std::max(each.bytes, behind.bytes) == here.bytes);
        }
        CHECK(is_one);
        time += here.time - behind.time;
        at = here.last;
      });
      CHECK(at == points);
      CHECK(time == whole.time);
    }
  }
}

TEST_CASE("points without labels are not extended, and a program stops where it is told to") {
  std::vector<std::size_t> seen;
  label_program<label, order<true>> program(5);
  const auto extend = [&](std::size_t last) {
    seen.push_back(last);
    program.add(last - 2, {});
    return last != 2;
  };
  CHECK_FALSE(program.run({}, {}, extend));
  CHECK(seen == std::vector<std::size_t>{4, 2});
  CHECK(program[1].empty());
  CHECK(program.run({}, {}, [](std::size_t) { return true; }));  // of the run before nothing is left
  CHECK(program[2].empty());
  label_program<label, order<false>> none(1);
  CHECK(none.run({}, {}, extend));
  CHECK(none[0].size() == 1);
}
