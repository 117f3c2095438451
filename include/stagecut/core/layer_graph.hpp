// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/layer.hpp>

namespace stagecut::inline v0::detail {

/// Numbers below a bound, of which the least is taken out first. Each step takes the logarithm of the bound.
class least_first {
 public:
  explicit least_first(std::size_t bound) : leaves_(std::bit_ceil(bound)), held_(2 * leaves_) {}

  [[nodiscard]] bool empty() const noexcept { return held_[1] == 0; }

  /// @pre `number` is below the bound
  void put(std::size_t number) {
    for (std::size_t at = leaves_ + number; at != 0; at /= 2) ++held_[at];
  }

  /// @pre not empty
  [[nodiscard]] std::size_t take() {
    std::size_t at = 1;
    for (--held_[at]; at < leaves_; --held_[at]) {
      at *= 2;
      if (held_[at] == 0) ++at;
    }
    return at - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<std::size_t> held_;  // how many numbers lie below each node of a binary tree over all of them
};

/// Edges between layers, by the layer at either end.
class layer_graph {
 public:
  explicit layer_graph(std::size_t layers) : next_(layers), previous_(layers) {}

  /// @pre both are below the number of layers
  void join(std::size_t from, std::size_t to) {
    next_[from].push_back(to);
    previous_[to].push_back(from);
  }

  [[nodiscard]] std::size_t size() const noexcept { return next_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& next(std::size_t layer) const noexcept { return next_[layer]; }
  [[nodiscard]] const std::vector<std::size_t>& previous(std::size_t layer) const noexcept { return previous_[layer]; }

  /// The layers in an order in which each follows all that feed it: of those that may be next, first what is not
  /// `late(LAYER)`, then the least number. Layers that wait for a cycle are left out.
  template <class Late>
  [[nodiscard]] std::vector<std::size_t> order(const Late& late) const {
    least_first ready(2 * size());
    std::vector<std::size_t> waits_for;
    const auto put = [&](std::size_t v) { ready.put(late(v) ? size() + v : v); };
    for (std::size_t v = 0; v < size(); ++v) {
      waits_for.push_back(previous_[v].size());
      if (previous_[v].empty()) put(v);
    }
    std::vector<std::size_t> result;
    while (!ready.empty()) {
      const std::size_t v = ready.take() % size();
      result.push_back(v);
      for (const std::size_t to : next_[v]) {
        if (--waits_for[to] == 0) put(to);
      }
    }
    return result;
  }

  /// As above, by their number alone.
  [[nodiscard]] std::vector<std::size_t> order() const {
    return order([](std::size_t) { return false; });
  }

  /// The layers of a cycle from its least number on, each of which feeds the next, and the last the first; empty if
  /// there is no cycle.
  [[nodiscard]] std::vector<std::size_t> cycle() const {
    std::vector<bool> left(size(), true);
    const std::vector<std::size_t> done = order();
    for (const std::size_t v : done) left[v] = false;
    if (done.size() == size()) return {};
    // Each layer left over is fed by another one: backwards along them, the first that is met again is on a cycle.
    std::vector<std::size_t> met(size());  // its place in `back`, plus 1
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

 private:
  std::vector<std::vector<std::size_t>> next_;
  std::vector<std::vector<std::size_t>> previous_;
};

/// Layers of a cycle by their names: `"a" -> "b" -> "a"`.
[[nodiscard]] inline std::string cycle_text(const std::vector<layer>& layers, const std::vector<std::size_t>& cycle) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < most; ++i) text += joined(in_quotes(layers[cycle[i]].name), " -> ");
  if (cycle.size() > most) text += joined("... (", std::to_string(cycle.size()), " layers) -> ");
  return text + in_quotes(layers[cycle[0]].name);
}

}  // namespace stagecut::inline v0::detail
