// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.hpp>

#include <doctest/doctest.h>

using stagecut::detail::multiple_choice_knapsack;
using stagecut::detail::variant_figures;

namespace {

struct group {
  std::vector<variant_figures> variants;
  std::size_t count;
};

/// The least time of all choices of one variant for each layer; `none` if none fits.
std::int64_t best_of_all(const std::vector<group>& groups, std::int64_t held, std::int64_t memory, std::size_t g,
                         std::size_t done) {
  if (memory < 0) return multiple_choice_knapsack::none;
  if (g == groups.size()) return 0;
  if (done == groups[g].count) return best_of_all(groups, held, memory, g + 1, 0);
  std::int64_t best = multiple_choice_knapsack::none;
  for (const variant_figures& variant : groups[g].variants) {
    const std::int64_t left = memory - variant.activations * held - variant.resident;
    const std::int64_t rest = best_of_all(groups, held, left, g, done + 1);
    if (rest != multiple_choice_knapsack::none && variant.time + rest < best) best = variant.time + rest;
  }
  return best;
}

void compare(std::size_t wanted, std::size_t most_variants, std::int64_t greatest) {
  std::mt19937 dice(41);
  std::size_t tight = 0;
  multiple_choice_knapsack choice;
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    const auto number = [&](std::int64_t from, std::int64_t to) {
      return std::uniform_int_distribution<std::int64_t>(from, to)(dice);
    };
    std::vector<group> groups(static_cast<std::size_t>(number(0, 4)));
    std::int64_t most = 0;
    const std::int64_t held = number(1, 4);
    for (group& each : groups) {
      each.count = static_cast<std::size_t>(number(1, 2));
      each.variants.resize(static_cast<std::size_t>(number(1, static_cast<std::int64_t>(most_variants))));
      for (variant_figures& one : each.variants) one = {number(0, greatest), number(0, greatest), number(0, greatest)};
      most += static_cast<std::int64_t>(each.count) * (held + 1) * greatest;
    }
    const std::int64_t memory = number(0, most);
    choice.clear();
    for (const group& each : groups) choice.add(each.variants, each.count);
    const std::int64_t best = best_of_all(groups, held, memory, 0, 0);
    REQUIRE(choice.prepare(held, memory) == (best != multiple_choice_knapsack::none));
    if (best == multiple_choice_knapsack::none) continue;
    CHECK(choice.bound() <= best);
    tight += choice.bound() == best ? 1 : 0;
    CHECK(choice.solve() == best);
    const variant_figures sum = choice.sum();
    CHECK(sum.time == best);
    CHECK(sum.activations * held + sum.resident <= memory);
    variant_figures again;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto variants = choice.variants_of(g);
      REQUIRE(variants.size() == groups[g].count);
      for (const std::size_t r : variants) {
        again.time += groups[g].variants[r].time;
        again.activations += groups[g].variants[r].activations;
        again.resident += groups[g].variants[r].resident;
      }
    }
    CHECK(again == sum);
  }
  CHECK(tight > wanted / 10);
}

std::size_t wanted_cases() {
  const char* const said = std::getenv("STAGECUT_CASES");
  return said != nullptr ? std::strtoul(said, nullptr, 10) : 2000;
}

}  // namespace

TEST_CASE("two variants a layer, compared with all choices") {
  compare(wanted_cases(), 2, 9);
  compare(wanted_cases(), 2, 100'000);
}

TEST_CASE("up to four variants a layer, compared with all choices") {
  compare(wanted_cases() / 4, 4, 9);
  compare(wanted_cases() / 4, 4, 3);
}

TEST_CASE("many layers that save as much are decided at once") {
  std::vector<std::vector<variant_figures>> layers;
  multiple_choice_knapsack choice;
  for (std::int64_t i = 0; i < 200; ++i) layers.push_back({{0, 0, 1000}, {1'000'000 + i * i, 0, 0}});
  for (const auto& layer : layers) choice.add(layer, 1);
  REQUIRE(choice.prepare(1, 150'500));
  std::int64_t best = 0;
  for (std::int64_t i = 0; i < 50; ++i) best += 1'000'000 + i * i;
  CHECK(choice.solve() == best);
}
