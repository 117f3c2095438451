// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/detail/grouped_sum.hpp>

#include <cstddef>
#include <cstdint>

#include <stagecut/core/arithmetic.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL two load(const double* x) noexcept {
  two result;
  __builtin_memcpy(&result, x, sizeof result);
  return result;
}

STAGECUT_DECL double add_groups(double before, const double* x, std::size_t groups, std::uint64_t& signs) noexcept {
  two_bits bits = {};
  for (const double* const end = x + groups * group_size; x != end; x += group_size) {
    const two a = load(x);
    const two b = load(x + 2);
    const two c = load(x + 4);
    const two d = load(x + 6);
    bits |= (reinterpret_cast<two_bits>(a) | reinterpret_cast<two_bits>(b)) |
            (reinterpret_cast<two_bits>(c) | reinterpret_cast<two_bits>(d));
    const two p =
        as_computed(__builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3));  // x0+x1, x2+x3
    const two q =
        as_computed(__builtin_shufflevector(c, d, 0, 2) + __builtin_shufflevector(c, d, 1, 3));  // x4+x5, x6+x7
    const two r =
        as_computed(__builtin_shufflevector(p, q, 0, 2) + __builtin_shufflevector(p, q, 1, 3));  // both halves
    before = as_computed(before + as_computed(r[0] + r[1]));
  }
  signs |= static_cast<std::uint64_t>(bits[0] | bits[1]);
  return before;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
