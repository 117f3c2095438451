// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "worked_plan.hpp"

/// Four layers: b and c take the output of a, and d those of both; a and c are on stage 0, b and d on stage 1.
inline stagecut::plan diamond_plan() {
  stagecut::plan made;
  made.profile.layers = {layer_of("a", "x"), layer_of("b", "y"), layer_of("c", "x"), layer_of("d", "z")};
  for (std::size_t i = 0; i < 4; ++i) {
    made.profile.layers[i].forward = static_cast<double>(i + 1);
    made.profile.layers[i].output = static_cast<double>(10 * (i + 1));
  }
  made.profile.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  made.assignment = {0, 1, 0, 1};
  made.devices = 2;
  made.stages.resize(2);
  made.stages[1].device = 1;
  made.stages[0].forward = 4;
  made.stages[1].forward = 6;
  made.stages[1].backward = 0.5;
  made.stages[1].memory.resident = 96;
  made.edges = {{0, 1, 40}};
  made.objective = {"bottleneck", "time", 11.5, 11, stagecut::state::feasible};
  return made;
}

/// A plan of any graph, on two stages or more.
inline stagecut::plan random_graph_plan(std::mt19937& random, std::size_t most_stages = 4) {
  const std::size_t n = 3 + random() % 9;
  stagecut::plan made;
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    made.profile.layers.push_back(layer_of("n" + std::to_string(i), i % 2 == 0 ? "op" : ""));
    made.profile.layers[i].forward = static_cast<double>(random() % 100) / 64;
    made.profile.layers[i].output = static_cast<double>(random() % 9);
    order[i] = i;
  }
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t v = 1; v < n; ++v) {
    for (std::size_t u = 0; u < v; ++u) {
      if (random() % 3 == 0 || (v == n - 1 && made.profile.edges.empty()))
        made.profile.edges.push_back({order[u], order[v]});
    }
  }
  const std::size_t count = std::min(n, 2 + random() % (most_stages - 1));
  std::vector<std::size_t> stages(n);
  for (std::size_t p = 0; p < n; ++p) stages[order[p]] = p * count / n;
  assign_stages(made, stages);
  made.devices = count;
  made.stages.resize(count);
  for (std::size_t s = 0; s < count; ++s) made.stages[s].device = s;
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t t = s + 1; t < count; ++t) made.edges.push_back({s, t, 1});
  }
  return made;
}
