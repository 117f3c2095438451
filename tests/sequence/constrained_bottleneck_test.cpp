// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "arbitrary.hpp"
#include "oracles.hpp"

using stagecut::minimize_bottleneck;
using stagecut::prefix_sums;

namespace {

using generator = std::mt19937_64;

/// Limits the units of a second weight per stage: hereditary.
struct caps {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  prefix_sums<std::int64_t> weight;
  std::vector<std::int64_t> most;

  caps(generator& random, std::size_t n, std::size_t k) {
    std::vector<std::int64_t> weights(n);
    for (auto& each : weights) each = static_cast<std::int64_t>(random() % 6);
    weight.assign(weights);
    for (std::size_t s = 0; s < k; ++s) most.push_back(static_cast<std::int64_t>(random() % 16));
  }
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return weight(first, last) <= most[stage];
  }
};

/// A cost that only compares.
struct rank {
  double value;
  friend auto operator<=>(const rank&, const rank&) = default;
};

/// How many of the instances had an answer, and how many of these differ from the unconstrained one.
struct tally {
  int feasible = 0;
  int infeasible = 0;
  int changed = 0;
};

template <class Model, class Constraint>
void compare(const Model& cost, std::size_t k, const Constraint& allowed, tally& seen) {
  const auto answer = minimize_bottleneck(cost, k, allowed);
  const auto expected = oracle::best_by_enumeration(cost, k, allowed);
  REQUIRE(answer.has_value() == expected.has_value());
  if (!expected) {
    ++seen.infeasible;
    REQUIRE(answer.state() == stagecut::state::infeasible);
    REQUIRE(answer.why().what == stagecut::reason::cause::constraint);
    return;
  }
  ++seen.feasible;
  const auto points = answer->cuts.points();
  REQUIRE(std::vector<std::size_t>(points.begin(), points.end()) == expected->first);
  REQUIRE(answer->value == expected->second);
  REQUIRE(answer->bound == answer->value);
  if (answer->cuts != minimize_bottleneck(cost, k)->cuts) ++seen.changed;
}

/// Layers whose outputs are large: the buffers of a wider stage may be smaller.
stagecut::profile random_model(generator& random, std::size_t n) {
  stagecut::profile model;
  model.layers.resize(n);
  for (auto& layer : model.layers) {
    layer.parameters = static_cast<double>(random() % 10);
    layer.activations = static_cast<double>(random() % 10);
    layer.output = static_cast<double>(random() % 20);
    layer.workspace = static_cast<double>(random() % 10);
  }
  return model;
}

/// Microbatches in flight under 1F1B.
std::vector<std::size_t> in_flight(std::size_t stages) {
  std::vector<std::size_t> result;
  for (std::size_t s = 0; s < stages; ++s) result.push_back(stages - s);
  return result;
}

template <class T>
std::vector<T> random_items(generator& random, std::size_t n) {
  std::vector<T> items(n);
  for (T& item : items) item = static_cast<T>(random() % 10) * static_cast<T>(random() % 5 == 0 ? 10 : 1);
  return items;
}

}  // namespace

TEST_CASE_TEMPLATE("random chains under random constraints equal enumeration, cut points included", T, double,
                   std::int64_t) {
  generator random(7);
  tally seen;
  for (int round = 0; round < 6000; ++round) {
    const std::size_t n = 1 + random() % 11;
    const std::size_t k = 1 + random() % std::min<std::size_t>(n, 5);
    const prefix_sums cost(random_items<T>(random, n));
    compare(cost, k, arbitrary(random, n, k, 20 + 20 * static_cast<unsigned>(random() % 5)), seen);
    compare(cost, k, caps(random, n, k), seen);
    const auto opaque = stagecut::monotone(n, [&](std::size_t i, std::size_t j) { return cost(i, j) / 3; });
    compare(opaque, k, caps(random, n, k), seen);
    const auto ranks =
        stagecut::monotone(n, [&](std::size_t i, std::size_t j) { return rank{static_cast<double>(cost(i, j))}; });
    compare(ranks, k, arbitrary(random, n, k, 60), seen);
  }
  CHECK(seen.feasible > 5000);
  CHECK(seen.infeasible > 2000);
  CHECK(seen.changed > 2000);
}

