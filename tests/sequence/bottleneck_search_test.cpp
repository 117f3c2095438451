// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/detail/probe.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

// The search knows the probes that are there before it, and no others.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A chain whose probe only compares the bound with a secret.
struct guess {
  struct model_type {
    [[nodiscard]] static std::size_t size() { return 1000; }
    double operator()(std::size_t, std::size_t) const { return 0; }
  };
  using cost_type = double;
  double secret;
  mutable int probes = 0;
};

struct places {
  [[nodiscard]] static std::size_t stages() { return 10; }
  [[nodiscard]] static std::size_t items() { return 1000; }
};

/// As little as a probe may tell: the next number.
inline verdict<double> probe(const guess& chain, const double& bound, double least, double, places&) {
  ++chain.probes;
  if (chain.secret <= bound) return {true, std::max(bound, least)};
  return {false, std::nextafter(bound, 1e308)};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/bottleneck_search.hpp>
#include <stagecut/sequence/detail/constrained_bottleneck.hpp>
#include <stagecut/sequence/detail/reach_probe.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "enumeration.hpp"
#include "random_models.hpp"

namespace detail = stagecut::detail;
using models::rank;
using stagecut::empty_stages;
using stagecut::prefix_sums;

namespace {

/// The search over one kind of chain, against enumeration.
template <class Model, class Chain>
void check(const Model& cost, const Chain& chain, std::size_t k) {
  detail::separators where;
  where.reset(cost.size(), k);
  detail::bottleneck_search search(chain, where);
  const auto least = search.run();
  const auto best = oracle::best_cut_of(cost, k, empty_stages::forbidden, oracle::anything, oracle::worst);
  REQUIRE(least == best->second);
  REQUIRE(where.lowest == best->first);
}

}  // namespace

TEST_CASE("numbers that add up, numbers that do not, and costs that only compare equal enumeration") {
  models::generator random(1);
  int checked = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const prefix_sums doubles(models::random_items<double>(random, n));
    const prefix_sums integers(models::random_items<std::int64_t>(random, n));
    check(doubles, detail::additive_chain<prefix_sums<double>>{doubles}, k);
    check(integers, detail::additive_chain<prefix_sums<std::int64_t>>{integers}, k);
    const auto opaque = models::random_table<double, false, stagecut::monotone>(random, n, 1);
    check(opaque, detail::opaque_chain<std::remove_cvref_t<decltype(opaque)>>{opaque}, k);
    const auto ranks = models::random_table<rank, false, stagecut::monotone>(random, n, 1);
    check(ranks, detail::opaque_chain<std::remove_cvref_t<decltype(ranks)>>{ranks}, k);
    ++checked;
  }
  CHECK(checked == 20'000);
}

TEST_CASE("between given ends, where nothing may fit") {
  models::generator random(2);
  int found = 0;
  int none = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const auto cost = models::random_table<std::int64_t, false, stagecut::monotone>(random, n, 1);
    const auto permits = models::random_permits<stagecut::hereditary>(random, n, k);
    const auto best = oracle::best_cut_of(cost, k, empty_stages::forbidden, permits, oracle::worst);

    const detail::constrained_chain<std::remove_cvref_t<decltype(cost)>, std::remove_cvref_t<decltype(permits)>> one{
        cost, permits};
    detail::stage_beginnings beginnings(n, k);
    detail::bottleneck_search by_value(one, beginnings, std::int64_t{-20}, cost(0, n));
    const auto least = by_value.run();
    REQUIRE(by_value.found() == best.has_value());

    const detail::reach_chain<std::remove_cvref_t<decltype(cost)>, std::remove_cvref_t<decltype(permits)>> other{
        cost, permits, 1};
    detail::reach_sets sets(n, k);
    detail::bottleneck_search by_sets(other, sets, other.least(k), detail::greatest<std::int64_t>());
    REQUIRE(by_sets.found() == best.has_value());
    ++(best ? found : none);
    if (!best) continue;
    REQUIRE(least == best->second);
    REQUIRE(beginnings.cut == best->first);
    REQUIRE(by_sets.run() == best->second);
    REQUIRE(by_sets.found());
    REQUIRE(sets.cut == best->first);
  }
  CHECK(found > 5000);
  CHECK(none > 500);
}

TEST_CASE("no more probes than documented, even if they tell as little as they can") {
  models::generator random(3);
  int most = 0;
  for (int i = 0; i < 2000; ++i) {
    const double secret = std::ldexp(static_cast<double>(random() >> 11U), static_cast<int>(random() % 1800) - 900);
    const detail::guess chain{random() % 2 == 0 ? secret : -secret};
    detail::places where;
    detail::bottleneck_search search(chain, where, -1e308, 1e308);
    REQUIRE(search.found());
    REQUIRE(search.run() == chain.secret);
    REQUIRE(chain.probes <= 105);
    most = std::max(most, chain.probes);
  }
  CHECK(most > 40);
}
