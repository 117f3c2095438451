// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/sharding_paths.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/engine/pareto_front.hpp>
#include <stagecut/joint/sharded_layer.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double ring_times::gather(double bytes) const {
  if (bytes == 0 || ways == 1) return 0;
  const auto rounds = static_cast<double>(ways - 1);
  const double sent = link.bandwidth == 0 ? 0 : rounds / static_cast<double>(ways) * bytes / link.bandwidth;
  return sent + rounds * link.latency;
}

STAGECUT_DECL void sharding_paths::start(std::size_t last) {
  for (auto& list : points_[last].of) list.clear();
  points_[last].of[0].push_back({});
  const double gathered = ring_.gather(sent(last));
  points_[last].of[1].push_back({gathered, gathered, 0, 0, sharding::replicated, 0});
  last_ = last;
}

STAGECUT_DECL void sharding_paths::widen(std::size_t point) {
  const sharded_layer& layer = layers_[point];
  const double ways = static_cast<double>(ring_.ways);
  for (auto& list : drafts_) list.clear();
  add(point, 0, sharding::replicated, layer.forward, layer.backward, layer.parameters);
  const double forward = layer.forward / ways;
  const double backward = layer.backward / ways;
  const double parameters = layer.parameters / ways;
  if (stagecut::may_be(layer, sharding::column, ring_.ways)) {
    add(point, 0, sharding::column, forward, backward + ring_.all_reduce(sent(point)), parameters);
  }
  if (stagecut::may_be(layer, sharding::row, ring_.ways)) {
    add(point, 1, sharding::row, forward + ring_.all_reduce(layer.output), backward, parameters);
  }
  if (stagecut::may_be(layer, sharding::split, ring_.ways)) {
    add(point, 1, sharding::split, forward, backward, parameters);
  }
  // To split a whole activation, its gradient is gathered. To make a split one whole, it is gathered itself.
  const double gathered = ring_.gather(sent(point));
  const std::size_t whole = drafts_[0].size();
  const std::size_t split = drafts_[1].size();
  for (std::size_t i = 0; i < split; ++i) drafts_[0].push_back(later(drafts_[1][i], 0, gathered));
  for (std::size_t i = 0; i < whole; ++i) drafts_[1].push_back(later(drafts_[0][i], gathered, 0));
  for (std::size_t s = 0; s < 2; ++s) keep(point, drafts_[s], points_[point].of[s]);
}

STAGECUT_DECL std::vector<sharding> sharding_paths::kinds(std::size_t point, sharding_path path) const {
  std::vector<sharding> result;
  for (; point < last_; path = next(point++, path)) result.push_back(path.kind);
  return result;
}

STAGECUT_DECL sharding_path sharding_paths::later(sharding_path path, double forward, double backward) {
  path.time = forward + backward + path.time;
  path.forward += forward;
  path.backward += backward;
  return path;
}

STAGECUT_DECL void sharding_paths::add(std::size_t point, std::size_t state, sharding kind, double forward,
                                       double backward, double parameters) {
  const std::vector<sharding_path>& behind = points_[point + 1].of[state_behind(kind)];
  for (std::size_t i = 0; i < behind.size(); ++i) {
    const sharding_path& path = behind[i];
    const double bytes = parameters + path.parameters;
    if (most_ && bytes > *most_) continue;
    drafts_[state].push_back(
        {forward + backward + path.time, forward + path.forward, backward + path.backward, bytes, kind, i});
  }
}

STAGECUT_DECL bool sharding_paths::kinds_before(std::size_t point, sharding_path a, sharding_path b) const {
  for (; a.kind == b.kind; ++point) {
    if (a.next == b.next || point + 1 >= last_) return false;
    const sharding_path of_a = next(point, a);
    b = next(point, b);
    a = of_a;
  }
  return a.kind < b.kind;
}

STAGECUT_DECL void sharding_paths::keep(std::size_t point, std::vector<sharding_path>& drafts,
                                        std::vector<sharding_path>& kept) const {
  const auto before = [&](const sharding_path& a, const sharding_path& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.parameters != b.parameters) return a.parameters < b.parameters;
    return kinds_before(point, a, b);
  };
  const auto dominates = [this](const sharding_path& a, const sharding_path& b) {
    return !all_ || a.parameters <= b.parameters;
  };
  engine::keep_front(drafts, engine::front_rule{before, dominates, true});
  kept.assign(drafts.begin(), drafts.end());
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
