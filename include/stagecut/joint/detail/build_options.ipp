// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/build_options.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/link_options.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/rank_options.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL option_builder::option_builder(choice_curves& curves, const schedule& order,
                                             const std::vector<rank_rules>& rules, bool splits,
                                             std::vector<std::size_t> least, std::size_t longest, double most,
                                             std::vector<range> ranges, bool few, function_ref<bool()> stop)
    : curves_(curves),
      order_(order),
      least_(std::move(least)),
      longest_(longest),
      most_(most),
      counts_alone_(curves.alike() && ranges.empty()),
      ranges_(std::move(ranges)),
      stop_(stop) {
  for (const std::size_t each : least_) least_before_.push_back(least_before_.back() + each);
  if (ranges_.empty()) ranges_.assign(order.stages() + 1, {0, layers()});
  for (const rank_rules& each : rules) result_.ranks.emplace_back(each, splits, few, stop);
  result_.steps.resize(rules.size());
}

STAGECUT_DECL option_graph option_builder::build() {
  keys_.resize(result_.ranks.size());
  labels_.push_back({label{}});
  for (std::size_t r = 0; r < result_.ranks.size() && complete_; ++r) add_step(r);
  if (!complete_) return {};
  std::vector<std::uint32_t> nodes;
  for (const auto& each : labels_) nodes.push_back(static_cast<std::uint32_t>(each.size()));
  arcs_.resize(result_.ranks.size());
  link_options(result_, nodes, arcs_, keys_);
  return std::move(result_);
}

STAGECUT_DECL void option_builder::add_step(std::size_t r) {
  std::map<label, std::uint32_t> next;
  std::vector<label> reached;
  const auto node = [&](const label& to) {
    const auto [place, is_new] = next.emplace(to, static_cast<std::uint32_t>(reached.size()));
    if (is_new) reached.push_back(to);
    return place->second;
  };
  if (counts_alone_) {
    add_alike(r, node);
  } else {
    for (std::uint32_t u = 0; u < labels_[r].size() && complete_; ++u) add_cuts(r, u, node);
  }
  labels_.push_back(std::move(reached));
}

STAGECUT_DECL bool option_builder::may_fit(std::size_t r, std::size_t v, std::uint32_t content) const {
  const stage_content& here = curves_[content];
  const rank_rules& rules = result_.ranks[r].rules();
  double least = here.points[0].backward + here.points[0].weight;
  for (const choice_point& each : here.points) {
    least = each.backward + each.weight < least ? each.backward + each.weight : least;
  }
  if (here.forward + least > most_) return false;
  const double resident = curves_.resident(content, rules.own_shared[v]);
  for (const auto& each : rules.moments) {
    if (resident + static_cast<double>(each[v].in_flight) * here.points[0].activations > rules.memory) return false;
  }
  return true;
}

STAGECUT_DECL bool option_builder::in_order(std::size_t s, std::size_t first, std::size_t last,
                                            const std::vector<std::uint32_t>& cut) const {
  std::size_t c = s;
  while (c > 0 && cut[c - 1] == unknown) --c;
  if (c > 0 && (first < cut[c - 1] + least_between(c - 1, s) || first > cut[c - 1] + (s - c + 1) * longest_))
    return false;
  c = s + 1;
  while (c < order_.stages() && cut[c + 1] == unknown) ++c;
  if (c < order_.stages()) {
    const std::size_t between = c - s;
    if (last + least_between(s + 1, c + 1) > cut[c + 1] || last + between * longest_ < cut[c + 1]) return false;
  }
  return true;
}

STAGECUT_DECL std::vector<option_arc>& option_builder::arcs_of(std::size_t r) {
  if (arcs_.size() <= r) arcs_.resize(r + 1);
  return arcs_[r];
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
