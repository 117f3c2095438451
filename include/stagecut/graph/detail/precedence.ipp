// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/precedence.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL invalid_input cycle_error(const std::vector<std::size_t>& cycle, std::string_view what) {
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < 8; ++i) text += std::to_string(cycle[i]) + " -> ";
  if (cycle.size() > 8) text += "... -> ";
  return {joined({what, " ", cycle[0]}), joined({text, cycle[0], " is a cycle of ", cycle.size(), " ", what, "s"})};
}

}  // namespace detail

STAGECUT_DECL precedence::precedence(std::size_t elements, std::vector<pair> pairs) {
  if (elements >= std::numeric_limits<element>::max()) {
    detail::fail(argument_error("precedence", "elements", std::to_string(elements), "must be below 2^32 - 1"));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, [](const pair& each) { return each.first == each.second; });
  for (const auto& [from, to] : pairs) {
    check(from, elements);
    check(to, elements);
  }
  const auto from_of = [&](std::size_t i) { return pairs[i].first; };
  const auto to_of = [&](std::size_t i) { return pairs[i].second; };
  next_ = {elements, pairs.size(), from_of, to_of};
  previous_ = {elements, pairs.size(), to_of, from_of};
  sort();
  if (order_.size() == elements) return;
  layer_graph edges(elements);
  for (const auto& [from, to] : pairs) edges.join(from, to);
  detail::fail(detail::cycle_error(edges.cycle(), "element"));
}

STAGECUT_DECL void precedence::sort() {
  const std::size_t elements = next_.size();
  const auto later = [](std::size_t a, std::size_t b) { return a > b; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  std::vector<element> waits_for(elements);
  for (std::size_t e = 0; e < elements; ++e) {
    waits_for[e] = static_cast<element>(predecessors(e).size());
    if (waits_for[e] == 0) ready.push(e);
  }
  order_.reserve(elements);
  while (!ready.empty()) {
    order_.push_back(static_cast<element>(ready.top()));
    ready.pop();
    for (const element to : successors(order_.back())) {
      if (--waits_for[to] == 0) ready.push(to);
    }
  }
}

STAGECUT_DECL void precedence::check(element each, std::size_t elements) {
  if (each < elements) return;
  detail::fail(argument_error("precedence", "pairs", std::to_string(each),
                              detail::joined({"must be below the number of elements, ", elements})));
}

}  // namespace stagecut::inline STAGECUT_ABI
