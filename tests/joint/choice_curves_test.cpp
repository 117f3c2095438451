// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/choice_curves.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "random_models.hpp"

using stagecut::recompute_model;
using stagecut::detail::choice_curves;
using stagecut::detail::stage_content;
using stagecut::detail::whole_times;

namespace {

/// Activations, backward pass (without W where that is apart), W, workspace, that with what is computed again, and what is
/// between I and W.
using way = std::array<double, 6>;

const whole_times ones({1}, {1}, 1000);

bool covers(const way& a, const way& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

/// What all ways to run some layers take, by trying every choice of each.
std::set<way> all_ways(const recompute_model& model, std::size_t first, std::size_t last, bool splits) {
  std::set<way> result;
  const std::function<void(std::size_t, way)> next = [&](std::size_t i, way sum) {
    if (i == last) {
      result.insert(sum);
      return;
    }
    for (const auto& choice : model.types[model.layers[i]].choices) {
      const double apart = splits ? choice.backward_weight : 0;
      const double needs = std::max(model.types[model.layers[i]].workspace, choice.workspace);
      next(i + 1,
           {sum[0] + choice.activations, sum[1] + choice.backward - apart, sum[2] + apart, std::max(sum[3], needs),
            std::max(sum[4], needs + choice.recomputed_whole), sum[5] + (splits ? choice.recomputed_apart : 0)});
    }
  };
  next(first, {});
  return result;
}

/// Those that no other one dominates.
std::set<way> best_ways(const std::set<way>& all) {
  std::set<way> result;
  for (const way& each : all) {
    const auto is_better = [&](const way& other) { return other != each && covers(other, each); };
    if (std::none_of(all.begin(), all.end(), is_better)) result.insert(each);
  }
  return result;
}

}  // namespace

TEST_CASE("the ways that are kept are those that no other one is better than, each once") {
  std::mt19937 dice(1);
  for (int round = 0; round < 120; ++round) {
    CAPTURE(round);
    recompute_model model;
    const std::size_t types = joint_tests::drawn(dice, 1, 3);
    for (std::size_t t = 0; t < types; ++t) {
      model.types.push_back(joint_tests::drawn_type(dice, joint_tests::drawn(dice, 1, 3)));
      for (auto& choice : model.types[t].choices) {
        choice.backward_weight =
            static_cast<double>(joint_tests::drawn(dice, 0, static_cast<std::size_t>(choice.backward)));
        if (round % 3 == 0)
          choice.recomputed_whole = choice.recomputed_apart = static_cast<double>(joint_tests::drawn(dice, 0, 9));
        if (round % 2 == 0) choice.workspace = static_cast<double>(joint_tests::drawn(dice, 0, 15));
      }
      model.types[t].workspace = static_cast<double>(joint_tests::drawn(dice, 0, 9));
    }
    for (std::size_t i = 0; i < 6; ++i) model.layers.push_back(joint_tests::drawn(dice, 0, types - 1));
    const bool splits = dice() % 2 == 0;
    choice_curves curves(model, ones, splits);
    for (std::size_t first = 0; first <= 6; ++first) {
      for (std::size_t last = first; last <= 6; ++last) {
        const std::size_t content = curves.of(first, last);
        const stage_content& here = curves[content];
        std::set<way> kept;
        for (const auto& point : here.points)
          kept.insert({point.activations, point.backward, point.weight, point.workspace, point.peak, point.recomputed});
        CHECK(kept.size() == here.points.size());
        CHECK(kept == best_ways(all_ways(model, first, last, splits)));
        const auto less = [](const auto& a, const auto& b) { return a.activations < b.activations; };
        CHECK(std::is_sorted(here.points.begin(), here.points.end(), less));

        double forward = 0;
        double resident = 0;
        std::vector<std::size_t> of_type(types);
        for (std::size_t i = first; i < last; ++i) {
          const auto& type = model.types[model.layers[i]];
          forward += type.forward;
          resident += type.resident;
          ++of_type[model.layers[i]];
        }
        CHECK(here.forward == forward);
        CHECK(here.resident == resident);
        bool falls = true;
        for (std::size_t p = 1; p < here.points.size(); ++p) {
          falls = falls && here.points[p].backward < here.points[p - 1].backward;
        }
        CHECK(here.falls == falls);
        CHECK(here.layers() == last - first);
        CHECK(std::equal(of_type.begin(), of_type.end(), here.counts.begin(), here.counts.end()));
      }
    }
  }
}

TEST_CASE("a way is told as the number of layers that are run by every choice") {
  std::mt19937 dice(2);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    recompute_model model;
    const std::size_t types = joint_tests::drawn(dice, 1, 3);
    for (std::size_t t = 0; t < types; ++t) model.types.push_back(joint_tests::drawn_type(dice, 1 + dice() % 4));
    for (std::size_t i = 0; i < 9; ++i) model.layers.push_back(joint_tests::drawn(dice, 0, types - 1));
    const bool splits = dice() % 2 == 0;
    for (auto& type : model.types) {
      for (auto& choice : type.choices) choice.backward_weight = static_cast<double>(joint_tests::drawn(dice, 0, 3));
    }
    choice_curves curves(model, ones, splits);
    const std::size_t first = joint_tests::drawn(dice, 0, 4);
    const std::size_t content = curves.of(first, joint_tests::drawn(dice, first, 9));
    for (std::size_t p = 0; p < curves[content].points.size(); ++p) {
      const auto counts = curves.counts_of(content, p);
      REQUIRE(counts.size() == types);
      way sum{0, 0, 0};
      for (std::size_t t = 0; t < types; ++t) {
        std::size_t all = 0;
        for (std::size_t r = 0; r < counts[t].size(); ++r) {
          const auto n = static_cast<double>(counts[t][r]);
          const auto& each = model.types[t].choices[r];
          const double apart = splits ? each.backward_weight : 0;
          sum = {sum[0] + n * each.activations, sum[1] + n * (each.backward - apart), sum[2] + n * apart};
          all += counts[t][r];
        }
        CHECK(all == curves[content].counts[t]);
      }
      const auto& point = curves[content].points[p];
      CHECK(sum == way{point.activations, point.backward, point.weight});
    }
  }
}

TEST_CASE("three layers that may be kept, kept in part, or not") {
  recompute_model model;
  model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 9}, {"part", 3, 0, 5}, {"full", 4, 0, 1}, {"silly", 5, 0, 9}}}};
  model.layers = {0, 0, 0};
  choice_curves curves(model, ones, false);
  CHECK(curves.alike());
  CHECK(curves.of(0, 2) == curves.of(1, 3));  // where they stand does not matter
  const stage_content& all = curves[curves.of(0, 3)];
  std::vector<double> kept;
  std::vector<double> backward;
  for (const auto& point : all.points) {
    kept.push_back(point.activations);
    backward.push_back(point.backward);
  }
  CHECK(kept == std::vector<double>{3, 7, 11, 15, 19, 23, 27});
  CHECK(backward == std::vector<double>{12, 11, 10, 9, 8, 7, 6});
  const stage_content& none = curves[curves.of(1, 1)];
  CHECK(none.layers() == 0);
  CHECK(none.points.size() == 1);
}
