// SPDX-License-Identifier: BSL-1.0
// Figures from papers and from other planners' programs for schedules that the library makes. Left out are those that
// come from a search for an order: ZB-1p, ZB-2p, V-Half, V-Min, and DualPipe with its two copies of the model.
#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/looped_bfs.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/generators/zbv.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using stagecut::schedule;
using stagecut::simulate;
using stagecut::transfer_kind;
using counts = std::vector<std::size_t>;
using times = std::vector<double>;

namespace {

template <class T>
stagecut::transfer_times<T> hops(T c) {
  return {.kind = transfer_kind::latency, .forward = {c}, .backward = {c}};
}

template <class T>
T makespan(const schedule& order, std::vector<T> forward, std::vector<T> backward, T c = 0) {
  return simulate(order, stagecut::pass_times<T>{.forward = std::move(forward), .backward = std::move(backward)},
                  hops(c))
      .makespan;
}
/// Of equal stages.
double equal(const schedule& order, double f, double b, double c = 0) {
  return makespan(order, times(order.stages(), f), times(order.stages(), b), c);
}

template <class T>
stagecut::simulation<T> split(const schedule& order, T f, T i, T w, T c = 0) {
  const std::vector<T> n(order.stages());
  stagecut::pass_times<T> passes{.forward = n, .backward_input = n, .backward_weight = n};
  std::fill(passes.forward.begin(), passes.forward.end(), f);
  std::fill(passes.backward_input.begin(), passes.backward_input.end(), i);
  std::fill(passes.backward_weight.begin(), passes.backward_weight.end(), w);
  return simulate(order, passes, hops(c));
}

times peaks(const schedule& order, const stagecut::stage_bytes& bytes = {}) {
  times result;
  for (const auto& rank : stagecut::memory_curve(order, stagecut::simulation<double>{}, bytes)) {
    result.push_back(rank.peak_activations);
  }
  return result;
}

/// In ten-thousandths, as papers print it.
long rate(double cost, double ideal) { return std::lround((cost - ideal) / cost * 1e4); }

times scaled(times values, double by) {
  for (double& value : values) value *= by;
  return values;
}

using stagecut::eager_one_forward_one_backward;
using stagecut::gpipe;
using stagecut::interleaved_one_forward_one_backward;
using stagecut::one_forward_one_backward;

}  // namespace

