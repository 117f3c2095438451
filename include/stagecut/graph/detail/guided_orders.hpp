// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/detail/dag_orders.hpp>
#include <stagecut/graph/detail/flat_dag.hpp>
#include <stagecut/graph/detail/low_frequency.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Orders along directions in which a graph is long: by a combination of its low-frequency vectors, changed so that no
/// edge lowers it. Cut in the middle, they separate what the vectors separate, as far as an acyclic partition can.
class guided_orders {
 public:
  /// How vertex numbers become monotone along edges: the greatest number of all ancestors, the least of all
  /// descendants, or the mean of both.
  enum class closure : std::uint8_t { up, down, mean };

  /// @param graph   must outlive this object
  /// @param random  for vectors and combinations
  guided_orders(const flat_dag& graph, engine::seeded& random)
      : graph_(graph), vectors_(low_frequency::of(graph, random)), level_(levels(graph)), number_(graph.size()) {
    const std::int64_t most = level_.empty() ? 1 : *std::max_element(level_.begin(), level_.end()) + std::int64_t{1};
    for (std::uint32_t& level : level_)
      level = static_cast<std::uint32_t>(level * std::int64_t{low_frequency::one} / most);
    for (std::size_t i = 0; i < low_frequency::count; ++i) {
      for (const std::int32_t sign : {whole, -whole}) {
        mix single{};
        single[i] = sign;
        mixes_.push_back(single);
        for (std::size_t j = 0; j < i; ++j) {
          for (const std::int32_t other : {whole, -whole}) {
            mix both = single;
            both[j] = other;
            mixes_.push_back(both);
          }
        }
      }
    }
    for (std::size_t i = 0; i < 6; ++i) {
      mix any{};
      for (std::int32_t& each : any) each = static_cast<std::int32_t>(random.below(2 * whole)) - whole;
      mixes_.push_back(any);
    }
  }

  /// Number of combinations.
  [[nodiscard]] std::size_t size() const noexcept { return mixes_.size(); }

  /// Calls `visit` with the orders of a combination: by the greatest number of a vertex's ancestors, by the least of
  /// its descendants, and by the mean of both.
  template <class Visit>
  void each_order(std::size_t m, const Visit& visit) {
    const mix& by = mixes_[m];
    for (std::size_t v = 0; v < number_.size(); ++v) {
      std::int64_t sum = std::int64_t{by[low_frequency::count]} * level_[v];
      for (std::size_t i = 0; i < low_frequency::count; ++i) sum += std::int64_t{by[i]} * vectors_[v][i];
      number_[v] = static_cast<std::int32_t>(sum / (4 * whole));
    }
    up_ = number_;
    for (std::size_t v = 0; v < up_.size(); ++v) {
      for (const dag_vertex u : graph_.in[v]) up_[v] = std::max(up_[v], up_[u]);
    }
    for (std::size_t v = number_.size(); v-- > 0;) {
      for (const dag_vertex u : graph_.out[v]) number_[v] = std::min(number_[v], number_[u]);
    }
    visit(sorted(up_));
    visit(sorted(number_));
    for (std::size_t v = 0; v < up_.size(); ++v) up_[v] += number_[v];
    visit(sorted(up_));
  }

 private:
  static constexpr std::int32_t whole = 1024;
  using mix = std::array<std::int32_t, low_frequency::count + 1>;  // of the vectors and the level, in parts of `whole`

  /// Sorts by numbers that no edge lowers, in enough steps between the least and the greatest that few coincide.
  dag_order sorted(const std::vector<std::int32_t>& by) {
    if (by.empty()) return {};
    const auto [least, most] = std::minmax_element(by.begin(), by.end());
    std::int64_t steps = 64;
    while (steps < (std::int64_t{1} << 17U) && steps < 4 * static_cast<std::int64_t>(by.size())) steps *= 2;
    unsigned shift = 0;
    while ((std::int64_t{*most} - *least) >> shift >= steps) ++shift;
    key_.resize(by.size());
    for (std::size_t v = 0; v < by.size(); ++v) {
      key_[v] = static_cast<std::uint32_t>((std::int64_t{by[v]} - *least) >> shift);
    }
    return by_key(key_, static_cast<std::size_t>(steps));
  }
  const flat_dag& graph_;
  low_frequency::values vectors_;
  std::vector<std::uint32_t> level_;
  std::vector<mix> mixes_{};
  std::vector<std::int32_t> number_;
  std::vector<std::int32_t> up_{};
  std::vector<std::uint32_t> key_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
