// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/parts/linear_orders.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::vector<std::uint32_t> waits_for(const precedence& below) {
  std::vector<std::uint32_t> result(below.size());
  for (std::size_t e = 0; e < below.size(); ++e) result[e] = static_cast<std::uint32_t>(below.predecessors(e).size());
  return result;
}

STAGECUT_DECL element_order depth_first(const precedence& below) {
  return ordered(below, [](std::vector<precedence::element>& ready) {
    const precedence::element e = ready.back();
    ready.pop_back();
    return e;
  });
}

STAGECUT_DECL element_order by_priority(const precedence& below, const std::vector<std::uint64_t>& priority) {
  const auto later = [&](precedence::element a, precedence::element b) {
    return priority[a] != priority[b] ? priority[a] > priority[b] : a > b;
  };
  return ordered(below, [&, known = std::size_t{0}](std::vector<precedence::element>& ready) mutable {
    for (; known < ready.size(); ++known)
      std::push_heap(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(known + 1), later);
    std::pop_heap(ready.begin(), ready.end(), later);
    const precedence::element e = ready.back();
    ready.pop_back();
    known = ready.size();
    return e;
  });
}

STAGECUT_DECL element_order breadth_first(const precedence& below) {
  std::vector<std::uint64_t> level(below.size());
  for (const precedence::element e : below.order()) {
    for (const precedence::element to : below.successors(e)) level[to] = std::max(level[to], level[e] + 1);
  }
  return by_priority(below, level);
}

STAGECUT_DECL element_order random_order(const precedence& below, engine::seeded& random,
                                         const std::vector<std::uint32_t>& stage_of) {
  std::vector<std::uint64_t> priority(below.size());
  for (std::size_t e = 0; e < below.size(); ++e) {
    priority[e] = random.any() >> 24U;
    if (!stage_of.empty()) priority[e] |= std::uint64_t{stage_of[e]} << 40U;
  }
  return by_priority(below, priority);
}

STAGECUT_DECL precedence reversed(const precedence& below) {
  std::vector<precedence::pair> pairs;
  for (std::size_t e = 0; e < below.size(); ++e) {
    for (const precedence::element to : below.successors(e))
      pairs.emplace_back(to, static_cast<precedence::element>(e));
  }
  return precedence(below.size(), std::move(pairs));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
