// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Whether a stage may be empty.
enum class empty_stages { forbidden, allowed };

namespace detail {

/// Iterates over the stages of cuts: pairs of adjacent cut points.
class stage_iterator {
 public:
  using value_type = interval;
  using difference_type = std::ptrdiff_t;

  constexpr stage_iterator() noexcept = default;
  explicit constexpr stage_iterator(const std::size_t* point) noexcept : point_(point) {}

  [[nodiscard]] constexpr interval operator*() const noexcept { return {point_[0], point_[1]}; }
  constexpr stage_iterator& operator++() noexcept {
    ++point_;
    return *this;
  }
  constexpr stage_iterator operator++(int) noexcept { return stage_iterator(point_++); }
  friend constexpr bool operator==(stage_iterator, stage_iterator) = default;

 private:
  const std::size_t* point_ = nullptr;
};

}  // namespace detail

/// Cuts of a chain of n items into k stages: the cut points `0 = c[0] < c[1] < … < c[k] = n`.
///
/// Stage s is `[c[s], c[s+1])`; `for (interval stage : cuts)` iterates over the stages.
///
/// Always valid: every setter checks first, in O(k), or O(n) from an assignment. Adjacent points may be equal only with
/// `empty_stages::allowed`. Compares lexicographically. Default: no items, no stages.
class cuts {
 public:
  /// No items, no stages.
  cuts();

  /// From all k + 1 cut points.
  /// @throws argument_error if they do not start at 0 or do not increase, naming the first wrong one
  explicit cuts(std::vector<std::size_t> points, empty_stages empty = empty_stages::forbidden)
      : points_(std::move(points)) {
    check("points", points_, empty);
  }
  /// As above, from a list.
  cuts(std::initializer_list<std::size_t> points) : cuts(std::vector<std::size_t>(points)) {}

  /// From the number of items of every stage.
  /// @throws argument_error if a stage is empty and may not be
  [[nodiscard]] static cuts from_sizes(view<const std::size_t> sizes, empty_stages empty = empty_stages::forbidden);
  /// As above, from a list.
  [[nodiscard]] static cuts from_sizes(std::initializer_list<std::size_t> sizes) { return from_sizes(view(sizes)); }

  /// From the k - 1 boundaries between stages, for a chain of `items` items.
  /// @throws argument_error if they do not increase strictly between 0 and `items`
  [[nodiscard]] static cuts from_boundaries(std::size_t items, view<const std::size_t> boundaries,
                                            empty_stages empty = empty_stages::forbidden);
  /// As above, from a list.
  [[nodiscard]] static cuts from_boundaries(std::size_t items, std::initializer_list<std::size_t> boundaries) {
    return from_boundaries(items, view(boundaries));
  }

  /// From the stage of every item: 0, then the same or the next stage.
  /// @throws argument_error at the first item whose stage is neither its predecessor's nor the next
  [[nodiscard]] static cuts from_assignment(view<const std::size_t> stages);
  /// As above, from a list.
  [[nodiscard]] static cuts from_assignment(std::initializer_list<std::size_t> stages) {
    return from_assignment(view(stages));
  }

  /// Replaces the cut points, checked as in the constructor; allocates only to grow.
  void assign(view<const std::size_t> points, empty_stages empty = empty_stages::forbidden);

  /// Number of stages k.
  [[nodiscard]] std::size_t stages() const noexcept { return points_.empty() ? 0 : points_.size() - 1; }
  /// Number of items n.
  [[nodiscard]] std::size_t items() const noexcept { return points_.empty() ? 0 : points_.back(); }

  /// Cut point s.
  /// @pre `s <= stages()`
  [[nodiscard]] std::size_t operator[](std::size_t s) const noexcept { return points_[s]; }

  /// All cut points, of length k + 1.
  [[nodiscard]] view<const std::size_t> points() const noexcept { return points_; }

  /// The items of stage s.
  /// @pre `s < stages()`
  [[nodiscard]] interval stage(std::size_t s) const noexcept { return {points_[s], points_[s + 1]}; }

  /// All stages in order, as a forward range of `interval`; valid until the object changes.
  /// @{
  using iterator = detail::stage_iterator;
  using const_iterator = iterator;
  using value_type = interval;
  [[nodiscard]] iterator begin() const noexcept { return iterator(points_.data()); }
  [[nodiscard]] iterator end() const noexcept { return iterator(points_.data() + stages()); }
  /// @}

  /// The boundaries between stages, of length k - 1.
  [[nodiscard]] view<const std::size_t> boundaries() const noexcept {
    return stages() < 2 ? view<const std::size_t>() : points().slice(1, stages());
  }

  /// The number of items of every stage, of length k.
  [[nodiscard]] std::vector<std::size_t> sizes() const;

  /// The stage of every item, of length n.
  [[nodiscard]] std::vector<std::size_t> assignment() const;

  /// Lexicographic.
  /// @{
  friend bool operator==(const cuts&, const cuts&) = default;
  friend auto operator<=>(const cuts&, const cuts&) = default;
  /// @}

 private:
  static std::string element(std::string_view name, std::size_t index);

  /// Names the first wrong element of the caller's `argument`, whose cut points are `points`.
  static void check(std::string_view argument, view<const std::size_t> points, empty_stages empty);

  std::vector<std::size_t> points_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/cuts.ipp>
#endif
