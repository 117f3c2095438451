// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Sorts `size` elements from `first` on; `left` is room to work in.
template <class Element, class Less>
void sort_part(Element* first, std::size_t size, const Less& less, std::vector<Element>& left) {
  if (size <= 16) {  // few are sorted fastest one by one
    for (std::size_t i = 1; i < size; ++i) {
      if (!less(first[i], first[i - 1])) continue;
      Element moved = std::move(first[i]);
      std::size_t place = i;
      for (; place > 0 && less(moved, first[place - 1]); --place) first[place] = std::move(first[place - 1]);
      first[place] = std::move(moved);
    }
    return;
  }
  const std::size_t half = size / 2;
  detail::sort_part(first, half, less, left);
  detail::sort_part(first + half, size - half, less, left);
  if (!less(first[half], first[half - 1])) return;
  left.clear();
  for (std::size_t i = 0; i < half; ++i) left.push_back(std::move(first[i]));
  std::size_t from_left = 0;
  std::size_t from_right = half;
  for (std::size_t i = 0; from_left < half; ++i) {
    const bool right = from_right < size && less(first[from_right], left[from_left]);
    first[i] = std::move(right ? first[from_right++] : left[from_left++]);
  }
}

/// Sorts by `less`; what is equal keeps its order. `<algorithm>` would be 9,000 lines more for every includer.
///
/// O(n log n) comparisons and moves, and O(n) memory for more than 16 elements.
template <class Element, class Less>
void sort(std::vector<Element>& elements, const Less& less) {
  std::vector<Element> left;
  if (elements.size() > 16) left.reserve(elements.size() / 2);
  detail::sort_part(elements.data(), elements.size(), less, left);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