// Qi et al., Zero Bubble Pipeline Parallelism, arXiv 2401.10241, tables 5, 8 and 9: measured times in microseconds. The
// published rates of interleaved 1F1B come from a program that lets only the first microbatch of a round wait for its
// way from the last rank to the first; those here are of what the order takes.
TEST_CASE("zero-bubble paper: makespans of measured times, and bubble rates") {
  struct row {
    std::size_t p, m;
    std::int64_t f, i, w, c;
    std::size_t v;
    std::int64_t ideal, one;
    double interleaved;
    std::int64_t h1, h2;
    double rate_one, rate_interleaved, rate_h1, rate_h2;
  };
  const row rows[] = {
      {8, 24, 18522, 18086, 9337, 601, 3, 1102680, 1456749, 1237531.0, 1310405, 1236632, .2431, .1090, .1585, .1083},
      {8, 32, 18513, 18086, 9331, 626, 3, 1469760, 1833838, 1605726.0, 1678164, 1604083, .1985, .0847, .1242, .0837},
      {8, 24, 29718, 29444, 19927, 527, 4, 1898136, 2480217, 2069215.75, 2187537, 2040670, .2347, .0827, .1323, .0698},
      {8, 64, 29935, 29621, 19388, 535, 4, 5052416, 5671364, 5223738.0, 5348572, 5205366, .1091, .0328, .0554, .0294},
      {16, 48, 11347, 11248, 8132, 377, 3, 1474896, 1980287, 1663969.0, 1714461, 1581171, .2552, .1136, .1397, .0672},
      {16, 128, 11325, 11308, 8109, 378, 3, 3934976, 4497410, 4124218.0, 4175516, 4042541, .1251, .0459, .0576, .0266},
      {32, 128, 10408, 10204, 7703, 408, 2, 3624320, 4627749, 4114610.5, 4075091, 3811002, .2168, .1192, .1106, .0490},
      {16, 48, 28814, 28760, 19352, 1610, 2, 3692448, 5036318, 4369213.0, 4362378, 4023798, .2668, .1549, .1536, .0823},
      {16, 128, 28632, 28612, 19278, 1619, 2, 9794816, 11376538, 10469109.0, 10461446, 10123706, .1390, .0644, .0637,
       .0325},
      {24, 72, 13526, 13938, 10502, 755, 2, 2733552, 3744180, 3241131.0, 3193138, 2916862, .2699, .1566, .1439, .0628},
      {24, 192, 13570, 13980, 10520, 770, 2, 7309440, 8502290, 7819625.0, 7771970, 7494590, .1403, .0652, .0595, .0247},
      {32, 128, 18938, 19488, 14612, 892, 2, 6788864, 8707778, 7723345.0, 7637706, 7129430, .2204, .1210, .1111, .0478},
  };
  for (const row& each : rows) {
    CAPTURE(each.p);
    CAPTURE(each.m);
    CAPTURE(each.f);
    const auto [p, m, f, i, w, c, v, ideal, one, interleaved, h1, h2, rate_one, rate_interleaved, rate_h1, rate_h2] =
        each;
    const auto ticks = static_cast<std::int64_t>(v);
    CHECK(ideal == static_cast<std::int64_t>(m) * (f + i + w));
    const auto found_one = makespan(one_forward_one_backward(p, m), std::vector(p, f), std::vector(p, i + w), c);
    CHECK(found_one == one);
    // A chunk takes one v-th of a rank's time: in units of that.
    const auto found_interleaved = makespan(interleaved_one_forward_one_backward(p, v, m), std::vector(p * v, f),
                                            std::vector(p * v, i + w), c * ticks);
    CHECK(static_cast<double>(found_interleaved) == interleaved * static_cast<double>(v));
    CHECK(split(stagecut::zb_h1(p, m), f, i, w, c).makespan == h1);
    CHECK(split(stagecut::zb_h2(p, m), f, i, w, c).span == h2);
    const auto best = static_cast<double>(ideal);
    CHECK(rate(static_cast<double>(found_one), best) == std::lround(rate_one * 1e4));
    CHECK(rate(static_cast<double>(found_interleaved) / static_cast<double>(v), best) ==
          std::lround(rate_interleaved * 1e4));
    CHECK(rate(static_cast<double>(h1), best) == std::lround(rate_h1 * 1e4));
    CHECK(rate(static_cast<double>(h2), best) == std::lround(rate_h2 * 1e4));
  }
}

TEST_CASE("GPipe and 1F1B of equal stages") {
  for (const auto& order : {gpipe(4, 8), one_forward_one_backward(4, 8)}) CHECK(equal(order, 1, 2) == 33);
  for (const auto& order : {gpipe(2, 4), one_forward_one_backward(2, 4)}) CHECK(equal(order, 1, 2) == 15);
  for (const auto& order : {gpipe(4, 4), one_forward_one_backward(4, 4)}) CHECK(equal(order, 1, 2) == 21);
  for (const auto& order : {gpipe(3, 5), one_forward_one_backward(3, 5)}) CHECK(equal(order, 1, 2) == 21);
  for (const auto& order : {gpipe(8, 32), one_forward_one_backward(8, 32)}) CHECK(equal(order, 1, 2) == 117);
  CHECK(rate(117, 96) == 1795);
  CHECK(rate(33, 24) == 2727);
}

TEST_CASE("1F1B and eager 1F1B with messages") {
  CHECK(equal(one_forward_one_backward(4, 8), 1, 2, 0.5) == 41);
  CHECK(equal(one_forward_one_backward(4, 16), 1, 2, 0.5) == 71);
  CHECK(equal(one_forward_one_backward(4, 8), 10, 20, 1) == 346);  // also of PP-Schedule-Visualization
  CHECK(equal(one_forward_one_backward(8, 32), 10, 20, 1) == 1238);
  CHECK(equal(one_forward_one_backward(4, 8), 10, 20, 5) == 410);
  CHECK(equal(one_forward_one_backward(4, 16), 10, 20, 5) == 710);
  CHECK(equal(eager_one_forward_one_backward(4, 8), 10, 20, 5) == 360);
  CHECK(equal(eager_one_forward_one_backward(4, 16), 10, 20, 5) == 600);
  CHECK(equal(eager_one_forward_one_backward(4, 16), 10, 20) == 570);
  CHECK(equal(one_forward_one_backward(4, 16), 10, 20) == 570);
  CHECK(peaks(eager_one_forward_one_backward(4, 8)) == times{7, 5, 3, 1});
  CHECK(peaks(one_forward_one_backward(4, 8)) == times{4, 3, 2, 1});
}

