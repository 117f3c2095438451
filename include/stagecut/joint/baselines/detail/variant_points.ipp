// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/detail/variant_points.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/engine/bit_sets.hpp>
#include <stagecut/engine/ideals.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/joint/baselines/detail/variant_tables.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL variant_points::variant_points(const variant_tables& tables, const precedence& before, std::size_t most)
    : ways_(tables.ways.size()) {
  const std::optional<engine::ideal_family> found = engine::ideal_search(before).run(most);
  if (!found)
    fail(invalid_input("edges", joined({"there are more than ", most, " sets of layers that stages could end at"})));
  const engine::ideal_family& sets = *found;
  std::vector<std::int64_t> work(sets.size(), 0);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const auto& step : sets.steps_of(s)) work[step.to] = work[s] + tables.work[step.element];
  }
  std::vector<std::size_t> order(sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) order[s] = s;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] < work[b]; });
  std::vector<std::size_t> number(sets.size());
  for (std::size_t p = 0; p < order.size(); ++p) number[order[p]] = p;
  work_.resize(sets.size());
  held_ = engine::bit_rows(before.size(), sets.size());
  sums_.assign(sets.size() * ways_, {});
  for (std::size_t s = 0; s < sets.size(); ++s) {
    work_[number[s]] = tables.times.figure(work[s]);
    for (const auto& step : sets.steps_of(s)) add(tables, step.element, number[s], number[step.to]);
  }
}

STAGECUT_DECL void variant_points::sums::add(const sums& other, std::int64_t sign) noexcept {
  time += sign * other.time;
  cut += sign * other.cut;
  parameters += sign * other.parameters;
  fastest.activations += sign * other.fastest.activations;
  fastest.resident += sign * other.fastest.resident;
  least_one += sign * other.least_one;
  least_more += sign * other.least_more;
}

STAGECUT_DECL auto variant_points::between(std::size_t first, std::size_t last, std::size_t t) const noexcept -> sums {
  sums result = sums_[last * ways_ + t];
  result.add(sums_[first * ways_ + t], -1);
  result.missing -= sums_[first * ways_ + t].missing;
  return result;
}

STAGECUT_DECL std::size_t variant_points::end_of(double most) const noexcept {
  std::size_t low = 0;
  std::size_t high = work_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    (work_[middle] <= most ? low : high) = work_[middle] <= most ? middle + 1 : middle;
  }
  return low;
}

STAGECUT_DECL auto variant_points::of_layer(const variant_tables::divided& each) -> sums {
  sums made;
  made.time = each.time;
  for (const std::int64_t one : each.cut) made.cut += one;
  made.parameters = each.parameters;
  bool any = false;
  for (const variant_figures& one : each.variants) {
    const std::int64_t bytes = one.activations + one.resident;
    if (one.time == 0 && (!any || bytes < made.fastest.activations + made.fastest.resident)) {
      made.fastest = one;
      any = true;
    }
    const bool first = &one == each.variants.data();
    made.least_one = first || bytes < made.least_one ? bytes : made.least_one;
    made.least_more = first || one.activations < made.least_more ? one.activations : made.least_more;
  }
  return made;
}

STAGECUT_DECL void variant_points::add(const variant_tables& tables, std::size_t layer, std::size_t from,
                                       std::size_t to) {
  held_.unite(held_[to], held_[from]);
  engine::bit_rows::put(held_[to], layer);
  for (std::size_t t = 0; t < ways_; ++t) {
    sums made = sums_[from * ways_ + t];
    made.add(of_layer(tables.layers[layer][t]), 1);
    made.missing += tables.layers[layer][t].exists() ? 0U : 1U;
    sums_[to * ways_ + t] = made;
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
