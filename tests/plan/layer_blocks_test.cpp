// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/layer_blocks.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

using stagecut::layer_blocks;
using stagecut::profile;
using placement = stagecut::tied_parameters::placement;

namespace {

/// One layer for each word: its group; `-` for none.
profile grouped(const std::vector<std::string>& groups) {
  profile model;
  for (const auto& group : groups) {
    model.layers.emplace_back();
    if (group != "-") model.layers.back().group = group;
  }
  return model;
}

std::vector<std::size_t> points(const stagecut::cuts& blocks) {
  return {blocks.points().begin(), blocks.points().end()};
}

}  // namespace

TEST_CASE("neighbours of one group are a block, others are their own") {
  CHECK(points(layer_blocks(grouped({"-", "-", "-"}))) == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(points(layer_blocks(grouped({"a", "a", "-", "b", "b", "c"}))) == std::vector<std::size_t>{0, 2, 3, 5, 6});
  CHECK(layer_blocks(grouped({})).stages() == 0);
}

TEST_CASE("colocated parameters keep all between them together, replicated ones do not") {
  profile model = grouped({"-", "-", "-", "-", "-"});
  model.layers[1].tied = model.layers[3].tied = {{"w", 1, std::nullopt, placement::replicated}};
  CHECK(layer_blocks(model).stages() == 5);
  model.layers[1].tied[0].where = model.layers[3].tied[0].where = placement::colocated;
  CHECK(points(layer_blocks(model)) == std::vector<std::size_t>{0, 1, 4, 5});
  model.layers[2].tied = model.layers[4].tied = {{"v", 1, std::nullopt, placement::colocated}};
  CHECK(points(layer_blocks(model)) == std::vector<std::size_t>{0, 1, 5});
}

TEST_CASE("random chains: no cut between a layer with colocated parameters and a later one that names them") {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random() % 15;
    profile model;
    model.layers.resize(n);
    const std::size_t names = 1 + random() % 12;
    for (auto& layer : model.layers) {
      for (std::size_t t = random() % 4; t-- > 0;) {
        const placement where = random() % 3 == 0 ? placement::colocated : placement::replicated;
        layer.tied.push_back({std::to_string(random() % names), 1, std::nullopt, where});
      }
    }
    std::vector<std::size_t> expected;
    for (std::size_t cut = 0; cut <= n; ++cut) {
      bool parted = false;
      for (std::size_t i = 0; i < cut; ++i) {
        for (std::size_t j = cut; j < n; ++j) {
          for (const auto& a : model.layers[i].tied) {
            for (const auto& b : model.layers[j].tied) {
              parted = parted || (a.where == placement::colocated && a.name == b.name);
            }
          }
        }
      }
      if (!parted) expected.push_back(cut);
    }
    REQUIRE(points(layer_blocks(model)) == expected);
  }
}

TEST_CASE("forbidden cuts and layers kept together make blocks beside groups") {
  const profile model = grouped({"-", "-", "a", "a", "-", "-", "-"});
  CHECK(points(layer_blocks(model, {1})) == std::vector<std::size_t>{0, 2, 4, 5, 6, 7});
  CHECK(points(layer_blocks(model, {2, 2})) == std::vector<std::size_t>{0, 1, 4, 5, 6, 7});
  CHECK(points(layer_blocks(model, {}, {{3, 6}})) == std::vector<std::size_t>{0, 1, 2, 6, 7});
  CHECK(points(layer_blocks(model, {6}, {{0, 2}, {1, 4}, {4, 5}})) == std::vector<std::size_t>{0, 4, 5, 7});
  CHECK(points(layer_blocks(model, {}, {{0, 7}})) == std::vector<std::size_t>{0, 7});
  CHECK(layer_blocks(model, {1}) == stagecut::cuts{0, 2, 4, 5, 6, 7});
  const auto refusal = [&](const std::vector<std::size_t>& forbidden, const std::vector<stagecut::interval>& together) {
    try {
      (void)layer_blocks(model, forbidden, together);
    } catch (const stagecut::argument_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({1, 0}, {}) == "stagecut::layer_blocks: forbidden_cuts[1] = 0, must be between two of 7 layers");
  CHECK(refusal({7}, {}) == "stagecut::layer_blocks: forbidden_cuts[0] = 7, must be between two of 7 layers");
  CHECK(refusal({}, {{2, 2}}) == "stagecut::layer_blocks: kept_together[0] = [2, 2), must be some of 7 layers");
  CHECK(refusal({}, {{0, 1}, {5, 8}}) == "stagecut::layer_blocks: kept_together[1] = [5, 8), must be some of 7 layers");
}
