// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "oracles.hpp"
#include "random_models.hpp"

using stagecut::minimize_bottleneck;

namespace {

using generator = std::mt19937_64;
__extension__ using wide = __int128;

/// A cost that only compares.
struct rank {
  std::int64_t value;
  friend auto operator<=>(const rank&, const rank&) = default;
};

/// A part of a longer array of prefix sums.
struct window {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  std::vector<double> sums;

  [[nodiscard]] std::size_t size() const { return sums.size() - 1; }
  [[nodiscard]] double prefix(std::size_t i) const { return sums[i]; }
  double operator()(std::size_t first, std::size_t last) const { return sums[last] - sums[first]; }
};

/// A model given by a table, monotone if the table is.
template <class Cost>
struct table {
  using axioms = stagecut::axioms<stagecut::monotone>;
  std::size_t items;
  std::vector<Cost> entries;

  [[nodiscard]] std::size_t size() const { return items; }
  Cost operator()(std::size_t first, std::size_t last) const { return entries[first * (items + 1) + last]; }
};

/// A random monotone table: each interval costs at least what those inside it do, often the same.
template <class Cost, class Step>
table<Cost> random_table(generator& random, std::size_t n, std::int64_t base, Step step) {
  table<std::int64_t> levels{n, std::vector<std::int64_t>((n + 1) * (n + 1), base)};
  table<Cost> result{n, std::vector<Cost>((n + 1) * (n + 1), step(base))};
  for (std::size_t length = 1; length <= n; ++length) {
    for (std::size_t first = 0; first + length <= n; ++first) {
      const std::size_t last = first + length;
      const std::int64_t inside = std::max(levels(first, last - 1), levels(first + 1, last));
      const std::int64_t more = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 6);
      levels.entries[first * (n + 1) + last] = inside + more;
      result.entries[first * (n + 1) + last] = step(inside + more);
    }
  }
  return result;
}

template <class T>
std::vector<T> random_chain(generator& random, std::size_t n) {
  std::vector<T> items(n);
  const unsigned kind = static_cast<unsigned>(random() % 7);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = static_cast<double>(random() >> 11U) * 0x1p-53;
    const auto small = static_cast<double>(random() % 4);
    double item = 0;
    switch (kind) {
      case 0: item = u; break;                              // anything
      case 1: item = small; break;                          // ties and zeros
      case 2: item = i == 0 ? 30 : 1; break;                // heavy head
      case 3: item = random() % 2 == 0 ? 0 : small; break;  // mostly zeros
      case 4: item = 0.1; break;                            // equal, and not representable
      case 5: item = std::pow(10.0, 600 * u - 300); break;  // all magnitudes
      default: item = random() % 5 == 0 ? 1e16 : u; break;  // sums that round away their items
    }
    if constexpr (std::is_integral_v<T>) {
      const double scale = kind == 0 ? 1000 : kind == 5 ? 0 : 1;
      items[i] = static_cast<T>(std::min(scale * item, 1e6));
    } else {
      items[i] = static_cast<T>(kind == 5 && sizeof(T) == 4 ? std::pow(10.0, 60 * u - 30) : item);
    }
  }
  return items;
}

/// Integers whose sum just fits.
template <class T>
std::vector<T> full_range_chain(generator& random, std::size_t n) {
  std::vector<T> items(n);
  auto left = std::numeric_limits<T>::max();
  for (auto& item : items) {
    item = static_cast<T>(left / static_cast<T>(1 + random() % 5));
    left = static_cast<T>(left - item);
  }
  std::shuffle(items.begin(), items.end(), random);
  return items;
}

template <class Model>
void check_against_enumeration(const Model& cost, std::size_t stages) {
  const auto [cuts, value] = oracle::best_by_enumeration(cost, stages);
  const auto best = minimize_bottleneck(cost, stages);
  REQUIRE(best.state() == stagecut::state::optimal);
  REQUIRE(best->value == value);
  REQUIRE(best->bound == value);
  REQUIRE(std::equal(cuts.begin(), cuts.end(), best->cuts.points().begin(), best->cuts.points().end()));
}

