// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/detail/grouped_sum.hpp>
#include <stagecut/cost/item_sums.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The costs of `block_sums`, from arrays stored elsewhere.
template <arithmetic T, sum_type Sum, std::size_t BlockSize>
struct placed_block_sums {
  using axioms = stagecut::axioms<additive>;

  view<const T> items;
  view<const Sum> starts;  ///< the sum before every block
  Sum total;

  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t size() const noexcept { return items.size(); }
  [[nodiscard]] STAGECUT_HOST_DEVICE Sum prefix(std::size_t i) const noexcept {
    if (i == items.size()) return total;
    const std::size_t block = i / BlockSize;
    Sum sum = starts[block];
    std::size_t next = block * BlockSize;
    if constexpr (integer<Sum>) {
      for (; next < i; ++next) sum = static_cast<Sum>(sum + static_cast<Sum>(items[next]));
    } else {
      for (; next + group_size <= i; next += group_size) sum = detail::add_group(sum, items.data() + next);
      if (next < i) sum = detail::add_group(sum, begun_group{items.data() + next, i - next});
    }
    return sum;
  }
  [[nodiscard]] STAGECUT_HOST_DEVICE Sum operator()(std::size_t first, std::size_t last) const noexcept {
    return static_cast<Sum>(detail::as_computed(prefix(last) - prefix(first)));
  }

 private:
  /// The first items of a group, and zeros.
  struct begun_group {
    const T* begin;
    std::size_t size;
    STAGECUT_HOST_DEVICE T operator[](std::size_t j) const noexcept { return j < size ? begin[j] : T{}; }
  };
};

}  // namespace detail

/// The cost of a stage as the sum of its items, over the caller's array: stores one prefix per block of 128 items and
/// adds the others on request. For large chains that are cut once: one read of the data, n/128 numbers of memory.
///
/// The same costs as `prefix_sums`, to the bit. A cost takes up to 128 additions, so `prefix_sums` is faster for stages
/// of less than some thousand items, or for many solves.
template <arithmetic T, sum_type Sum = sum_t<T>>
class block_sums {
 public:
  /// Its promise, and all that it implies.
  using axioms = stagecut::axioms<additive>;

  /// Items per block.
  static constexpr std::size_t block_size = 128;

  /// A chain without items.
  block_sums() = default;

  /// Sums the items of a contiguous container, which must outlive the model and so cannot be a temporary; see `assign`.
  /// @{
  template <summable_to<Sum> Container>
  explicit block_sums(const Container& items) {
    assign(items);
  }
  template <temporary_of<Sum> Container>
  explicit block_sums(Container&&) = delete;
  /// @}

