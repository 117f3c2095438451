// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/detail/sort.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What one way to run a layer takes, in whole units; with y microbatches in flight y * activations + resident bytes.
struct variant_figures {
  std::int64_t time = 0;
  std::int64_t activations = 0;
  std::int64_t resident = 0;

  friend bool operator==(const variant_figures&, const variant_figures&) = default;
};

/// The ways to run the layers of a stage with a number of microbatches in flight, and what their choice takes at least: the
/// last layer that goes to a leaner way may be divided (Dantzig).
class variant_ways {
 public:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  void clear() { groups_.clear(); }
  /// @param variants  of layers with equal figures; has to stay where it is
  void add(view<const variant_figures> variants, std::size_t count) { groups_.push_back({variants, count, 0, 0}); }

  /// @return  whether all layers fit in the ways that need least
  [[nodiscard]] bool prepare(std::int64_t held, std::int64_t memory) {
    ways_.clear();
    steps_.clear();
    base_ = 0;
    std::int64_t all = 0;
    std::int64_t leanest = 0;
    for (group& each : groups_) {
      list_ways(each, held);
      const auto count = static_cast<std::int64_t>(each.count);
      base_ += count * ways_[each.begin].time;
      all += count * ways_[each.begin].bytes;
      leanest += count * ways_[each.end - 1].bytes;
    }
    need_ = all - memory;
    if (leanest > memory) return false;
    if (need_ > 0) list_units();
    return true;
  }

  /// No choice takes less.
  [[nodiscard]] std::int64_t bound() const {
    return need_ <= 0 ? base_ : base_ + relaxed(0, static_cast<std::int64_t>(units_[0].count), need_);
  }

 protected:
  struct group {
    view<const variant_figures> variants{};
    std::size_t count = 0;
    std::size_t begin = 0;  // of its ways
    std::size_t end = 0;
  };
  /// One that no other way of its layer beats, by rising time and falling bytes.
  struct way {
    std::int64_t time = 0;
    std::int64_t bytes = 0;
    std::size_t variant = 0;
  };
  /// From one way to a leaner one: of a group with two ways, or on the convex hull of one with more.
  struct step {
    std::size_t group = 0;
    std::int64_t time = 0;   // more
    std::int64_t saved = 0;  // bytes
    std::int64_t count = 0;  // layers
    std::size_t unit = 0;    // by rank
    bool is_first = false;   // of its unit
    std::size_t from = 0;    // the way
    std::size_t to = 0;      // the leaner one
  };
  /// What is decided at once: how many of layers that save as much, or which ways the layers of a group have.
  struct unit {
    std::size_t begin = 0;  // steps in `pairs_`; where there are none, `group` has more than two ways
    std::size_t end = 0;
    std::size_t group = 0;
    std::size_t count = 0;  // layers
  };
  __extension__ using wide = unsigned __int128;

  [[nodiscard]] static wide product(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<wide>(static_cast<std::uint64_t>(a)) * static_cast<std::uint64_t>(b);
  }
  /// Whether a step takes less time for what it saves.
  [[nodiscard]] static bool cheaper(const step& a, const step& b) noexcept {
    return product(a.time, b.saved) < product(b.time, a.saved);
  }

  void list_ways(group& each, std::int64_t held) {
    sorted_.clear();
    for (std::size_t r = 0; r < each.variants.size(); ++r) {
      const variant_figures& one = each.variants[r];
      sorted_.push_back({one.time, held * one.activations + one.resident, r});
    }
    const auto faster = [](const way& a, const way& b) {
      return a.time != b.time ? a.time < b.time : a.bytes < b.bytes;
    };
    detail::sort(sorted_, faster);
    each.begin = ways_.size();
    for (const way& one : sorted_) {
      if (ways_.size() == each.begin || one.bytes < ways_.back().bytes) ways_.push_back(one);
    }
    each.end = ways_.size();
  }

  void list_units() {
    pairs_.clear();
    made_.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const group& each = groups_[g];
      if (each.end - each.begin == 2) {
        const way& from = ways_[each.begin];
        const way& to = ways_[each.begin + 1];
        pairs_.push_back({g, to.time - from.time, from.bytes - to.bytes, static_cast<std::int64_t>(each.count), 0,
                          false, each.begin, each.begin + 1});
      } else if (each.end - each.begin > 2) {
        add_hull(g);
        made_.push_back({0, 0, g, each.count});
      }
    }
    const auto by_saved = [](const step& a, const step& b) {
      return a.saved != b.saved ? a.saved > b.saved : a.time < b.time;
    };
    detail::sort(pairs_, by_saved);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      step& each = pairs_[i];
      each.is_first = i == 0 || each.saved != pairs_[i - 1].saved;
      if (each.is_first) made_.push_back({i, i, 0, 0});
      each.unit = made_.size() - 1;
      made_.back().end = i + 1;
      made_.back().count += groups_[each.group].count;
      steps_.push_back(each);
    }
    detail::sort(steps_, cheaper);
    units_.clear();
    rank_.assign(made_.size(), 0);
    for (const step& each : steps_) {
      if (!each.is_first) continue;
      rank_[each.unit] = units_.size();
      units_.push_back(made_[each.unit]);
    }
    for (step& each : steps_) each.unit = rank_[each.unit];
  }

  void add_hull(std::size_t g) {
    const std::size_t begin = steps_.size();
    const auto count = static_cast<std::int64_t>(groups_[g].count);
    for (std::size_t w = groups_[g].begin + 1; w < groups_[g].end; ++w) {
      const way& from = ways_[w - 1];
      step made{g, ways_[w].time - from.time, from.bytes - ways_[w].bytes, count, made_.size(), false, w - 1, w};
      while (steps_.size() > begin && !cheaper(steps_.back(), made)) {
        made.time += steps_.back().time;
        made.saved += steps_.back().saved;
        made.from = steps_.back().from;
        steps_.pop_back();
      }
      made.is_first = steps_.size() == begin;
      steps_.push_back(made);
    }
  }

  /// Time at least to save so many bytes with the units from `rank` on, of the first of which `left` layers are open.
  [[nodiscard]] std::int64_t relaxed(std::size_t rank, std::int64_t left, std::int64_t need) const {
    std::int64_t time = 0;
    for (const step& each : steps_) {
      if (each.unit < rank) continue;
      const std::int64_t count = each.unit == rank && each.count > left ? left : each.count;
      if (each.saved * count < need) {
        need -= each.saved * count;
        time += each.time * count;
        continue;
      }
      const auto saved = static_cast<std::uint64_t>(each.saved);
      return time + static_cast<std::int64_t>((product(need, each.time) + (saved - 1)) / saved);
    }
    return none / 2;
  }
  [[nodiscard]] std::int64_t relaxed_from(std::size_t rank, std::int64_t need) const {
    if (need <= 0) return 0;
    return rank < units_.size() ? relaxed(rank, static_cast<std::int64_t>(units_[rank].count), need) : none / 2;
  }

  std::vector<group> groups_{};
  std::vector<way> ways_{};
  std::vector<way> sorted_{};
  std::vector<step> steps_{};  // by rising time for what they save
  std::vector<step> pairs_{};  // of groups with two ways, by what they save, then by rising time
  std::vector<unit> units_{};  // by the first of their steps
  std::vector<unit> made_{};
  std::vector<std::size_t> rank_{};
  std::int64_t base_ = 0;  // time of the fastest ways
  std::int64_t need_ = 0;  // bytes that those lack
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
