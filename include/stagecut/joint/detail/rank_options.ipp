// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/rank_options.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/pareto_front.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::size_t rank_options::find(const std::vector<std::uint32_t>& of) const {
  const auto found = places_.find(of);
  return found == places_.end() ? classes_.size() : found->second;
}

STAGECUT_DECL void rank_options::clear() {
  size_ = 0;
  made_.clear();
  classes_.clear();
  places_.clear();
}

STAGECUT_DECL bool rank_options::add(const choice_curves& curves, const std::vector<std::uint32_t>& of, double most) {
  const auto known = places_.find(of);
  if (known != places_.end()) return true;
  double memory = rules_.memory;
  double forward = 0;
  for (std::size_t v = 0; v < of.size(); ++v) {
    const stage_content& here = curves[of[v]];
    memory -= curves.resident(of[v], rules_.own_shared[v]);
    forward += here.forward + rules_.own_forward[v] + rules_.own_backward[v] + rules_.own_weight[v];
  }
  if (memory < 0 || forward > most) return false;
  found_.clear();
  std::vector<std::uint32_t> chosen(of.size());
  std::vector<double> left;
  for (const auto& each : rules_.moments) {
    double here = memory;
    for (std::size_t v = 0; v < of.size(); ++v)
      here -= static_cast<double>(each[v].in_flight) * rules_.own_activations[v];
    left.push_back(here);
  }
  choose(curves, of, 0, chosen, left, most - forward);
  if (found_.empty()) return false;
  places_.emplace(of, static_cast<std::uint32_t>(classes_.size()));
  const auto first = static_cast<std::uint32_t>(size_);
  size_ += found_.size();
  classes_.push_back({of, first, static_cast<std::uint32_t>(size_)});
  for (const candidate& each : found_) {
    for (std::size_t v = 0; v < of.size(); ++v) {
      made_.push_back({curves[of[v]].forward + rules_.own_forward[v], each.backward[v] + rules_.own_backward[v],
                       each.weight[v] + rules_.own_weight[v], each.points[v]});
    }
  }
  return true;
}

STAGECUT_DECL void rank_options::choose(const choice_curves& curves, const std::vector<std::uint32_t>& of,
                                        std::size_t v, std::vector<std::uint32_t>& chosen,
                                        const std::vector<double>& left, double time) {
  if (time < 0) return;
  if (++asked_ % 4096 == 0 && stop_ && stop_()) gave_up_ = true;
  if (gave_up_) return;
  if (v == of.size()) return take(curves, of, chosen);
  const std::vector<choice_point>& points = curves[of[v]].points;
  // With one kind of backward pass the last stage takes the fastest way that fits.
  const bool only_fastest = v + 1 == of.size() && kinds_ == 2 && curves[of[v]].falls;
  std::vector<double> rest = left;
  const std::size_t jump = few_ && !only_fastest ? points.size() / 8 + 1 : 1;
  for (std::size_t i = points.size(); i-- > 0;) {
    // Of few ways the fastest, and those that need least memory, are among them.
    if ((points.size() - 1 - i) % jump != 0 && !points[i].is_lean) continue;
    bool fits = true;
    for (std::size_t w = 0; w < rest.size(); ++w) {
      const held_microbatches& held = rules_.moments[w][v];
      rest[w] = left[w] - rules_.room(v, held, points[i].workspace, points[i].peak, points[i].recomputed) -
                static_cast<double>(held.in_flight) * points[i].activations;
      fits = fits && rest[w] >= 0;
    }
    if (!fits) continue;
    chosen[v] = static_cast<std::uint32_t>(i);
    choose(curves, of, v + 1, chosen, rest, time - points[i].backward - points[i].weight);
    if (only_fastest) break;
  }
}

STAGECUT_DECL void rank_options::take(const choice_curves& curves, const std::vector<std::uint32_t>& of,
                                      const std::vector<std::uint32_t>& chosen) {
  made_one_.points = chosen;
  made_one_.backward.clear();
  made_one_.weight.clear();
  for (std::size_t u = 0; u < of.size(); ++u) {
    made_one_.backward.push_back(curves[of[u]].points[chosen[u]].backward);
    made_one_.weight.push_back(curves[of[u]].points[chosen[u]].weight);
  }
  const auto covers = [](const candidate& a, const candidate& b) {
    for (std::size_t v = 0; v < a.backward.size(); ++v) {
      if (a.backward[v] > b.backward[v] || a.weight[v] > b.weight[v]) return false;
    }
    return true;
  };
  engine::add_to_front(found_, made_one_, covers);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
