// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
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
  [[nodiscard]] bool prepare(std::int64_t held, std::int64_t memory);

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

  void list_ways(group& each, std::int64_t held);

  void list_units();

  void add_hull(std::size_t g);

  /// Time at least to save so many bytes with the units from `rank` on, of the first of which `left` layers are open.
  [[nodiscard]] std::int64_t relaxed(std::size_t rank, std::int64_t left, std::int64_t need) const;
  [[nodiscard]] std::int64_t relaxed_from(std::size_t rank, std::int64_t need) const;

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

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_ways.ipp>
#endif