TEST_CASE("random chains within the memory of their devices, activations in flight included, equal enumeration") {
  generator random(11);
  tally seen;
  for (int round = 0; round < 6000; ++round) {
    const std::size_t n = 1 + random() % 10;
    const std::size_t k = 1 + random() % std::min<std::size_t>(n, 5);
    stagecut::memory_options options;
    options.checkpoint = random() % 2 == 0 ? stagecut::checkpointing::never : stagecut::checkpointing::always;
    const stagecut::training_memory memory(random_model(random, n), options);
    const double total = memory(0, n, 1).total();
    const stagecut::memory_cap cap(memory, in_flight(k), total * static_cast<double>(1 + random() % 20) / 10);
    compare(prefix_sums(random_items<double>(random, n)), k, cap, seen);
  }
  CHECK(seen.feasible > 2000);
  CHECK(seen.infeasible > 500);
  CHECK(seen.changed > 200);
}

TEST_CASE("middle-sized chains: the search by value and the dynamic program agree") {
  generator random(23);
  tally seen;
  for (int round = 0; round < 150; ++round) {
    const std::size_t n = 20 + random() % 180;
    const std::size_t k = 2 + random() % 15;
    const stagecut::training_memory memory(random_model(random, n));
    const double share = memory(0, n, 1).total() / static_cast<double>(k);
    const stagecut::memory_cap cap(memory, in_flight(k), share * static_cast<double>(10 + random() % 20) / 10);
    const prefix_sums cost(random_items<double>(random, n));
    const auto ranks = stagecut::monotone(n, [&](std::size_t i, std::size_t j) { return rank{cost(i, j)}; });
    const auto answer = minimize_bottleneck(cost, k, cap);
    const auto other = minimize_bottleneck(ranks, k, cap);
    REQUIRE(answer.has_value() == other.has_value());
    ++(answer ? seen.feasible : seen.infeasible);
    if (!answer) continue;
    REQUIRE(answer->cuts == other->cuts);
    REQUIRE(answer->value == other->value.value);
    if (answer->cuts != minimize_bottleneck(cost, k)->cuts) ++seen.changed;
  }
  CHECK(seen.feasible > 30);
  CHECK(seen.infeasible > 10);
  CHECK(seen.changed > 30);
}

TEST_CASE("more stages than items, and no stage, are told before the constraint is asked") {
  const auto never = [](std::size_t, std::size_t, std::size_t) -> bool { throw std::string("asked"); };
  CHECK(minimize_bottleneck(prefix_sums({1.0}), 2, never).why().what ==
        stagecut::reason::cause::more_stages_than_layers);
  CHECK_THROWS_AS((void)minimize_bottleneck(prefix_sums({1.0}), 0, never), stagecut::argument_error);
  CHECK_THROWS_AS((void)minimize_bottleneck(prefix_sums({1.0}), 1, never), std::string);
}

namespace {

struct at_most_three {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  std::size_t* asked;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const {
    ++*asked;
    return last - first <= 3;
  }
};

}  // namespace

TEST_CASE("a hereditary constraint is not asked about intervals wider than the first that it forbids") {
  const std::size_t n = 300;
  const std::size_t k = 120;
  std::size_t asked = 0;
  const auto answer = minimize_bottleneck(prefix_sums(std::vector<double>(n, 0.0)), k, at_most_three{&asked});
  REQUIRE(answer);
  for (const std::size_t size : answer->cuts.sizes()) REQUIRE(size <= 3);
  CHECK(asked > k);
  CHECK(asked <= (3 + 1) * n * k);
}