TEST_CASE("the order of unequal stages matters: GPipe and 1F1B") {
  const auto check = [](const times& f, const times& b, std::size_t m, double expected_gpipe, double expected_one) {
    CHECK(makespan(gpipe(f.size(), m), f, b) == expected_gpipe);
    CHECK(makespan(gpipe(f.size(), m, stagecut::backward_order::last_in_first_out), f, b) == expected_gpipe);
    CHECK(makespan(one_forward_one_backward(f.size(), m), f, b) == expected_one);
  };
  check({3, 1, 1, 1}, {6, 2, 2, 2}, 8, 81, 72);
  check({1, 1, 1, 3}, {2, 2, 2, 6}, 8, 81, 81);
  check({1, 2, 1, 1}, {2, 4, 2, 2}, 8, 57, 53);
  check({2, 1, 3, 1}, {4, 2, 6, 2}, 8, 84, 81);
  check({3, 1, 1, 1}, {3, 1, 1, 1}, 8, 54, 48);
  check({1, 2, 1, 1}, {1, 2, 1, 1}, 8, 38, 34);
  check({2, 1, 3, 1}, {2, 1, 3, 1}, 8, 56, 54);
  check({2, 5, 2}, {8, 8, 8}, 12, 176, 173);
}

TEST_CASE("cuts of PyTorch's pull request 179212: a heavier stage, a sooner end") {
  const auto run = [](const times& layers, const counts& cuts) {
    times stages;
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
      stages.push_back(0);
      for (std::size_t i = cuts[s]; i < cuts[s + 1]; ++i) stages.back() += layers[i];
    }
    return makespan(one_forward_one_backward(stages.size(), 8), stages, scaled(stages, 2));
  };
  const times first{8, 11, 2, 1, 18, 5, 4, 11};
  CHECK(run(first, {0, 1, 4, 5, 8}) == 600);
  CHECK(run(first, {0, 3, 5, 6, 8}) == 573);
  CHECK(run(first, {0, 3, 5, 7, 8}) == 573);
  // All four cuts whose heaviest stage takes 20.
  for (const counts& cuts : {counts{0, 1, 3, 5, 8}, counts{0, 2, 3, 5, 8}, counts{0, 2, 4, 5, 8}}) {
    CHECK(run(first, cuts) == 600);
  }
  const times third{1170, 2846, 1146, 4254, 2199, 1289, 6888, 2312};
  CHECK(run(third, {0, 3, 6, 7, 8}) == 219396);
  CHECK(run(third, {0, 4, 6, 7, 8}) == 238280);
  // No cut beats these.
  const auto best = [&](const times& layers) {
    double least = run(layers, {0, 1, 2, 3, 8});
    for (std::size_t a = 1; a < 6; ++a) {
      for (std::size_t b = a + 1; b < 7; ++b) {
        for (std::size_t c = b + 1; c < 8; ++c) least = std::min(least, run(layers, {0, a, b, c, 8}));
      }
    }
    return least;
  };
  CHECK(best(first) == 573);
  CHECK(best(third) == 219396);
}

TEST_CASE("interleaved 1F1B and looped breadth-first") {
  // Times of a rank are those of its chunks.
  CHECK(equal(interleaved_one_forward_one_backward(4, 2, 8), 1, 2) == 57);
  CHECK(equal(interleaved_one_forward_one_backward(4, 2, 8), 0.5, 1) == 28.5);
  CHECK(equal(interleaved_one_forward_one_backward(2, 2, 4), 0.5, 1) == 13.5);
  CHECK(equal(interleaved_one_forward_one_backward(4, 4, 16), 0.25, 0.5) == 50.25);
  CHECK(equal(interleaved_one_forward_one_backward(2, 2, 8), 0.5, 1) == 25.5);
  CHECK(peaks(interleaved_one_forward_one_backward(4, 4, 16)) == times{19, 17, 15, 13});
  CHECK(peaks(interleaved_one_forward_one_backward(4, 2, 8)) == times{11, 9, 7, 5});
  const schedule looped = stagecut::looped_bfs(2, 2, 4);
  CHECK(equal(looped, 0.5, 1) == 13.5);
  CHECK(peaks(looped, {.activations = times(4, 0.5)}) == times{4, 4});
}

