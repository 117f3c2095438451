// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/plan/plan.hpp>

/// A layer of a name and a kind.
inline stagecut::layer layer_of(std::string name, std::string kind) {
  stagecut::layer result;
  result.name = std::move(name);
  result.kind = std::move(kind);
  return result;
}

/// A plan of these layers: the devices take the stages in turn.
inline stagecut::plan plan_of(std::vector<stagecut::layer> layers, stagecut::cuts cuts, std::size_t chunks = 1) {
  stagecut::plan result;
  result.profile.layers = std::move(layers);
  result.cuts = std::move(cuts);
  result.stages_per_rank = chunks;
  result.devices = result.cuts.stages() / chunks;
  result.stages.resize(result.cuts.stages());
  for (std::size_t s = 0; s < result.stages.size(); ++s) result.stages[s].device = s % result.devices;
  return result;
}

/// An embedding, decoders, and a final layer of norm and head.
inline std::vector<stagecut::layer> transformer(std::size_t decoders) {
  std::vector<stagecut::layer> layers = {layer_of("tok_embeddings", "embedding")};
  for (std::size_t i = 0; i < decoders; ++i) layers.push_back(layer_of("layers." + std::to_string(i), "decoder"));
  layers.push_back(layer_of("final", "head"));
  layers.back().modules = {"norm", "lm_head"};
  return layers;
}

/// A transformer with these numbers of decoders per stage; no schedule.
inline stagecut::plan transformer_plan(const std::vector<std::size_t>& decoders, std::size_t chunks = 1) {
  std::vector<std::size_t> points = {0};
  for (const std::size_t each : decoders) points.push_back(points.back() + each + (points.size() == 1 ? 1 : 0));
  const std::size_t count = points.back() - 1;
  points.back() += 1;
  return plan_of(transformer(count), stagecut::cuts(std::move(points), stagecut::empty_stages::allowed), chunks);
}

/// 24 decoders on 4 devices as 5, 6, 7, 6, with 8 microbatches where there is a schedule.
inline stagecut::plan worked_plan(std::string schedule = "") {
  stagecut::plan result = transformer_plan({5, 6, 7, 6});
  if (!schedule.empty()) result.schedule = {std::move(schedule), 8};
  return result;
}

/// Lets the first and the last layer share their parameters.
inline stagecut::plan tied(stagecut::plan p) {
  stagecut::tied_parameters shared;
  shared.name = "embedding.weight";
  p.profile.layers.front().tied = {shared};
  p.profile.layers.back().tied = {shared};
  return p;
}

/// A plan that lacks the figures of its last stage.
inline stagecut::plan inconsistent() {
  stagecut::plan p = worked_plan();
  p.stages.pop_back();
  return p;
}
