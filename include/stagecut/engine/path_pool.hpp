// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/interval.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/layered_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Critical paths of simulated cuts. Each is a bound for every cut: a sum, over the edges of a layered graph, of how
/// often it passes through the stages that an edge chooses. See docs/makespan.md, Bounds ("every path is a bound for
/// every cut").
///
/// The counts of all paths are adjacent, so that an edge is tested against many at once.
class path_pool {
 public:
  static constexpr std::size_t lanes = 8;  // paths in a group

  path_pool(const chain_ticks& chain, const stage_layout& layout, std::size_t capacity)
      : chain_(chain), layout_(layout), capacity_((capacity + lanes - 1) / lanes * lanes) {
    for (std::size_t kind = 0; kind < tick_kinds; ++kind) {
      if (kind == tick_w && !chain.splits) continue;
      if (kind == tick_message && !chain.has_messages) continue;
      kinds_.push_back(kind);
    }
    std::size_t slots = 0;
    for (std::size_t t = 0; t < layout.steps(); ++t) {
      first_slot_.push_back(slots);
      slots += layout.width(t) * kinds_.size();
    }
    first_slot_.push_back(slots);
    counts_.resize(slots * capacity_);
    version_.resize(capacity_);
    use_.resize(capacity_);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  /// The number of paths rounded up to whole groups; the padding has zero counts.
  [[nodiscard]] std::size_t padded() const noexcept { return (size_ + lanes - 1) / lanes * lanes; }
  /// Changes when another path takes the place.
  [[nodiscard]] std::uint32_t version(std::size_t path) const noexcept { return version_[path]; }
  /// How often a path proved something recently.
  [[nodiscard]] double& use(std::size_t path) noexcept { return use_[path]; }

  /// The place of a path with these counts, of every stage and kind; `capacity()` if there is none.
  [[nodiscard]] std::size_t find(const std::vector<double>& counts) const {
    for (std::size_t j = 0; j < size_; ++j) {
      bool same = true;
      for (std::size_t t = 0; t < layout_.steps() && same; ++t) {
        each_slot(t, [&](std::size_t slot, std::size_t s, std::size_t kind) {
          same = same && counts_[slot * capacity_ + j] == counts[s * tick_kinds + kind];
        });
      }
      if (same) return j;
    }
    return capacity_;
  }

  /// Puts a path at a place: the next free one, or the place of a forgotten path.
  void put(std::size_t place, const std::vector<double>& counts) {
    for (std::size_t t = 0; t < layout_.steps(); ++t) {
      each_slot(t, [&](std::size_t slot, std::size_t s, std::size_t kind) {
        counts_[slot * capacity_ + place] = counts[s * tick_kinds + kind];
      });
    }
    ++version_[place];
    use_[place] = 1;
    if (place == size_) ++size_;
  }

  /// The times of the stages that an edge chooses, in the order of its step's slots.
  std::size_t times(const layered_graph::node& u, const layered_graph::node& v, double* times) const {
    std::size_t count = 0;
    for (std::size_t j = 0; j < layout_.width(u.step); ++j) {
      const std::size_t s = layout_.stage(u.step, j);
      const interval part = layout_.part(j, u, v);
      for (const std::size_t kind : kinds_) {
        times[count++] =
            kind == tick_message ? chain_.message(s, part.last) : chain_.pass(kind, s, part.first, part.last);
      }
    }
    return count;
  }
  static constexpr std::size_t most_times = 2 * tick_kinds;

  /// The contribution of an edge to all paths: `weights[0 .. padded())`.
  void weigh(const layered_graph::node& u, const layered_graph::node& v, double* __restrict weights) const {
    double edge[most_times];
    const std::size_t slots = times(u, v, edge);
    const std::size_t paths = padded();
    const double* __restrict counts = counts_.data() + first_slot_[u.step] * capacity_;
    if (slots == 0) {
      for (std::size_t j = 0; j < paths; ++j) weights[j] = 0;
      return;
    }
    for (std::size_t j = 0; j < paths; ++j) weights[j] = edge[0] * counts[j];
    for (std::size_t slot = 1; slot < slots; ++slot) {
      const double time = edge[slot];
      const double* __restrict more = counts + slot * capacity_;
      for (std::size_t j = 0; j < paths; ++j) weights[j] += time * more[j];
    }
  }

  /// The contribution of an edge to one path.
  [[nodiscard]] double weight(const layered_graph::node& u, const layered_graph::node& v, std::size_t path) const {
    double edge[most_times];
    const std::size_t slots = times(u, v, edge);
    double sum = 0;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      sum += edge[slot] * counts_[(first_slot_[u.step] + slot) * capacity_ + path];
    }
    return sum;
  }

 private:
  template <class Visit>
  void each_slot(std::size_t t, const Visit& visit) const {
    std::size_t slot = first_slot_[t];
    for (std::size_t j = 0; j < layout_.width(t); ++j) {
      for (const std::size_t kind : kinds_) visit(slot++, layout_.stage(t, j), kind);
    }
  }

  const chain_ticks& chain_;
  const stage_layout& layout_;
  std::size_t capacity_;
  std::vector<std::size_t> kinds_{};
  std::vector<std::size_t> first_slot_{};
  std::vector<double> counts_{};  // [slot * capacity + path]
  std::vector<std::uint32_t> version_{};
  std::vector<double> use_{};
  std::size_t size_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
