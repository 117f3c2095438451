// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// Intervals of a chain up to a maximal width, per stage: the table index of `[first, last)`.
struct interval_places {
  std::size_t items = 0;
  std::size_t widest = 0;

  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t size() const noexcept { return items * widest; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t operator()(std::size_t first,
                                                                      std::size_t last) const noexcept {
    return first * widest + (last - first - 1);
  }
};

/// The allowed stages, and the memory of ranks, as devices read them. Trivially copyable.
struct chain_rules_view {
  /// A stage at a moment: the start of its intervals' bytes.
  struct part {
    std::uint32_t stage;
    std::uint32_t table;
  };

  interval_places places{};
  view<const std::uint32_t> allowed{};  ///< one bit per stage and interval
  view<const double> bytes{};           ///< per interval, for each table
  view<const part> parts{};             ///< parts of all moments of all ranks
  view<const std::uint32_t> moments{};  ///< first part of every moment, and one more: their number
  view<const std::uint32_t> ranks{};    ///< first moment of every rank, and one more; empty: no penalties for ranks
  double limit = 0;                     ///< memory of a rank in bytes

  /// Whether the non-empty `[first, last)` may be stage s.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool may_be(std::size_t s, std::size_t first,
                                                           std::size_t last) const noexcept {
    if (last - first > places.widest) return false;
    const std::size_t bit = s * places.size() + places(first, last);
    return (allowed[bit / 32] >> bit % 32 & 1U) != 0;
  }

  /// The total excess memory of the ranks, as a share of the limit. The same sums as in the rules.
  template <class Points>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double excess(const Points& points) const {
    double all = 0;
    for (std::size_t r = 0; r + 1 < ranks.size(); ++r) {
      double most = limit;
      for (std::uint32_t moment = ranks[r]; moment < ranks[r + 1]; ++moment) {
        double sum = 0;
        for (std::uint32_t i = moments[moment]; i < moments[moment + 1]; ++i) {
          const part each = parts[i];
          sum += bytes[each.table * places.size() + places(points[each.stage], points[each.stage + 1])];
        }
        if (most < sum) most = sum;
      }
      all += most / limit - 1;
    }
    return all;
  }
};

/// Rules of cuts as tables. Intervals too wide for the tables count as not allowed.
///
/// If the rules of ranks are sums of memory with a table of moderate size, it includes them, and cuts that exceed the
/// limit get a penalty. It omits other rules of ranks.
class chain_rules {
 public:
  /// @param widest  the number of items of the widest stage needed
  chain_rules(const schedule& order, const stagecut::engine::cut_rules& rules, std::size_t items, std::size_t widest)
      : places_{items, items} {
    const std::size_t fit = most_entries / (order.stages() * items);
    if (fit < items) places_.widest = fit;
    fits_ = widest < places_.widest || places_.widest == items;
    if (!fits_) return;
    if (rules.has_rank_rules()) tabulate_memory(order, rules);
    allowed_.assign((order.stages() * places_.size() + 31) / 32, 0);
    for (std::size_t s = 0; s < order.stages(); ++s) tabulate(s, rules);
  }

  /// Whether the tables suffice.
  [[nodiscard]] bool fits() const noexcept { return fits_; }

  /// The view for devices; refers to this.
  [[nodiscard]] chain_rules_view seen() const noexcept {
    return {places_, allowed_, bytes_, parts_, moments_, ranks_, limit_};
  }
  /// The same with its arrays placed by `memory`.
  template <class Memory>
  [[nodiscard]] chain_rules_view placed(Memory& memory) const {
    chain_rules_view result = seen();
    result.allowed = memory(result.allowed);
    result.bytes = memory(result.bytes);
    result.parts = memory(result.parts);
    result.moments = memory(result.moments);
    result.ranks = memory(result.ranks);
    return result;
  }

