// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/parts/each_tie.hpp>

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

using stagecut::profile;
using stagecut::tied_parameters;

TEST_CASE("tied parameters are shown in their order, and names have the numbers of a map") {
  std::mt19937 random(1);
  std::size_t compared = 0;
  for (int round = 0; round < 1000; ++round) {
    profile model;
    model.layers.resize(random() % 10);
    const std::size_t names = 1 + random() % 40;
    std::vector<const tied_parameters*> all;
    std::vector<std::size_t> layers;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      for (std::size_t t = random() % 10; t-- > 0;) {
        const std::size_t name = random() % names;
        model.layers[i].tied.push_back({name == 0 ? "" : std::to_string(name), 1, std::nullopt, {}});
      }
      for (const auto& tied : model.layers[i].tied) all.push_back(&tied), layers.push_back(i);
    }
    std::map<std::string, std::size_t> numbers;
    std::size_t at = 0;
    stagecut::detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
      REQUIRE(i == layers[at]);
      REQUIRE(&tied == all[at]);
      REQUIRE(name == numbers.try_emplace(tied.name, numbers.size()).first->second);
      ++at;
    });
    REQUIRE(at == all.size());
    compared += at;
  }
  CHECK(compared > 10'000);
}
