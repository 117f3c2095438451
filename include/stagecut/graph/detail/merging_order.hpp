// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether two parts may be merged.
enum class merge_verdict : std::uint8_t {
  safe,   ///< no other path leads from one to the other
  cycle,  ///< another path would lead out of the part and back
  unsure  ///< the search for one was given up
};

/// A topological order of parts, maintained while parts are merged: each part has a slot. When two parts merge, those
/// reachable from the first and those that reach the second, with slots in between, are reordered within their slots,
/// as in Pearce and Kelly's edge insertion.
class merging_order {
 public:
  using part = std::uint32_t;

  explicit merging_order(const precedence& below)
      : into_(below.size()), slot_(below.size()), next_(below.size()), previous_(below.size()), mark_(below.size()) {
    for (std::size_t i = 0; i < below.size(); ++i) slot_[below.order()[i]] = static_cast<std::uint32_t>(i);
    for (std::size_t e = 0; e < below.size(); ++e) {
      into_[e] = static_cast<part>(e);
      next_[e].assign(below.successors(e).begin(), below.successors(e).end());
      previous_[e].assign(below.predecessors(e).begin(), below.predecessors(e).end());
    }
  }

  /// The part that contains an element or a former part; a part has the number of one of its elements.
  [[nodiscard]] part find(part e) {
    while (into_[e] != e) e = into_[e] = into_[into_[e]];
    return e;
  }
  /// Its position in the order; if a pair joins two parts, the first has the lower position.
  [[nodiscard]] std::uint32_t slot(part of) const noexcept { return slot_[of]; }
  /// Former parts that represent the successors of a part; may contain duplicates, or the part itself.
  [[nodiscard]] const std::vector<part>& next(part of) const noexcept { return next_[of]; }
  /// Former parts that represent the predecessors, with the same caveats.
  [[nodiscard]] const std::vector<part>& previous(part of) const noexcept { return previous_[of]; }

  /// @param a, b   different parts
  /// @param edges  limit of edges to visit; any number is allowed
  [[nodiscard]] merge_verdict look(part a, part b, std::size_t edges) {
    first_ = slot_[a] < slot_[b] ? a : b;
    last_ = slot_[a] < slot_[b] ? b : a;
    stamp_ += 2;
    behind_.assign(1, first_);
    before_.assign(1, last_);
    for (std::size_t i = 0, j = 0; i < behind_.size() || j < before_.size();) {
      if (i < behind_.size() && !step(behind_, i++, next_, true, edges)) return verdict_;
      if (j < before_.size() && !step(before_, j++, previous_, false, edges)) return verdict_;
    }
    return merge_verdict::safe;
  }

  /// Merges the two parts that were examined last.
  /// @pre    the verdict was safe
  /// @return the part: one of the two
  part merge() {
    const bool swaps = next_[first_].size() + previous_[first_].size() < next_[last_].size() + previous_[last_].size();
    const part kept = swaps ? last_ : first_;
    const part gone = swaps ? first_ : last_;
    put_in_order(kept);
    into_[gone] = kept;
    unite(next_, kept, gone);
    unite(previous_, kept, gone);
    return kept;
  }

 private:
  /// Visits the successors or predecessors of a part between the slots of both parts.
  bool step(std::vector<part>& met, std::size_t i, const std::vector<std::vector<part>>& edges_of, bool down,
            std::size_t& edges) {
    const part end = down ? last_ : first_;
    for (const part each : edges_of[met[i]]) {
      if (edges-- == 0) return verdict_ = merge_verdict::unsure, false;
      const part to = find(each);
      if (to == end) {
        if (i == 0) continue;  // the pair itself
        return verdict_ = merge_verdict::cycle, false;
      }
      const bool beyond = down ? slot_[to] > slot_[end] : slot_[to] < slot_[end];
      const std::uint32_t stamp = stamp_ + (down ? 0U : 1U);
      if (beyond || mark_[to] == stamp || to == met[i]) continue;
      if (mark_[to] == stamp_ + (down ? 1U : 0U)) return verdict_ = merge_verdict::cycle, false;  // both searches met
      mark_[to] = stamp;
      met.push_back(to);
    }
    return true;
  }

  /// Predecessors of the last part come first, then the new part, then successors of the first part.
  void put_in_order(part kept) {
    slots_.clear();
    for (const part each : behind_) slots_.push_back(slot_[each]);
    for (const part each : before_) slots_.push_back(slot_[each]);
    std::sort(slots_.begin(), slots_.end());
    const auto by_slot = [&](part a, part b) { return slot_[a] < slot_[b]; };
    std::sort(before_.begin(), before_.end(), by_slot);
    std::sort(behind_.begin(), behind_.end(), by_slot);
    // The last part is the highest of its predecessors, the first the lowest of its successors: their positions meet.
    std::size_t i = 0;
    for (const part each : before_) slot_[each] = slots_[i++];
    for (const part each : behind_) {
      if (each != first_) slot_[each] = slots_[++i];
    }
    slot_[kept] = slots_[before_.size() - 1];
  }

  void unite(std::vector<std::vector<part>>& all, part kept, part gone) {
    std::vector<part>& row = all[kept];
    const std::size_t before = row.capacity();
    row.insert(row.end(), all[gone].begin(), all[gone].end());
    all[gone] = {};
    if (row.capacity() == before && row.size() > 64) return;  // now and then: removes names of former parts
    for (part& each : row) each = find(each);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    row.erase(std::remove(row.begin(), row.end(), kept), row.end());
  }

  std::vector<part> into_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::vector<part>> next_;
  std::vector<std::vector<part>> previous_;
  std::vector<std::uint32_t> mark_;
  std::uint32_t stamp_ = 0;
  part first_ = 0;
  part last_ = 0;
  merge_verdict verdict_ = merge_verdict::safe;
  std::vector<part> behind_{};  // successors of the first part, and itself
  std::vector<part> before_{};  // predecessors of the last part, and itself
  std::vector<std::uint32_t> slots_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