 private:
  using held_microbatches = stagecut::detail::held_microbatches;
  static constexpr std::size_t most_entries = std::size_t{1} << 24U;  // of all stages; 2 MB, a fraction of a second
  static constexpr std::size_t most_bytes = std::size_t{1} << 22U;    // numbers, 32 MB

  void tabulate(std::size_t s, const stagecut::engine::cut_rules& rules) {
    const bool priced = !ranks_.empty();
    for (std::size_t first = 0; first < places_.items; ++first) {
      for (std::size_t width = 1; width <= places_.widest && first + width <= places_.items; ++width) {
        const std::size_t last = first + width;
        if (priced ? rules.may_be(s, first, last) : rules.allows(s, first, last)) {
          const std::size_t bit = s * places_.size() + places_(first, last);
          allowed_[bit / 32] |= 1U << bit % 32;
        } else if (rules.hopeless(s, first, last)) {
          break;
        }
      }
    }
  }

  /// The same tables as `stagecut::detail::memory_excess`.
  void tabulate_memory(const schedule& order, const stagecut::engine::cut_rules& rules) {
    const auto stages = stagecut::engine::stages_of_ranks(order);
    std::vector<std::vector<held_microbatches>> tables(order.stages());  // the microbatches held, per stage
    std::size_t count = 0;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      const auto* const moments = rules.moments(r);
      if (!stages[r].empty() && moments == nullptr) return;
      for (std::size_t i = 0; moments != nullptr && i < moments->size(); ++i) {
        for (std::size_t j = 0; j < stages[r].size(); ++j) count += place_of(tables[stages[r][j]], (*moments)[i][j]);
      }
    }
    limit_ = rules.memory_limit();
    if (!(limit_ > 0x1p-900) || count * places_.size() > most_bytes) return;
    std::vector<std::size_t> first(order.stages() + 1);
    for (std::size_t s = 0; s < order.stages(); ++s) {
      first[s + 1] = first[s] + tables[s].size();
      for (const held_microbatches held : tables[s]) tabulate_bytes(s, held, rules);
    }
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      ranks_.push_back(static_cast<std::uint32_t>(moments_.size()));
      for (std::size_t i = 0; !stages[r].empty() && i < rules.moments(r)->size(); ++i) {
        moments_.push_back(static_cast<std::uint32_t>(parts_.size()));
        for (std::size_t j = 0; j < stages[r].size(); ++j) {
          const std::size_t s = stages[r][j];
          std::size_t table = first[s];
          for (std::size_t t = 0; tables[s][t] != (*rules.moments(r))[i][j]; ++t) ++table;
          parts_.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(table)});
        }
      }
    }
    ranks_.push_back(static_cast<std::uint32_t>(moments_.size()));
    moments_.push_back(static_cast<std::uint32_t>(parts_.size()));
  }

  /// Adds an element to a list if it is not there. Returns the number of elements added.
  [[nodiscard]] static std::size_t place_of(std::vector<held_microbatches>& list, held_microbatches held) {
    if (std::find(list.begin(), list.end(), held) != list.end()) return 0;
    list.push_back(held);
    return 1;
  }

  void tabulate_bytes(std::size_t s, held_microbatches held, const stagecut::engine::cut_rules& rules) {
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + places_.size());
    for (std::size_t first = 0; first < places_.items; ++first) {
      for (std::size_t width = 1; width <= places_.widest && first + width <= places_.items; ++width) {
        const std::size_t last = first + width;
        if (rules.may_be(s, first, last))
          bytes_[begin + places_(first, last)] = rules.stage_memory(s, first, last, held);
      }
    }
  }

  interval_places places_;
  bool fits_ = false;
  std::vector<std::uint32_t> allowed_{};
  std::vector<double> bytes_{};
  std::vector<chain_rules_view::part> parts_{};
  std::vector<std::uint32_t> moments_{};
  std::vector<std::uint32_t> ranks_{};
  double limit_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
