// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The figures of one way to run a layer, in integer units; with y microbatches in flight y * activations + resident
/// bytes.
struct variant_figures {
  std::int64_t time = 0;
  std::int64_t activations = 0;
  std::int64_t resident = 0;

  friend bool operator==(const variant_figures&, const variant_figures&) = default;
};

/// The ways to run the layers of a stage with a number of microbatches in flight, and a lower bound on the time of a
/// choice: the last layer that switches to a leaner way may be divided (Dantzig).
class variant_ways {
 public:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  void clear() { groups_.clear(); }
  /// @param variants  of layers with equal figures; must outlive this object
  void add(view<const variant_figures> variants, std::size_t count) { groups_.push_back({variants, count, 0, 0}); }

  /// @return  whether all layers fit in their leanest ways
  [[nodiscard]] bool prepare(std::int64_t held, std::int64_t memory);

  /// No choice takes less time.
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
  /// A Pareto-optimal way of a layer; ways are sorted by increasing time and decreasing bytes.
  struct way {
    std::int64_t time = 0;
    std::int64_t bytes = 0;
    std::size_t variant = 0;
  };
  /// A switch from one way to a leaner one: in a group with two ways, or on the convex hull of one with more.
  struct step {
    std::size_t group = 0;
    std::int64_t time = 0;   // extra time
    std::int64_t saved = 0;  // bytes
    std::int64_t count = 0;  // layers
    std::size_t unit = 0;    // by rank
    bool is_first = false;   // whether it is the first of its unit
    std::size_t from = 0;    // the way
    std::size_t to = 0;      // the leaner one
  };
  /// One decision: how many of the layers that save equally much switch, or which ways the layers of a group have.
  struct unit {
    std::size_t begin = 0;  // steps in `pairs_`; without any, `group` has more than two ways
    std::size_t end = 0;
    std::size_t group = 0;
    std::size_t count = 0;  // layers
  };
  __extension__ using wide = unsigned __int128;

  [[nodiscard]] static wide product(std::int64_t a, std::int64_t b) noexcept {
    return static_cast<wide>(static_cast<std::uint64_t>(a)) * static_cast<std::uint64_t>(b);
  }
  /// Whether a step takes less time per saved byte.
  [[nodiscard]] static bool cheaper(const step& a, const step& b) noexcept {
    return product(a.time, b.saved) < product(b.time, a.saved);
  }

  void list_ways(group& each, std::int64_t held);

  void list_units();

  void add_hull(std::size_t g);

  /// A lower bound of the time to save `need` bytes with the units from `rank` on, where `left` layers of the first are
  /// open.
  [[nodiscard]] std::int64_t relaxed(std::size_t rank, std::int64_t left, std::int64_t need) const;
  [[nodiscard]] std::int64_t relaxed_from(std::size_t rank, std::int64_t need) const;

  std::vector<group> groups_{};
  std::vector<way> ways_{};
  std::vector<way> sorted_{};
  std::vector<step> steps_{};  // by increasing time per saved byte
  std::vector<step> pairs_{};  // of groups with two ways, by saved bytes, then by increasing time
  std::vector<unit> units_{};  // by the first of their steps
  std::vector<unit> made_{};
  std::vector<std::size_t> rank_{};
  std::int64_t base_ = 0;  // time of the fastest ways
  std::int64_t need_ = 0;  // bytes that exceed the memory with those
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_ways.ipp>
#endif
