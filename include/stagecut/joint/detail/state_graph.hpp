// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/bit_sets.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The layers of a graph, and the order ideals where it may be cut: see `states_of_graph`.
struct state_graph {
  std::vector<std::size_t> layers{};  // each after all that feed it; below, layers are places here
  engine::bit_rows held{};            // of each point
  std::size_t first = 0;              // the first source, by its number in the graph

  /// @pre the edges have no cycle
  state_graph(const profile& model, const layer_graph& edges, bool as_published) : as_published_(as_published) {
    std::vector<std::size_t> place(edges.size(), edges.size());
    std::vector<bool> left_out(edges.size());
    const auto feeds = [&](const std::vector<std::size_t>& ends) {
      for (const std::size_t v : ends) {
        if (!left_out[v]) return true;
      }
      return false;
    };
    if (as_published) {
      const auto is = [&](std::size_t v, std::string_view kind) {
        return std::string_view(model.layers[v].kind).substr(0, kind.size()) == kind;
      };
      for (std::size_t v = 0; v < edges.size(); ++v) left_out[v] = edges.previous(v).empty() && is(v, "Input");
      std::vector<std::size_t> unused;
      for (std::size_t v = 0; v < edges.size(); ++v) {
        if (!left_out[v] && !feeds(edges.next(v)) && is(v, "__getitem__")) unused.push_back(v);
      }
      for (const std::size_t v : unused) left_out[v] = true;
    }
    std::size_t source = edges.size();
    for (std::size_t v = edges.size(); v-- > 0;) {
      if (!left_out[v] && !feeds(edges.previous(v))) source = v;
    }
    for (const std::size_t v : edges.order()) {
      if (left_out[v]) continue;
      if (v == source) first = layers.size();
      place[v] = layers.size();
      layers.push_back(v);
    }
    held = engine::bit_rows(layers.size());
    before_ = engine::bit_rows(layers.size(), layers.size());
    const auto placed = [&](const std::vector<std::size_t>& ends) {
      std::vector<std::size_t> result;
      for (const std::size_t v : ends) {
        if (!left_out[v]) result.push_back(place[v]);
      }
      return result;
    };
    for (std::size_t here = 0; here < layers.size(); ++here) {
      next_.push_back(placed(edges.next(layers[here])));
      previous_.push_back(placed(edges.previous(layers[here])));
      engine::bit_rows::put(before_[here], here);
      for (const std::size_t u : previous_.back()) before_.unite(before_[here], before_[u]);
    }
  }