  /// Replaces the items, and allocates only to grow.
  ///
  /// @param items  the cost of every item, finite and not negative, in a unit of the caller's choice; every call reads
  ///               them again, so they must not change while the model is used
  /// @throws       invalid_input naming the first item that is NaN, infinite or negative, or at which the sum
  ///               overflows; the object then holds no items
  ///
  /// Reads the items once.
  void assign(view<const T> items) {
    items_.value = {};
    total_ = Sum{};
    starts_.clear();
    starts_.reserve(items.size() / block_size + 2);
    Sum sum{};
    std::uint64_t signs = 0;
    for (std::size_t first = 0; first < items.size(); first += block_size) {
      const std::size_t last = least(first + block_size, items.size());
      starts_.push_back(sum);
      sum = add(sum, items, first, last, signs);
    }
    if ((signs >> 63U) != 0 || !is_finite(sum)) {
      detail::check_items(items);
      if (!is_finite(sum)) detail::fail_overflow(detail::first_overflow(items.data(), items.size()));
    }
    starts_.push_back(sum);
    total_ = sum;
    items_.value = items;
  }

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return items_.value.size(); }

  /// The sum of the first `i` items.
  /// @pre `i <= size()`
  [[nodiscard]] Sum prefix(std::size_t i) const noexcept {
    const std::size_t block = i / block_size;
    std::uint64_t ignored = 0;
    return i == size() ? total_ : add(starts_[block], items_.value, block * block_size, i, ignored);
  }

  /// The sum of the items `[first, last)`.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] Sum operator()(std::size_t first, std::size_t last) const noexcept {
    return static_cast<Sum>(detail::as_computed(prefix(last) - prefix(first)));
  }

  /// The smallest `i` in `[lowest, highest]` with `end - prefix(i) <= bound`, or `highest` if there is none; searched
  /// from `likely` on. O(log(n / 128) + 128).
  /// @pre `lowest <= highest && highest <= size()`
  [[nodiscard]] std::size_t lower_cut(Sum end, Sum bound, std::size_t lowest, std::size_t highest,
                                      std::size_t likely) const noexcept {
    if (lowest == highest) return highest;
    // The answer is in the last block whose start does not fit, or is the start of the next.
    const std::size_t block =
        detail::gallop(lowest / block_size + 1, highest / block_size + 1, likely / block_size + 1,
                       [&](std::size_t next) { return detail::as_computed(end - starts_[next]) <= bound; }) -
        1;
    // Then group by group, then item by item.
    Sum sum = starts_[block];
    std::size_t first = block * block_size;
    const std::size_t stop = least(highest, first + block_size);
    std::uint64_t ignored = 0;
    for (; first + detail::group_size <= stop; first += detail::group_size) {
      const Sum next = add(sum, items_.value, first, first + detail::group_size, ignored);
      if (first + detail::group_size >= lowest && detail::as_computed(end - next) <= bound) break;
      sum = next;
    }
    T group[detail::group_size] = {};
    for (std::size_t i = first; i < least(first + detail::group_size, size()); ++i) group[i - first] = items_.value[i];
    Sum sums[detail::group_size];
    scan(sum, group, sums);
    for (std::size_t j = 0; first < stop; ++j) {
      if (first >= lowest && detail::as_computed(end - sum) <= bound) break;
      sum = sums[j];
      ++first;
    }
    return first;
  }

  /// The same costs on copies of the items and the sums: see `memory_for`.
  template <class Memory>
  requires memory_for<Memory, T> && memory_for<Memory, Sum>
  [[nodiscard]] auto placed(Memory& memory) const {
    return detail::placed_block_sums<T, Sum, block_size>{memory(items_.value), memory(view<const Sum>(starts_)),
                                                         total_};
  }

 private:
  static constexpr std::size_t least(std::size_t a, std::size_t b) noexcept { return a < b ? a : b; }

  /// `before` plus the items `[first, last)`, where `first` starts a group. Integers are checked.
  static Sum add(Sum before, view<const T> items, std::size_t first, std::size_t last, std::uint64_t& signs) {
    if constexpr (integer<Sum>) {
      for (std::size_t i = first; i < last; ++i) detail::add_item(before, items[i], i);
      return before;
    } else {
      const std::size_t groups = (last - first) / detail::group_size;
      before = detail::add_groups(before, items.data() + first, groups, signs);
      first += groups * detail::group_size;
      if (first < last) {
        T rest[detail::group_size] = {};
        for (std::size_t i = first; i < last; ++i) rest[i - first] = items[i];
        before = detail::add_groups(before, rest, 1, signs);
      }
      return before;
    }
  }

  /// The sums of `before` and the first 1 to 8 items of a group.
  static void scan(Sum before, const T* group, Sum* sums) {
    if constexpr (integer<Sum>) {
      for (std::size_t j = 0; j < detail::group_size; ++j)
        sums[j] = before = static_cast<Sum>(before + static_cast<Sum>(group[j]));
    } else {
      detail::scan_group(before, group, sums);
    }
  }

  detail::empty_when_moved<view<const T>> items_;
  std::vector<Sum> starts_;
  Sum total_{};
};

/// The type, deduced from the argument.
template <class Container>
block_sums(const Container&) -> block_sums<element_t<Container>>;

}  // namespace stagecut::inline STAGECUT_ABI
