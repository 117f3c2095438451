// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/bit_sets.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Order ideals (down-sets) by number, and their extensions by one element: 0 is the empty one, the last contains all
/// elements, and each has a higher number than its subsets.
struct ideal_family {
  /// An element that may be added, and the resulting ideal.
  struct step {
    std::uint32_t element;
    std::uint32_t to;
  };
  std::vector<step> steps{};        // ideal by ideal
  std::vector<std::size_t> end{0};  // of the steps before each ideal, then of its own

  /// The ideals that are the prefixes of an order.
  [[nodiscard]] static ideal_family prefixes_of(view<const std::uint32_t> order) {
    ideal_family result;
    result.steps.reserve(order.size());
    result.end.reserve(order.size() + 2);
    for (std::size_t i = 0; i < order.size(); ++i) {
      result.steps.push_back({order[i], static_cast<std::uint32_t>(i + 1)});
      result.end.push_back(i + 1);
    }
    result.end.push_back(order.size());
    return result;
  }

  [[nodiscard]] std::size_t size() const noexcept { return end.size() - 1; }
  [[nodiscard]] view<const step> steps_of(std::size_t ideal) const noexcept {
    return {steps.data() + end[ideal], end[ideal + 1] - end[ideal]};
  }
};

/// Enumerates the order ideals of a directed acyclic graph, by their number of elements. Keeps the bits only of the
/// ideals with the current number.
///
/// @tparam Dag  has `size()`, and `predecessors(e)` and `successors(e)`, ranges of elements
template <class Dag>
class ideal_search {
 public:
  /// Ideals between two calls of `stop`.
  static constexpr std::size_t at_once = 256;

  explicit ideal_search(const Dag& dag) : dag_(dag) {}

  /// @param most  limit of ideals, and of steps divided by 8
  /// @param stop  called for every `at_once` ideals
  /// @return      nullopt if there are more, or if it was stopped. O(n / 64 + degree) for a step
  [[nodiscard]] std::optional<ideal_family> run(std::size_t most, const function_ref<bool()>& stop = {}) {
    const std::size_t n = dag_.size();
    ideal_family result;
    layer now(n);
    now.ready = bit_rows(n, 1);
    now.held.put(now.ready[0], now.held.hash_of(now.ready[0]));
    for (std::size_t e = 0; e < n; ++e) {
      if (dag_.predecessors(e).empty()) bit_rows::put(now.ready[0], e);
    }
    for (std::size_t elements = 0; elements < n; ++elements) {
      layer next(n);
      const std::size_t first = result.size() + now.held.size();
      for (std::size_t i = 0; i < now.held.size(); ++i) {
        if (stop && result.size() % at_once == 0 && stop()) return std::nullopt;
        grow(now, i, next, first, result);
        result.end.push_back(result.steps.size());
        if (first + next.held.size() > most || result.steps.size() / 8 > most) return std::nullopt;
      }
      now = std::move(next);
    }
    result.end.push_back(result.steps.size());
    return result;
  }

 private:
  /// All ideals of one size, and the elements that may be added.
  struct layer {
    bit_sets held;
    bit_rows ready;
    explicit layer(std::size_t elements) : held(elements), ready(elements) {}
  };

  /// Adds all ideals with one element more than ideal `i` of a layer.
  void grow(const layer& now, std::size_t i, layer& next, std::size_t first, ideal_family& result) {
    const std::size_t words = now.ready.words;
    set_.assign(now.held[i], now.held[i] + words);
    for (std::size_t w = 0; w < words; ++w) {
      const std::uint64_t rest = now.held.hash(i) ^ bit_sets::hash_of_word(w, set_[w]);
      for (std::uint64_t left = now.ready[i][w]; left != 0; left &= left - 1) {
        const auto e = w * 64 + static_cast<std::size_t>(__builtin_ctzll(left));
        set_[w] ^= bit_rows::bit(e);
        const auto [number, is_new] = next.held.put(set_.data(), rest ^ bit_sets::hash_of_word(w, set_[w]));
        if (is_new) make_ready(now.ready[i], e, set_.data(), next.ready);
        set_[w] ^= bit_rows::bit(e);
        result.steps.push_back({static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(first + number)});
      }
    }
  }

  /// Computes the elements that may be added to a set: those possible before `e` was added, and those that waited only
  /// for `e`.
  void make_ready(const std::uint64_t* before, std::size_t e, const std::uint64_t* set, bit_rows& ready) const {
    ready.add(before);
    std::uint64_t* const of = ready.bits.data() + ready.bits.size() - ready.words;
    of[e / 64] &= ~bit_rows::bit(e);
    for (const std::size_t to : dag_.successors(e)) {
      bool is_ready = true;
      for (const std::size_t from : dag_.predecessors(to)) is_ready = is_ready && bit_rows::has(set, from);
      if (is_ready) bit_rows::put(of, to);
    }
  }

  const Dag& dag_;
  std::vector<std::uint64_t> set_{};  // the current one
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