  /// A layer that no edges connect with the first source; the number of layers if there is none.
  /// @pre there is a layer
  [[nodiscard]] std::size_t apart() const {
    std::vector<bool> joined(layers.size());
    std::vector<std::size_t> open{first};
    joined[first] = true;
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      for (const auto* const ends : {&next_[v], &previous_[v]}) {
        for (const std::size_t u : *ends) {
          if (!joined[u]) open.push_back(u);
          joined[u] = true;
        }
      }
    }
    std::size_t v = 0;
    while (v < layers.size() && joined[v]) ++v;
    return v;
  }

  /// Finds all order ideals; false if there are more than `most`, not counting the empty one.
  /// @pre there is a layer
  [[nodiscard]] bool find(std::size_t most) {
    engine::bit_sets sets(layers.size());
    std::vector<std::uint64_t> set(held.words);
    if (as_published_) engine::bit_rows::put(set.data(), first);
    sets.put(set.data(), sets.hash_of(set.data()));
    const std::size_t empty = as_published_ ? 0 : 1;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (sets.size() - empty > most) return false;
      for (std::size_t v = 0; v < layers.size(); ++v) {
        if (!follows(sets[i], v)) continue;
        set.assign(sets[i], sets[i] + held.words);
        held.unite(set.data(), before_[v]);
        sets.put(set.data(), sets.hash_of(set.data()));
      }
    }
    number(sets);
    return true;
  }

  /// The sum of `value(layer)` over each point.
  template <class Value>
  [[nodiscard]] std::vector<double> sums(const Value& value) const {
    return summed([&](const std::uint64_t* set, std::size_t v) { return has(set, v) ? value(layers[v]) : 0; });
  }

  /// For each point, the sum of `value(layer)` over the layers that feed layers outside it.
  template <class Value>
  [[nodiscard]] std::vector<double> crossing(const Value& value) const {
    return summed([&](const std::uint64_t* set, std::size_t v) {
      if (!has(set, v)) return 0.0;
      return (as_published_ ? crosses_as_published(set, v) : feeds_outside(set, v)) ? value(layers[v]) : 0.0;
    });
  }

  /// For each point, its strict supersets.
  [[nodiscard]] std::vector<std::vector<std::size_t>> later() const {
    std::vector<std::vector<std::size_t>> result(points());
    for (std::size_t p = 0; p < points(); ++p) {
      for (std::size_t q = p + 1; q < points(); ++q) {
        if (held.within(p, q)) result[p].push_back(q);
      }
    }
    return result;
  }

 private:
  static bool has(const std::uint64_t* set, std::size_t v) noexcept { return engine::bit_rows::has(set, v); }
  [[nodiscard]] std::size_t points() const noexcept { return held.size(); }

  /// Whether a layer may be added to a set: as published, with its predecessors if any of them is in the set; otherwise
  /// if all are.
  [[nodiscard]] bool follows(const std::uint64_t* set, std::size_t v) const {
    if (has(set, v)) return false;
    for (const std::size_t u : previous_[v]) {
      if (has(set, u) == as_published_) return as_published_;
    }
    return !as_published_;
  }

  [[nodiscard]] bool feeds_outside(const std::uint64_t* set, std::size_t v) const {
    for (const std::size_t to : next_[v]) {
      if (!has(set, to)) return true;
    }
    return false;
  }

  /// Whether a layer is a last one of a set, or feeds something that some last one after it does not need.
  [[nodiscard]] bool crosses_as_published(const std::uint64_t* set, std::size_t v) const {
    const auto is_last = [&](std::size_t u) {
      for (const std::size_t to : next_[u]) {
        if (has(set, to)) return false;
      }
      return true;
    };
    if (is_last(v)) return true;
    for (std::size_t u = v + 1; u < layers.size(); ++u) {
      if (!has(set, u) || !before_.holds(u, v) || !is_last(u)) continue;
      for (const std::size_t to : next_[v]) {
        if (!before_.holds(u, to)) return true;
      }
    }
    return false;
  }

  /// Sorts the sets.
  void number(const engine::bit_sets& sets) {
    std::vector<std::pair<std::size_t, std::size_t>> order;  // by their number of layers
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::size_t count = 0;
      for (std::size_t w = 0; w < held.words; ++w) count += static_cast<std::size_t>(__builtin_popcountll(sets[i][w]));
      order.emplace_back(count, i);
    }
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      for (std::size_t w = 0; w < held.words; ++w) {
        const std::uint64_t differ = sets[a.second][w] ^ sets[b.second][w];
        if (differ != 0) return (sets[a.second][w] & differ & (~differ + 1)) != 0;
      }
      return false;
    });
    held = engine::bit_rows(layers.size(), as_published_ ? 1 : 0);  // the empty one was not found
    for (const auto& each : order) held.add(sets[each.second]);
  }

  template <class Value>
  [[nodiscard]] std::vector<double> summed(const Value& value) const {
    std::vector<double> result(points());
    for (std::size_t p = 0; p < points(); ++p) {
      for (std::size_t v = 0; v < layers.size(); ++v) result[p] += value(held[p], v);
    }
    return result;
  }

  bool as_published_;
  std::vector<std::vector<std::size_t>> next_{};
  std::vector<std::vector<std::size_t>> previous_{};
  engine::bit_rows before_{};  // for each layer, itself and all its predecessors
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
