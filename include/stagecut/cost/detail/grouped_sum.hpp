// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

// The order in which stagecut adds floating-point items. Items form groups of eight from the first item on; a group is
// summed as ((x0+x1)+(x2+x3)) + ((x4+x5)+(x6+x7)) and then added to the sum of all previous groups. The sum of the first
// j items of a group follows the same tree: x0, x0+x1, (x0+x1)+x2, (x0+x1)+(x2+x3), ….
//
// Unlike left-to-right order, only one addition per eight items depends on the previous one, so the machine reads at
// memory speed; and rounding errors grow with n/8. Each prefix is a sum to which a non-negative number was added last, so
// prefixes never decrease. Only additions occur, which cannot be contracted, and `as_computed` keeps their order under
// `-ffast-math`: the vector code below and the plain code give the same bits everywhere.

inline constexpr std::size_t group_size = 8;

/// out[j] = before + (x[0] + … + x[j]) for one group.
template <class T>
constexpr void scan_group(double before, const T* x, double* out) noexcept {
  const auto at = [x](std::size_t j) { return static_cast<double>(x[j]); };
  const double s1 = as_computed(at(0) + at(1));
  const double s3 = as_computed(s1 + as_computed(at(2) + at(3)));
  const double t5 = as_computed(at(4) + at(5));
  out[0] = before + at(0);
  out[1] = before + s1;
  out[2] = before + as_computed(s1 + at(2));
  out[3] = before + s3;
  out[4] = before + as_computed(s3 + at(4));
  out[5] = before + as_computed(s3 + t5);
  out[6] = before + as_computed(s3 + as_computed(t5 + at(6)));
  out[7] = before + as_computed(s3 + as_computed(t5 + as_computed(at(6) + at(7))));
}

/// before + x[0] + … + x[7], the last value of `scan_group`; `x` is a pointer, or is indexed like one.
template <class Items>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr double add_group(double before, Items x) noexcept {
  const auto pair = [x](std::size_t j) {
    return as_computed(static_cast<double>(x[j]) + static_cast<double>(x[j + 1]));
  };
  return as_computed(before + as_computed(as_computed(pair(0) + pair(2)) + as_computed(pair(4) + pair(6))));
}

/// The first item of `x[0, n)` at which the sum is infinite.
/// @pre there is one
template <class T>
[[nodiscard]] constexpr std::size_t first_overflow(const T* x, std::size_t n) noexcept {
  double before = 0;
  for (std::size_t first = 0; first < n; first += group_size) {
    T group[group_size] = {};
    double sums[group_size];
    for (std::size_t j = 0; j < group_size && first + j < n; ++j) group[j] = x[first + j];
    scan_group(before, group, sums);
    for (std::size_t j = 0; j < group_size; ++j) {
      if (!is_finite(sums[j])) return first + j;
    }
    before = sums[group_size - 1];
  }
  return n;
}

/// `add_group` over consecutive groups. Ors the items' bits into `signs`: its sign bit stays clear if no item is
/// negative.
template <class T>
[[nodiscard]] constexpr double add_groups(double before, const T* x, std::size_t groups,
                                          std::uint64_t& signs) noexcept {
  for (const T* const end = x + groups * group_size; x != end; x += group_size) {
    for (std::size_t j = 0; j < group_size; ++j) signs |= std::bit_cast<std::uint64_t>(static_cast<double>(x[j]));
    before = add_group(before, x);
  }
  return before;
}

/// `scan_group` over consecutive groups; returns the last sum. `Streaming` allows non-temporal stores.
/// @pre `out` is aligned to 64 bytes
template <bool Streaming, class T>
constexpr double scan_groups(double before, const T* x, std::size_t groups, double* out,
                             std::uint64_t& signs) noexcept {
  for (const T* const end = x + groups * group_size; x != end; x += group_size, out += group_size) {
    for (std::size_t j = 0; j < group_size; ++j) {
      signs |= std::bit_cast<std::uint64_t>(static_cast<double>(x[j]));
    }
    scan_group(before, x, out);
    before = out[group_size - 1];
  }
  return before;
}

// The same for doubles, one vector at a time. One call handles a whole pass or block: inlined into a larger loop, g++ 12
// spills the registers of these loops or reorders their stores.

using two = double __attribute__((vector_size(16)));
using two_bits = std::int64_t __attribute__((vector_size(16)));

[[nodiscard, gnu::always_inline]] inline two load(const double* x) noexcept {
  two result;
  __builtin_memcpy(&result, x, sizeof result);
  return result;
}

