// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/layer_graph.hpp>

#include <algorithm>
#include <cstddef>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::vector<std::size_t> layer_graph::order_by(function_ref<bool(std::size_t)> late) const {
  const auto later = [](std::size_t a, std::size_t b) { return a > b; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  std::vector<std::size_t> waits_for;
  const auto put = [&](std::size_t v) { ready.push(late(v) ? size() + v : v); };
  for (std::size_t v = 0; v < size(); ++v) {
    waits_for.push_back(previous_[v].size());
    if (previous_[v].empty()) put(v);
  }
  std::vector<std::size_t> result;
  while (!ready.empty()) {
    const std::size_t v = ready.top() % size();
    ready.pop();
    result.push_back(v);
    for (const std::size_t to : next_[v]) {
      if (--waits_for[to] == 0) put(to);
    }
  }
  return result;
}

STAGECUT_DECL std::vector<std::size_t> layer_graph::order() const {
  const auto never = [](std::size_t) { return false; };
  return order_by(never);
}

STAGECUT_DECL void layer_graph::join(std::size_t from, std::size_t to) {
  next_[from].push_back(to);
  previous_[to].push_back(from);
}

STAGECUT_DECL std::vector<std::size_t> layer_graph::cycle() const {
  std::vector<bool> left(size(), true);
  const std::vector<std::size_t> done = order();
  for (const std::size_t v : done) left[v] = false;
  if (done.size() == size()) return {};
  // Each remaining layer has a remaining predecessor: going backwards, the first layer met twice is on a cycle.
  std::vector<std::size_t> met(size());  // index in `back`, plus 1
  std::vector<std::size_t> back;
  std::size_t at = 0;
  while (!left[at]) ++at;
  while (met[at] == 0) {
    back.push_back(at);
    met[at] = back.size();
    std::size_t feeding = 0;
    while (!left[previous_[at][feeding]]) ++feeding;
    at = previous_[at][feeding];
  }
  const std::size_t first = met[at] - 1;
  const std::size_t length = back.size() - first;
  std::size_t least = 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (back[first + i] < back[first + least]) least = i;
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < length; ++i) result.push_back(back[first + (least + length - i) % length]);
  return result;
}

namespace detail {

STAGECUT_DECL std::string cycle_text(const std::vector<layer>& layers, const std::vector<std::size_t>& cycle) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < most; ++i) text += joined({in_quotes(layers[cycle[i]].name), " -> "});
  if (cycle.size() > most) text += joined({"... (", cycle.size(), " layers) -> "});
  return text + in_quotes(layers[cycle[0]].name);
}

STAGECUT_DECL parted_group find_parted_group(std::size_t layers, function_ref<std::string_view(std::size_t)> group) {
  struct row {
    std::string_view name;
    std::size_t first;
    std::size_t last;
  };
  std::vector<row> rows;  // consecutive layers of one group
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string_view here = group(i);
    if (here.empty()) continue;
    if (rows.empty() || rows.back().last != i || rows.back().name != here) rows.push_back({here, i, i});
    rows.back().last = i + 1;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const row& a, const row& b) { return a.name < b.name; });
  parted_group found{layers, layers};
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].name == rows[r - 1].name && rows[r].first < found.again) found = {rows[r].first, rows[r - 1].last};
  }
  return found;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