/// How many of 10,000 random chains and numbers of stages give what enumeration does.
template <class Make>
int matches(std::uint64_t seed, Make make) {
  generator random(seed);
  int count = 0;
  for (int instance = 0; instance < 10'000; ++instance) {
    const std::size_t n = 1 + random() % 12;
    check_against_enumeration(make(random, n), 1 + random() % n);
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("the first example") {
  const std::vector<double> seconds{0.4, 1.1, 1.1, 1.1, 1.1, 2.7};
  const auto best = minimize_bottleneck(stagecut::prefix_sums(seconds), 3);
  REQUIRE(best);
  CHECK(best->cuts == stagecut::cuts{0, 3, 5, 6});
  CHECK(best->value == doctest::Approx(2.7));
  CHECK(best->bound == best->value);
}

// Together 150,000 instances, cut points included, so ties too.
TEST_CASE("sums of doubles match enumeration") {
  CHECK(matches(11, [](generator& random, std::size_t n) {
          return stagecut::prefix_sums(random_chain<double>(random, n));
        }) == 10'000);
}
TEST_CASE("sums of floats in doubles match enumeration") {
  CHECK(matches(12, [](generator& random, std::size_t n) {
          return stagecut::prefix_sums(random_chain<float>(random, n));
        }) == 10'000);
}
TEST_CASE("sums of 32-bit integers match enumeration") {
  CHECK(matches(13, [](generator& random, std::size_t n) {
          return stagecut::prefix_sums<std::int32_t>(random() % 2 == 0 ? random_chain<std::int32_t>(random, n)
                                                                       : full_range_chain<std::int32_t>(random, n));
        }) == 10'000);
}
TEST_CASE("sums of 64-bit integers match enumeration") {
  CHECK(matches(14, [](generator& random, std::size_t n) {
          return stagecut::prefix_sums(random() % 2 == 0 ? random_chain<std::int64_t>(random, n)
                                                         : full_range_chain<std::int64_t>(random, n));
        }) == 10'000);
}
TEST_CASE("sums of unsigned 64-bit integers match enumeration") {
  CHECK(matches(15, [](generator& random, std::size_t n) {
          return stagecut::prefix_sums(full_range_chain<std::uint64_t>(random, n));
        }) == 10'000);
}
TEST_CASE("opaque costs that are doubles match enumeration") {
  CHECK(matches(16, [](generator& random, std::size_t n) {
          const double unit = std::pow(10.0, static_cast<double>(random() % 600) - 300);
          return random_table<double>(random, n, 0,
                                      [=](std::int64_t level) { return static_cast<double>(level) * unit; });
        }) == 10'000);
}
TEST_CASE("opaque costs below zero, of all magnitudes, match enumeration") {
  CHECK(matches(17, [](generator& random, std::size_t n) {
          return random_table<double>(random, n, -20, [](std::int64_t level) {
            return level == 0 ? -0.0
                              : std::copysign(std::pow(10.0, 10 * std::abs(static_cast<double>(level))),
                                              static_cast<double>(level));
          });
        }) == 10'000);
}
TEST_CASE("opaque costs that are floats, and infinite, match enumeration") {
  CHECK(matches(18, [](generator& random, std::size_t n) {
          return random_table<float>(random, n, 0, [](std::int64_t level) {
            return level > 30 ? std::numeric_limits<float>::infinity() : static_cast<float>(level) * 1e-40F;
          });
        }) == 10'000);
}
TEST_CASE("opaque costs that are integers, at both ends of their range, match enumeration") {
  CHECK(matches(19, [](generator& random, std::size_t n) {
          const bool low = random() % 2 == 0;
          return random_table<std::int64_t>(random, n, 0, [=](std::int64_t level) {
            return low ? std::numeric_limits<std::int64_t>::min() + level
                       : std::numeric_limits<std::int64_t>::max() - 1000 + level;
          });
        }) == 10'000);
}
TEST_CASE("opaque costs that are small integers match enumeration") {
  CHECK(matches(28, [](generator& random, std::size_t n) {
          return random_table<std::int8_t>(random, n, -128, [](std::int64_t level) {
            return static_cast<std::int8_t>(std::min<std::int64_t>(level, 127));
          });
        }) == 10'000);
}
TEST_CASE("opaque costs of 128 bits, of one bit, and long double match enumeration") {
  CHECK(matches(29, [](generator& random, std::size_t n) {
          return random_table<wide>(random, n, 0, [](std::int64_t level) { return static_cast<wide>(1) << level; });
        }) == 10'000);
  CHECK(matches(30, [](generator& random, std::size_t n) {
          return random_table<bool>(random, n, 0, [](std::int64_t level) { return level > 9; });
        }) == 10'000);
  CHECK(matches(31, [](generator& random, std::size_t n) {
          return random_table<long double>(random, n, 0,
                                           [](std::int64_t level) { return static_cast<long double>(level) / 3; });
        }) == 10'000);
}
TEST_CASE("sums whose first prefix is not zero match enumeration") {
  CHECK(matches(32, [](generator& random, std::size_t n) {
          window w;
          w.sums.push_back(static_cast<double>(random() >> 11U) * 0x1p-60);
          for (const double item : random_chain<double>(random, n))
            w.sums.push_back(w.sums.back() + std::min(item, 1e15) / 3);
          return w;
        }) == 10'000);
}
TEST_CASE("the mean over the stages is no bound where both of its roundings are upward") {
  const window w{{0x1.0e5939b01b9fp-8, 0x1.97f1992318878p+0, 0x1.976a6c864079bp+1, 0x1.316e063d7a57dp+2}};
  check_against_enumeration(w, 3);  // the mean rounds to more than the only cut costs
  CHECK(minimize_bottleneck(w, 3)->cuts == stagecut::cuts{0, 1, 2, 3});
}

TEST_CASE("opaque costs that only compare match enumeration") {
  CHECK(matches(20, [](generator& random, std::size_t n) {
          return random_table<rank>(random, n, -3, [](std::int64_t level) { return rank{level}; });
        }) == 10'000);
}

TEST_CASE("opaque and additive solvers agree with a dynamic program on longer chains") {
  generator random(21);
  for (const std::size_t n : {50U, 300U, 2000U}) {
    for (int round = 0; round < (n == 2000 ? 4 : 12); ++round) {
      const auto items = random_chain<double>(random, n);
      const stagecut::prefix_sums cost(items);
      const std::size_t stages = std::vector<std::size_t>{2, 7, 16, n / 3}[static_cast<std::size_t>(round) % 4];
      const auto expected = oracle::bottleneck_by_dynamic_program(cost, stages);
      const auto best = minimize_bottleneck(cost, stages);
      REQUIRE(best->value == expected);
      REQUIRE(minimize_bottleneck(stagecut::block_sums(items), stages)->cuts == best->cuts);
      const auto opaque = minimize_bottleneck(stagecut::testing::counted(cost), stages);
      REQUIRE(opaque->value == expected);
      REQUIRE(opaque->cuts == best->cuts);
      const auto ranked = minimize_bottleneck(
          stagecut::monotone(n,
                             [&](std::size_t i, std::size_t j) {
                               return std::pair(cost(i, j), 0);  // compares as the cost, and has no arithmetic
                             }),
          stages);
      REQUIRE(ranked->value.first == expected);
      REQUIRE(ranked->cuts == best->cuts);
    }
  }
}

TEST_CASE("the reported cost is that of the cuts, and no cut can move left") {
  generator random(22);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 3000;
    const std::size_t stages = 1 + random() % std::min<std::size_t>(n, 200);
    const stagecut::prefix_sums cost(random_chain<double>(random, n));
    const auto best = minimize_bottleneck(cost, stages);
    double worst = 0;
    for (std::size_t s = 0; s < stages; ++s) worst = std::max(worst, cost(best->cuts[s], best->cuts[s + 1]));
    REQUIRE(worst == best->value);
    for (std::size_t s = 1; s < stages; ++s) {
      REQUIRE((best->cuts[s] == s || cost(best->cuts[s] - 1, best->cuts[s + 1]) > best->value));
    }
  }
}

TEST_CASE("more stages never cost more, powers of two scale, and a mirrored chain costs the same") {
  generator random(23);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random() % 60;
    auto items = random_chain<double>(random, n);
    for (auto& item : items) item = std::min(item, 1e100);
    const auto integers = random_chain<std::int64_t>(random, n);
    const std::vector<std::int64_t> mirrored(integers.rbegin(), integers.rend());
    auto scaled = items;
    for (auto& item : scaled) item *= 0x1p40;
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t stages = 1; stages <= n; ++stages) {
      const auto best = minimize_bottleneck(stagecut::prefix_sums(items), stages);
      REQUIRE(best->value <= before);
      before = best->value;
      const auto large = minimize_bottleneck(stagecut::prefix_sums(scaled), stages);
      REQUIRE(large->value == best->value * 0x1p40);
      REQUIRE(large->cuts == best->cuts);
      REQUIRE(minimize_bottleneck(stagecut::prefix_sums(integers), stages)->value ==
              minimize_bottleneck(stagecut::prefix_sums(mirrored), stages)->value);
    }
  }
}

TEST_CASE("impossible requests") {
  const stagecut::prefix_sums cost{1, 2, 3};
  CHECK_THROWS_WITH_AS((void)minimize_bottleneck(cost, 0),
                       "stagecut::minimize_bottleneck: stages = 0, must be at least 1", stagecut::argument_error);
  const auto none = minimize_bottleneck(cost, 4);
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why() == stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 4, 3});
  CHECK(minimize_bottleneck(stagecut::prefix_sums<double>(), 1).state() == stagecut::state::infeasible);
  CHECK(minimize_bottleneck(cost, std::numeric_limits<std::size_t>::max()).state() == stagecut::state::infeasible);
}

TEST_CASE("what the user's cost throws passes through, and the workspace serves on") {
  stagecut::bottleneck_workspace<int> workspace;
  int calls_left = 0;
  const auto cost = stagecut::monotone(20, [&](std::size_t first, std::size_t last) {
    if (calls_left-- == 0) throw std::runtime_error("the user's");
    return static_cast<int>(last - first);
  });
  for (int calls = 0; calls < 30; ++calls) {
    calls_left = calls;
    CHECK_THROWS_WITH_AS((void)minimize_bottleneck(cost, 6, workspace), "the user's", std::runtime_error);
  }
  calls_left = -1;
  CHECK(minimize_bottleneck(cost, 6, workspace)->value == 4);
}

TEST_CASE("a workspace gives the same answers, whatever it served before") {
  generator random(24);
  stagecut::bottleneck_workspace<double> workspace;
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random() % 40;
    const std::size_t stages = 1 + random() % 45;
    const stagecut::prefix_sums cost(random_chain<double>(random, n));
    const auto fresh = minimize_bottleneck(cost, stages);
    const auto& reused = minimize_bottleneck(cost, stages, workspace);
    REQUIRE(reused.state() == fresh.state());
    if (fresh) REQUIRE(*reused == *fresh);
  }
}

TEST_CASE("a liar gets an answer in the form of one, and no endless loop") {
  generator random(25);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random() % 30;
    const std::size_t stages = 1 + random() % n;
    const std::uint64_t salt = random();
    const auto noise = [=](std::size_t first, std::size_t last) {
      return (first * 0x9e3779b97f4a7c15U ^ last * 0xbf58476d1ce4e5b9U ^ salt) * 0x94d049bb133111ebU >> 32U;
    };
    const auto check = [&](const auto& best) {
      REQUIRE(best);
      REQUIRE(best->cuts.stages() == stages);
      REQUIRE(best->cuts.items() == n);
    };
    check(minimize_bottleneck(stagecut::monotone(n, noise), stages));
    check(minimize_bottleneck(stagecut::monotone(n,
                                                 [&](std::size_t i, std::size_t j) {
                                                   return noise(i, j) % 5 == 0
                                                              ? std::numeric_limits<double>::quiet_NaN()
                                                              : static_cast<double>(noise(i, j));
                                                 }),
                              stages));
    check(minimize_bottleneck(
        stagecut::monotone(n, [&](std::size_t i, std::size_t j) { return std::pair(noise(i, j), 0); }), stages));
  }
}

TEST_CASE("the cost is called O(k log n) times a probe, and probes are few") {
  generator random(26);
  for (const std::size_t n : {100U, 10'000U, 1'000'000U}) {
    for (const std::size_t stages : {4U, 16U, 64U}) {
      const stagecut::testing::counted cost(stagecut::prefix_sums(random_chain<double>(random, n)));
      const auto probe = static_cast<double>(stages) * (2 * std::log2(static_cast<double>(n)) + 4);
      (void)minimize_bottleneck(cost, stages);
      CHECK(static_cast<double>(cost.calls()) <= 105 * probe);  // documented
      CHECK(static_cast<double>(cost.calls()) <= 30 * probe);   // seen: the value search is not degenerate
      stagecut::testing::counted ranked(
          stagecut::monotone(n, [&](std::size_t i, std::size_t j) { return std::pair(cost(i, j), 0); }));
      (void)minimize_bottleneck(ranked, stages);
      CHECK(static_cast<double>(ranked.calls()) <=
            probe * static_cast<double>(stages) * std::log2(static_cast<double>(n)));
    }
  }
}

TEST_CASE("magnitudes that crowd at one end take no more probes than there are bits") {
  // Costs double with every item: halving values would need a thousand probes.
  const std::size_t n = 1000;
  stagecut::testing::counted cost(stagecut::monotone(n, [](std::size_t first, std::size_t last) {
    return first == last ? 0.0 : std::ldexp(1.0, static_cast<int>(last - first));
  }));
  const auto best = minimize_bottleneck(cost, 10);
  CHECK(best->value == 0x1p100);
  CHECK(cost.calls() <= 105 * 10 * 24);
}

TEST_CASE("stages that differ: scaled, mirrored, with more stages, and with less allowed") {
  generator random(33);
  int constrained = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random() % 60;
    const std::size_t k = 1 + random() % std::min<std::size_t>(n, 8);
    auto items = models::random_items<double>(random, n);
    for (double& item : items) item = std::round(item * 10);  // exact, whatever the order
    auto speeds = models::random_speeds(random, k);
    for (double& speed : speeds) speed = std::exp2(std::floor(speed));
    auto bytes = models::random_items<double>(random, n);
    for (double& each : bytes) each = std::round(each * 10);
    bytes.back() = 0;
    const stagecut::prefix_sums sums(items);
    const stagecut::at_speeds staged(sums, speeds);
    const stagecut::cut_times times(bytes, {{1, 2}});
    const auto best = minimize_bottleneck(staged, k);
    const auto added = minimize_bottleneck(stagecut::added_cuts(sums, times, speeds), k);
    const auto overlapped = minimize_bottleneck(stagecut::overlapped_cuts(sums, times, speeds), k);
    REQUIRE(best->value <= overlapped->value);
    REQUIRE(overlapped->value <= added->value);

    auto scaled = items;
    for (double& each : scaled) each *= 0x1p-20;
    const stagecut::prefix_sums scaled_sums(scaled);
    const auto small = minimize_bottleneck(stagecut::at_speeds(scaled_sums, speeds), k);
    REQUIRE(small->value == best->value * 0x1p-20);
    REQUIRE(small->cuts == best->cuts);

    const std::vector<double> back(items.rbegin(), items.rend());
    const std::vector<double> speeds_back(speeds.rbegin(), speeds.rend());
    std::vector<double> bytes_back(bytes.rbegin() + 1, bytes.rend());
    bytes_back.push_back(0);
    const stagecut::prefix_sums mirrored(back);
    const stagecut::cut_times times_back(bytes_back, {{1, 2}});
    REQUIRE(minimize_bottleneck(stagecut::at_speeds(mirrored, speeds_back), k)->value == best->value);
    REQUIRE(minimize_bottleneck(stagecut::added_cuts(mirrored, times_back, speeds_back), k)->value == added->value);
    REQUIRE(minimize_bottleneck(stagecut::overlapped_cuts(mirrored, times_back, speeds_back), k)->value ==
            overlapped->value);

    // A stage that may be empty never harms, and one more device neither.
    const auto roomy = minimize_bottleneck(staged, k, stagecut::empty_stages::allowed);
    REQUIRE(roomy->value <= best->value);
    auto more = speeds;
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(random() % (k + 1)), 1.0);
    REQUIRE(minimize_bottleneck(stagecut::at_speeds(sums, more), k + 1, stagecut::empty_stages::allowed)->value <=
            roomy->value);

    const stagecut::at_most cap(sums, sums(0, n) / static_cast<double>(k) * 1.3);
    if (const auto within = minimize_bottleneck(staged, k, cap)) {
      REQUIRE(best->value <= within->value);
      ++constrained;
    }
    const auto permits = models::random_permits(random, n, k);
    if (const auto within = minimize_bottleneck(staged, k, permits)) REQUIRE(best->value <= within->value);
  }
  CHECK(constrained > 100);
}

TEST_CASE("the documented numbers of calls hold where stages differ") {
  generator random(34);
  for (const std::size_t n : {100U, 1000U, 10'000U}) {
    for (const std::size_t k : {3U, 10U}) {
      const auto log = static_cast<std::size_t>(std::log2(n)) + 1;
      const stagecut::prefix_sums sums(models::random_items<std::int64_t>(random, n));
      const auto speeds = models::random_speeds(random, k);
      const stagecut::at_speeds staged(sums, speeds);
      const auto calls = [&](const auto& model) {
        const stagecut::testing::counted cost(model);
        (void)minimize_bottleneck(cost, k);
        return cost.calls();
      };
      constexpr std::size_t probes = 30;  // 105 at the most
      CHECK(calls(staged) <= probes * (4 * k * log + k * (n / 10 + 10)));
      CHECK(calls(stagecut::right_monotone(
                n, [&](std::size_t i, std::size_t j) { return sums(i, j) + (i % 3 == 0); })) <= probes * 2 * k * n);
      if (n > 1000) continue;
      CHECK(calls(stagecut::left_monotone(n, [&](std::size_t i, std::size_t j) {
              return sums(i, j) + (j % 3 == 0);
            })) <= probes * 2 * k * n * log);
      CHECK(calls(stagecut::axiom<0>()(n, sums)) <= k * n * n);
    }
  }
}

namespace {

/// A separable cost that counts what it is asked for.
struct counted_parts {
  using axioms = stagecut::axioms<stagecut::separable>;
  const std::vector<std::int64_t>& ends;
  mutable std::size_t calls = 0;

  [[nodiscard]] std::size_t size() const { return ends.size() - 1; }
  [[nodiscard]] std::int64_t end(std::size_t stage, std::size_t last) const {
    ++calls;
    return ends[last] + static_cast<std::int64_t>(stage);
  }
  [[nodiscard]] std::int64_t begin(std::size_t, std::size_t first) const {
    ++calls;
    return ends[first] / 2;
  }
  std::int64_t operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return end(stage, last) - begin(stage, first);
  }
};

}  // namespace

TEST_CASE("the documented number of calls of a separable cost holds") {
  generator random(35);
  for (const std::size_t n : {100U, 3000U}) {
    for (const std::size_t k : {3U, 30U}) {
      const auto ends = models::random_items<std::int64_t>(random, n + 1);
      const counted_parts cost{ends};
      (void)minimize_bottleneck(cost, k);
      CHECK(cost.calls <= 30 * 4 * k * n);
    }
  }
}

TEST_CASE("liars of every kind get valid cuts, or are told of no answer, in the end") {
  generator random(36);
  int answers = 0;
  for (int round = 0; round < 6000; ++round) {
    const std::size_t n = 1 + random() % 14;
    const auto empty = random() % 2 == 0 ? stagecut::empty_stages::allowed : stagecut::empty_stages::forbidden;
    const std::size_t k = 1 + random() % (empty == stagecut::empty_stages::allowed ? n + 3 : n);
    const models::noise source{random(), random() % 2 == 0, std::vector<unsigned>{0, 0, 3, 15}[random() % 4]};
    const auto check = [&](const auto& best) {
      if (!best) return;
      REQUIRE(best->cuts.items() == n);
      REQUIRE(best->cuts.stages() == k);
      if (empty == stagecut::empty_stages::forbidden) {
        for (const std::size_t size : best->cuts.sizes()) REQUIRE(size > 0);
      }
      ++answers;
    };
    const auto ask = [&](const auto& cost) {
      check(minimize_bottleneck(cost, k, empty));
      check(minimize_bottleneck(cost, k, models::lying_permits<>{source, 70}, empty));
      check(minimize_bottleneck(cost, k, models::lying_permits<stagecut::hereditary>{source, 85}, empty));
    };
    using models::liar;
    ask(liar<double, false, stagecut::monotone>{n, source});
    ask(liar<double, false, stagecut::monotone, stagecut::additive>{n, source});
    ask(liar<double, true, stagecut::monotone>{n, source});
    ask(liar<double, false, stagecut::right_monotone>{n, source});
    ask(liar<double, true, stagecut::left_monotone>{n, source});
    ask(liar<double, true, stagecut::separable>{n, source});
    ask(liar<std::int64_t, true, stagecut::separable, stagecut::left_monotone>{n, source});
    ask(liar<std::int64_t, true, stagecut::monotone>{n, source});
    ask(liar<models::rank, false, stagecut::monotone>{n, source});
    ask(liar<models::rank, true, stagecut::right_monotone>{n, source});
    ask(models::overlapped_liar{{n, source}});
  }
  CHECK(answers > 50'000);
}

TEST_CASE("the cases of the peers' tests and bugs meet their optimal bottleneck") {
  std::ifstream file(STAGECUT_TEST_DATA "/sequence/sequence_cases.json");
  int met = 0;
  for (const auto& entry : nlohmann::json::parse(file)) {
    if (!entry.contains("weights") || !entry["weights"].is_array())
      continue;  // texts are below, uniform has no weights
    INFO(entry.dump());
    const auto weights = entry["weights"].get<std::vector<double>>();
    const auto stages = entry["k"].get<std::size_t>();
    const stagecut::prefix_sums cost(weights);
    if (entry.contains("error")) {
      CHECK_THROWS_AS((void)minimize_bottleneck(cost, stages), stagecut::argument_error);
      continue;
    }
    if (stages > weights.size()) {  // peers leave stages empty; stagecut says so instead
      CHECK(minimize_bottleneck(cost, stages).state() == stagecut::state::infeasible);
    }
    const auto best = minimize_bottleneck(cost, std::min(stages, weights.size()));
    CHECK(best->value == entry["opt_bottleneck"].get<double>());
    ++met;
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == std::floor(w); })) {
      const std::vector<std::int64_t> integers(weights.begin(), weights.end());
      CHECK(static_cast<double>(minimize_bottleneck(stagecut::prefix_sums(integers), best->cuts.stages())->value) ==
            best->value);
    }
  }
  CHECK(met == 42);
}

namespace {

/// Whether at most k stages within the bound suffice, item by item.
bool fits_one_by_one(const std::vector<std::int32_t>& items, std::size_t stages, std::int64_t bound) {
  std::size_t used = 1;
  std::int64_t sum = 0;
  for (const std::int64_t item : items) {
    if (item > bound) return false;
    if (sum + item > bound) {
      ++used;
      sum = 0;
    }
    sum += item;
  }
  return used <= stages;
}

void check_least(const std::vector<std::int32_t>& items, std::size_t stages) {
  const auto best = minimize_bottleneck(stagecut::block_sums(items), stages);
  CHECK(fits_one_by_one(items, stages, best->value));
  CHECK(!fits_one_by_one(items, stages, best->value - 1));
}

}  // namespace

TEST_CASE("the large cases of the peers' tests") {
  generator random(27);
  std::vector<std::int32_t> items(25'000'000);
  for (auto& item : items) item = static_cast<std::int32_t>(random() % 100);
  check_least(items, 24);

  const std::vector<std::int32_t> ones(240'000, 1);
  const auto equal = minimize_bottleneck(stagecut::prefix_sums(ones), 24);
  CHECK(equal->value == 10'000);
  for (std::size_t s = 0; s <= 24; ++s) CHECK(equal->cuts[s] == 10'000 * s);

  items.resize(500);
  for (auto& item : items) item = static_cast<std::int32_t>(random() % 131);
  check_least(items, 31);
  items.back() = 999;
  check_least(items, 31);
  std::sort(items.begin(), items.end());
  check_least(items, 31);
  std::iota(items.begin(), items.end(), 0);
  check_least(items, 31);
  std::iota(items.rbegin(), items.rend(), 1);
  check_least(items, 31);
  std::fill(items.begin(), items.end(), 1);
  check_least(items, 31);
}