[[nodiscard, gnu::noinline]] inline double add_groups(double before, const double* x, std::size_t groups,
                                                      std::uint64_t& signs) noexcept {
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

/// Writes a vector to aligned memory; with non-temporal stores if `Streaming` and the compiler supports them.
template <bool Streaming, class Vector>
[[gnu::always_inline]] inline void store(double* out, const Vector& sums) noexcept {
  if constexpr (Streaming) {
#if defined(__clang__)
    __builtin_nontemporal_store(sums, reinterpret_cast<Vector*>(out));
#elif defined(__AVX__)
    __builtin_ia32_movntpd256(out, sums);
#elif defined(__SSE2__)
    __builtin_ia32_movntpd(out, sums);
#else
    __builtin_memcpy(out, &sums, sizeof sums);
#endif
  } else {
    __builtin_memcpy(out, &sums, sizeof sums);
  }
}

#if defined(__AVX__)

using four = double __attribute__((vector_size(32)));
using four_bits = std::int64_t __attribute__((vector_size(32)));

template <bool Streaming>
[[gnu::noinline]] inline double scan_groups(double before, const double* x, std::size_t groups, double* out,
                                            std::uint64_t& signs) noexcept {
  const four zero = {};
  four_bits bits = {};
  four sum = {before, before, before, before};
  for (const double* const end = x + groups * group_size; x != end; x += group_size, out += group_size) {
    // Halves do not cross cache lines if `malloc` aligned the items to 16 bytes.
    four a = __builtin_shufflevector(load(x), load(x + 2), 0, 1, 2, 3);
    four b = __builtin_shufflevector(load(x + 4), load(x + 6), 0, 1, 2, 3);
    bits |= reinterpret_cast<four_bits>(a) | reinterpret_cast<four_bits>(b);
    a = as_computed(a + __builtin_shufflevector(a, zero, 4, 0, 4, 2));  // x0, x0+x1, x2, x2+x3
    b = as_computed(b + __builtin_shufflevector(b, zero, 4, 0, 4, 2));
    a = as_computed(a + __builtin_shufflevector(a, zero, 4, 4, 1, 1));  // s0, s1, s2, s3
    b = as_computed(b + __builtin_shufflevector(b, zero, 4, 4, 1, 1));  // t4, t5, t6, t7
    b = as_computed(b + __builtin_shufflevector(a, a, 3, 3, 3, 3));
    a = as_computed(a + sum);
    b = as_computed(b + sum);
    store<Streaming>(out, a);
    store<Streaming>(out + 4, b);
    sum = __builtin_shufflevector(b, b, 3, 3, 3, 3);
  }
  signs |= static_cast<std::uint64_t>(bits[0] | bits[1] | bits[2] | bits[3]);
  if constexpr (Streaming) __builtin_ia32_sfence();  // before another thread can learn of the sums
  return sum[0];
}

#else

template <bool Streaming>
[[gnu::noinline]] inline double scan_groups(double before, const double* x, std::size_t groups, double* out,
                                            std::uint64_t& signs) noexcept {
  const two zero = {};
  two_bits bits = {};
  two sum = {before, before};
  for (const double* const end = x + groups * group_size; x != end; x += group_size, out += group_size) {
    two a = load(x);
    two b = load(x + 2);
    two c = load(x + 4);
    two d = load(x + 6);
    bits |= (reinterpret_cast<two_bits>(a) | reinterpret_cast<two_bits>(b)) |
            (reinterpret_cast<two_bits>(c) | reinterpret_cast<two_bits>(d));
    a = as_computed(a + __builtin_shufflevector(a, zero, 2, 0));  // x0, x0+x1
    b = as_computed(b + __builtin_shufflevector(b, zero, 2, 0));
    c = as_computed(c + __builtin_shufflevector(c, zero, 2, 0));
    d = as_computed(d + __builtin_shufflevector(d, zero, 2, 0));
    b = as_computed(b + __builtin_shufflevector(a, a, 1, 1));  // s2, s3
    d = as_computed(d + __builtin_shufflevector(c, c, 1, 1));  // t6, t7
    const two s3 = __builtin_shufflevector(b, b, 1, 1);
    store<Streaming>(out, as_computed(sum + a));
    store<Streaming>(out + 2, as_computed(sum + b));
    store<Streaming>(out + 4, as_computed(sum + as_computed(s3 + c)));
    d = as_computed(sum + as_computed(s3 + d));
    store<Streaming>(out + 6, d);
    sum = __builtin_shufflevector(d, d, 1, 1);
  }
  signs |= static_cast<std::uint64_t>(bits[0] | bits[1]);
#if defined(__SSE2__)
  if constexpr (Streaming) __builtin_ia32_sfence();  // before another thread can learn of the sums
#endif
  return sum[0];
}

#endif

}  // namespace stagecut::inline STAGECUT_ABI::detail