TEST_CASE("zero bubble: passes that take 1") {
  const auto h1 = split(stagecut::zb_h1(4, 8), 1, 1, 1);
  CHECK(h1.makespan == 27);
  const auto h2 = split(stagecut::zb_h2(4, 8), 1, 1, 1);
  CHECK(h2.makespan == 27);
  CHECK(h2.span == 24);
  // What waits for W alone is half of a microbatch's activations.
  const auto half = [](const schedule& order) {
    return stagecut::stage_bytes{.weight_part = times(order.stages(), 0.5)};
  };
  CHECK(peaks(stagecut::zb_h1(4, 8), half(stagecut::zb_h1(4, 8))) == times{4, 3.5, 3, 2.5});
  CHECK(peaks(stagecut::zb_h2(4, 8), half(stagecut::zb_h2(4, 8))) == times{7, 6, 5, 4});
  CHECK(split(stagecut::interleaved_zero_bubble(4, 1, 8), 1, 1, 1).makespan == 27);
  CHECK(split(stagecut::interleaved_zero_bubble(4, 2, 8), 1, 1, 1).makespan == 51);
  CHECK(split(stagecut::interleaved_zero_bubble(2, 2, 8), 1, 1, 1).makespan == 49);
  CHECK(split(stagecut::interleaved_zero_bubble(4, 2, 16), 1, 1, 1).makespan == 99);
  CHECK(peaks(stagecut::interleaved_zero_bubble(4, 2, 8)) == times(4, 8));
}

TEST_CASE("ZB-V: passes that take 1, and 20") {
  const auto check = [](std::size_t p, std::size_t m, int each, int makespan, int span) {
    const auto run = split(stagecut::zbv(p, m), each, each, each);
    CHECK(run.makespan == makespan);
    CHECK(run.span == span);
    CHECK(peaks(stagecut::zbv(p, m)) == times(p, 2 * static_cast<double>(p)));
  };
  check(2, 4, 1, 25, 24);
  check(4, 8, 1, 51, 48);
  check(4, 12, 1, 75, 72);
  check(8, 24, 20, 3020, 2880);
}

TEST_CASE("DualPipeV: F 1, B 2, I and W 1, an overlapping pair 3") {
  const auto run = [](std::size_t p, std::size_t m, double unit, double pair) {
    const times one(2 * p, unit);
    return simulate(stagecut::dualpipev(p, m), stagecut::pass_times<double>{.forward = one,
                                                                            .backward = scaled(one, 2),
                                                                            .backward_input = one,
                                                                            .backward_weight = one,
                                                                            .overlapped = times(2 * p, pair)})
        .makespan;
  };
  CHECK(run(2, 4, 1, 3) == 26);
  CHECK(run(4, 8, 1, 3) == 54);
  CHECK(run(4, 10, 1, 3) == 66);
  CHECK(run(4, 16, 1, 3) == 102);
  CHECK(run(4, 16, 2, 5.5) == 191);
  CHECK(peaks(stagecut::dualpipev(4, 10)) == times(4, 9));
}

TEST_CASE("sliced 1F1B: F 1 and B 2 of a whole microbatch") {
  const auto run = [](std::size_t p, std::size_t m, std::size_t slices) {
    const double part = 1 / static_cast<double>(slices);
    return equal(stagecut::sliced_one_forward_one_backward(p, m, slices), part, 2 * part);
  };
  CHECK(run(4, 8, 1) == 33);
  CHECK(run(4, 8, 2) == 28.5);
  CHECK(run(4, 8, 4) == 26.25);
  CHECK(run(4, 4, 2) == 16.5);
  CHECK(peaks(stagecut::sliced_one_forward_one_backward(4, 8, 2)) == times{2.5, 2, 1.5, 1});
}

// SAPP's readme, a Llama of 175 billion parameters on 16 stages; what that planner says of unequal stages: sapp_cases.
TEST_CASE("SAPP: the bubble of 16 equal stages and 16 microbatches") {
  const double found = equal(one_forward_one_backward(16, 16), 1, 2);
  CHECK((found - 48) / 48 == 0.9375);
}
