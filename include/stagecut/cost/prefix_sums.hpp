// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
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

/// Cache-line-aligned memory whose elements stay uninitialized until they are written.
template <class T>
struct line_allocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  line_allocator() = default;
  template <class U>
  constexpr line_allocator(const line_allocator<U>&) noexcept {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, alignment); }
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  friend bool operator==(line_allocator, line_allocator) = default;
};

/// The costs of `prefix_sums`, from sums stored elsewhere.
template <sum_type Sum>
struct placed_sums {
  using axioms = stagecut::axioms<additive>;

  view<const Sum> sums;  ///< of the first 1, 2, …, n items

  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t size() const noexcept { return sums.size(); }
  [[nodiscard]] STAGECUT_HOST_DEVICE Sum prefix(std::size_t i) const noexcept { return i == 0 ? Sum{} : sums[i - 1]; }
  [[nodiscard]] STAGECUT_HOST_DEVICE Sum operator()(std::size_t first, std::size_t last) const noexcept {
    return static_cast<Sum>(detail::as_computed(prefix(last) - prefix(first)));
  }
};

}  // namespace detail

/// The cost of a stage as the sum of its items, from stored prefix sums: built once in O(n), then every cost is one
/// subtraction. Reusable for any number of stages and any objective.
///
/// `Sum` is `double` or an integer type; deduced, the widest of the items' kind. Floating-point items are added in the
/// order of `grouped_sum.hpp`; the cost of `[i, j)` is *defined* as the rounded difference of two prefixes, which is
/// monotone, so algorithms are exact for it. It may differ from a fresh sum by a few units in the last place of the sum
/// of *all* items. `block_sums` gives the same costs to the bit. Integers are exact, with overflow detected. A moved-from
/// object holds no items.
template <sum_type Sum>
class prefix_sums {
 public:
  /// Its promise, and all that it implies.
  using axioms = stagecut::axioms<additive>;

  /// A chain without items.
  prefix_sums() = default;

  /// Sums the items of a contiguous container, in the container's unit; see `assign`.
  template <summable_to<Sum> Container>
  explicit prefix_sums(const Container& items) {
    assign(items);
  }
  /// As above, from a list.
  template <item_of<Sum> T>
  prefix_sums(std::initializer_list<T> items) {
    assign(items);
  }

  /// Replaces the items, and allocates only to grow.
  ///
  /// @param container  the cost of every item, finite and not negative, in a unit of the caller's choice
  /// @throws           invalid_input naming the first item that is NaN, infinite or negative, or at which the sum
  ///                   overflows; the object then holds no items
  ///
  /// O(n) additions; for large n at memory bandwidth.
  template <summable_to<Sum> Container>
  void assign(const Container& container) {
    const view<const element_t<Container>> items(container);
    const std::size_t n = items.size();
    size_.value = 0;
    const std::size_t needed = lead + 1 + (n + detail::group_size - 1) / detail::group_size * detail::group_size;
    if (storage_.size() < needed) storage_ = decltype(storage_)(needed);
    Sum* const prefix = storage_.data() + lead;
    prefix[0] = Sum{};
    if constexpr (integer<Sum>) {
      Sum sum{};
      for (std::size_t i = 0; i < n; ++i) {
        detail::add_item(sum, items[i], i);
        prefix[i + 1] = sum;
      }
    } else {
      scan(items, prefix + 1);
    }
    size_.value = n;
  }

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return size_.value; }

  /// The sum of the first `i` items.
  /// @pre `i <= size()`
  [[nodiscard]] Sum prefix(std::size_t i) const noexcept { return i == 0 ? Sum{} : storage_[lead + i]; }

  /// The sum of the items `[first, last)`.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] Sum operator()(std::size_t first, std::size_t last) const noexcept {
    return static_cast<Sum>(detail::as_computed(prefix(last) - prefix(first)));
  }

  /// The smallest `i` in `[lowest, highest]` with `end - prefix(i) <= bound`, or `highest` if there is none; searched
  /// from `likely` on. O(log n).
  /// @pre `lowest <= highest && highest <= size()`
  [[nodiscard]] std::size_t lower_cut(Sum end, Sum bound, std::size_t lowest, std::size_t highest,
                                      std::size_t likely) const noexcept {
    const Sum* const prefix = storage_.data() + lead;
    return detail::gallop(lowest, highest, likely,
                          [=](std::size_t i) { return detail::as_computed(end - prefix[i]) <= bound; });
  }

  /// The same costs on a copy of the sums: see `memory_for`.
  template <memory_for<Sum> Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    const view<const Sum> sums =
        storage_.empty() ? view<const Sum>() : view<const Sum>(storage_.data() + lead + 1, size());
    return detail::placed_sums<Sum>{memory(sums)};
  }

 private:
  // prefix(1) starts a cache line, so that whole lines are written.
  static constexpr std::size_t lead =
      static_cast<std::size_t>(detail::line_allocator<Sum>::alignment) / sizeof(Sum) - 1;
  // Above the size of a cache, non-temporal stores avoid reading the lines that are overwritten.
  static constexpr std::size_t streaming_bytes = std::size_t{16} << 20U;

  template <class T>
  void scan(view<const T> items, double* out) {
    const std::size_t groups = items.size() / detail::group_size;
    const std::size_t done = groups * detail::group_size;
    std::uint64_t signs = 0;
    double sum = items.size() * sizeof(double) < streaming_bytes
                     ? detail::scan_groups<false>(0.0, items.data(), groups, out, signs)
                     : detail::scan_groups<true>(0.0, items.data(), groups, out, signs);
    if (done < items.size()) {
      T rest[detail::group_size] = {};
      for (std::size_t i = done; i < items.size(); ++i) rest[i - done] = items[i];
      sum = detail::scan_groups<false>(sum, rest, 1, out + done, signs);
    }
    if ((signs >> 63U) != 0 || !is_finite(sum)) {
      detail::check_items(items);
      if (!is_finite(sum)) detail::fail_overflow(detail::first_overflow(items.data(), items.size()));
    }
  }

  std::vector<Sum, detail::line_allocator<Sum>> storage_;
  detail::empty_when_moved<std::size_t> size_;
};

/// The type, deduced from the argument.
template <class Container>
prefix_sums(const Container&) -> prefix_sums<sum_t<element_t<Container>>>;
/// The type, deduced from the argument.
template <arithmetic T>
prefix_sums(std::initializer_list<T>) -> prefix_sums<sum_t<T>>;

}  // namespace stagecut::inline STAGECUT_ABI
