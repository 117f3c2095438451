// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/rank_options.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "random_models.hpp"

using joint_tests::drawn;
using stagecut::recompute_model;
using stagecut::detail::choice_curves;
using stagecut::detail::rank_options;
using stagecut::detail::rank_rules;
using stagecut::detail::whole_times;
using stagecut::engine::tick_b;
using stagecut::engine::tick_f;
using stagecut::engine::tick_w;

namespace {

const whole_times ones({1}, {1}, 1000);
using numbers = std::vector<double>;

/// Backward passes of all stages, then W.
struct tried {
  numbers times;
  double need;  // bytes
  double all;   // passes of a microbatch
};

recompute_model drawn_model(std::mt19937& dice) {
  recompute_model model;
  const std::size_t types = drawn(dice, 1, 2);
  for (std::size_t t = 0; t < types; ++t) {
    model.types.push_back(joint_tests::drawn_type(dice, drawn(dice, 1, 3)));
    model.types[t].workspace = static_cast<double>(drawn(dice, 0, 9));
    for (auto& choice : model.types[t].choices) {
      if (dice() % 3 == 0) choice.workspace = static_cast<double>(drawn(dice, 0, 15));
    }
    for (auto& choice : model.types[t].choices) {
      if (dice() % 2 == 0) choice.recomputed_whole = choice.recomputed_apart = static_cast<double>(drawn(dice, 0, 9));
    }
    for (auto& choice : model.types[t].choices) choice.backward_weight = static_cast<double>(drawn(dice, 0, 5));
  }
  for (std::size_t i = 0; i < 8; ++i) model.layers.push_back(drawn(dice, 0, types - 1));
  return model;
}

rank_rules drawn_rules(std::mt19937& dice, std::size_t stages, bool splits) {
  rank_rules rules;
  const auto some = [&](std::size_t most) { return static_cast<double>(drawn(dice, 0, most)); };
  for (std::size_t v = 0; v < stages; ++v) {
    rules.stages.push_back(2 * v);
    rules.own_forward.push_back(some(5));
    rules.own_backward.push_back(some(5));
    rules.own_weight.push_back(splits ? some(5) : 0);
    rules.own_activations.push_back(some(3));
    rules.own_workspace.push_back(some(9));
    rules.own_peak.push_back(rules.own_workspace[v] + some(4));
    rules.own_recomputed.push_back(splits ? some(4) : 0);
    rules.own_shared.emplace_back();
  }
  rules.moments.resize(drawn(dice, 1, 3));
  for (auto& moment : rules.moments) {
    for (std::size_t v = 0; v < stages; ++v) {
      const std::size_t apart = splits ? drawn(dice, 0, 2) : 0;
      moment.push_back({drawn(dice, 1, 4), apart + drawn(dice, 0, 1), apart});
    }
  }
  return rules;
}

/// All ways to run the layers of a rank, layer by layer.
std::vector<tried> all_ways(const recompute_model& model, const std::vector<std::size_t>& points,
                            const rank_rules& rules, bool splits) {
  std::vector<tried> result;
  const std::size_t stages = rules.stages.size();
  joint_tests::each_choice(model, points, [&](const std::vector<std::size_t>& choices) {
    tried made{numbers(2 * stages), 0, 0};
    numbers kept = rules.own_activations;
    numbers room = rules.own_workspace;
    numbers peak = rules.own_peak;
    numbers again = rules.own_recomputed;
    for (std::size_t v = 0; v < stages; ++v) {
      made.times[v] = rules.own_backward[v];
      made.times[stages + v] = rules.own_weight[v];
      made.all += rules.own_forward[v];
      for (std::size_t i = points[v]; i < points[v + 1]; ++i) {
        const auto& type = model.types[model.layers[i]];
        const auto& way = type.choices[choices[i]];
        const double weight = splits ? way.backward_weight : 0;
        made.times[v] += way.backward - weight;
        made.times[stages + v] += weight;
        made.all += type.forward;
        made.need += type.resident;
        const double needs = std::max(type.workspace, way.workspace);
        room[v] = std::max(room[v], needs);
        peak[v] = std::max(peak[v], needs + way.recomputed_whole);
        again[v] += splits ? way.recomputed_apart : 0;
        kept[v] += way.activations;
      }
    }
    for (const double time : made.times) made.all += time;
    double held = 0;
    for (const auto& moment : rules.moments) {
      double here = 0;
      for (std::size_t v = 0; v < stages; ++v) {
        here += static_cast<double>(moment[v].in_flight) * kept[v] + static_cast<double>(moment[v].apart) * again[v] +
                (moment[v].recomputed > moment[v].apart ? peak[v] : room[v]);
      }
      held = std::max(held, here);
    }
    made.need += held;
    result.push_back(made);
  });
  return result;
}

bool covers(const numbers& a, const numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("options are the ways that fit, without those that another one is as fast as") {
  std::mt19937 dice(1);
  std::size_t none = 0;
  std::size_t exact = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const recompute_model model = drawn_model(dice);
    const bool splits = dice() % 2 == 0;
    const std::size_t stages = drawn(dice, 1, 3);
    rank_rules rules = drawn_rules(dice, stages, splits);
    std::vector<std::size_t> points{0};
    for (std::size_t v = 0; v < stages; ++v)
      points.push_back(std::min<std::size_t>(8, points.back() + drawn(dice, 0, 3)));
    const recompute_model rank_model{
        model.types, {model.layers.begin(), model.layers.begin() + static_cast<std::ptrdiff_t>(points.back())}, {}, {}};
    const std::vector<tried> all = all_ways(rank_model, points, rules, splits);
    const double most = dice() % 2 == 0 ? 1e300 : all[dice() % all.size()].all;
    rules.memory = all[dice() % all.size()].need - (dice() % 3 == 0 ? 1 : 0);  // a limit that some meet exactly

    choice_curves curves(model, ones, splits);
    std::vector<std::uint32_t> of;
    for (std::size_t v = 0; v < stages; ++v) of.push_back(curves.of(points[v], points[v + 1]));
    rank_options rank(rules, splits);
    const bool any = rank.add(curves, of, most);
    CHECK(any == std::any_of(all.begin(), all.end(),
                             [&](const tried& each) { return each.need <= rules.memory && each.all <= most; }));
    none += any ? 0 : 1;
    (void)rank.finish(std::vector<int>(rank.classes().size()));
    std::vector<numbers> options;
    for (std::size_t o = 0; o < rank.size(); ++o) {
      numbers times;
      for (std::size_t v = 0; v < stages; ++v) times.push_back(rank.times(v * rank.kinds() + tick_b)[o]);
      for (std::size_t v = 0; v < stages; ++v) {
        times.push_back(splits ? rank.times(v * rank.kinds() + tick_w)[o] : 0);
        CHECK(rank.times(v * rank.kinds() + tick_f)[o] == curves[of[v]].forward + rules.own_forward[v]);
      }
      options.push_back(times);
    }
    for (const tried& each : all) {
      if (each.need > rules.memory || each.all > most) continue;
      exact += each.need == rules.memory ? 1 : 0;
      CHECK(std::any_of(options.begin(), options.end(), [&](const numbers& o) { return covers(o, each.times); }));
    }
    for (const numbers& o : options) {
      CHECK(std::any_of(all.begin(), all.end(), [&](const tried& each) {
        return each.need <= rules.memory && each.all <= most && each.times == o;
      }));
      CHECK(std::count_if(options.begin(), options.end(), [&](const numbers& p) { return covers(p, o); }) == 1);
    }
  }
  CHECK(none > 20);
  CHECK(none < 200);
  CHECK(exact > 100);
}

TEST_CASE("a limit is kept to exactly") {
  recompute_model model;
  model.types = {{"l", 1, 2, 0, 0, {{"none", 2, 0, 10}, {"full", 3, 0, 1}}}};
  model.layers = {0, 0, 0};
  choice_curves curves(model, ones, false);
  const auto backward = [&](double memory, std::size_t in_flight) {
    rank_rules rules{{0}, {{{in_flight, 1, 0}}}, memory, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {{}}};
    rank_options rank(rules, false);
    if (!rank.add(curves, {curves.of(0, 3)}, 1e300)) return 0.0;
    (void)rank.finish(std::vector<int>{0});
    CHECK(rank.size() == 1);  // one stage: the fastest way alone
    return rank.times(tick_b)[0];
  };
  CHECK(backward(6 + 2 * 30, 2) == 6);
  CHECK(backward(6 + 2 * 30 - 1, 2) == 7);
  CHECK(backward(6 + 2 * 21, 2) == 7);
  CHECK(backward(6 + 2 * 3, 2) == 9);
  CHECK(backward(6 + 2 * 3 - 1, 2) == 0);
}

TEST_CASE("classes are sorted by key, those of one key as they came, and found by their contents") {
  recompute_model model;
  model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 10}, {"full", 3, 0, 1}}}};
  model.layers = {0, 0, 0, 0, 0};
  choice_curves curves(model, ones, false);
  rank_options rank(
      rank_rules{
          {0, 3}, {{{1, 1, 0}, {1, 1, 0}}}, 35, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {{}, {}}},
      false);
  const std::vector<std::vector<std::size_t>> lengths{{3, 2}, {0, 1}, {2, 1}, {1, 0}, {1, 2}};
  std::vector<int> keys;
  for (const auto& length : lengths) {
    REQUIRE(rank.add(curves, {curves.of(0, length[0]), curves.of(0, length[1])}, 1e300));
    CHECK(rank.add(curves, {curves.of(0, length[0]), curves.of(0, length[1])}, 1e300));  // is there already
    keys.push_back(static_cast<int>(length[0] + length[1]));
  }
  CHECK(rank.classes().size() == 5);
  CHECK(rank.finish(keys) == std::vector<int>{1, 1, 3, 3, 5});
  const std::vector<std::vector<std::size_t>> sorted{{0, 1}, {1, 0}, {2, 1}, {1, 2}, {3, 2}};
  std::uint32_t at = 0;
  for (std::size_t c = 0; c < sorted.size(); ++c) {
    const rank_options::contents& here = rank.classes()[c];
    for (std::size_t v = 0; v < 2; ++v) CHECK(curves[here.of[v]].layers() == sorted[c][v]);
    CHECK(rank.find(here.of) == c);
    CHECK(here.first == at);
    CHECK(here.last > here.first);
    for (; at < here.last; ++at) {
      CHECK(rank.class_of(at) == c);
      for (std::size_t v = 0; v < 2; ++v) {
        CHECK(rank.times(2 * v + tick_f)[at] == static_cast<double>(sorted[c][v]));
        CHECK(rank.times(2 * v + tick_b)[at] == curves[here.of[v]].points[rank.point(at, v)].backward);
      }
    }
  }
  CHECK(at == rank.size());
  CHECK(rank.find({curves.of(0, 4), curves.of(0, 1)}) == 5);
  rank.clear();
  CHECK(rank.size() == 0);
  CHECK(rank.find({curves.of(0, 0), curves.of(0, 1)}) == 0);
}
