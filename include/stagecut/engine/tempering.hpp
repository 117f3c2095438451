// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// -ln(u) of the midpoints of 1024 equal parts of [0, 1], largest first. Computed at compile time, without fused
/// operations or library calls, so that all machines have the same numbers.
///
/// ln(u) = k ln 2 + 2 artanh((f - 1) / (f + 1)) for u = 2^k f, f in [1/2, 1): twelve terms leave an error below 2^-40.
inline constexpr auto minus_logarithms = [] {
  std::array<double, 1024> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    double f = (static_cast<double>(i) + 0.5) / static_cast<double>(table.size());
    double sum = 0;
    for (; f < 0.5; f *= 2) sum += 0.6931471805599453;
    const double z = (1 - f) / (1 + f);
    double power = 2 * z;
    for (int n = 1; n < 26; n += 2, power *= z * z) sum += power / n;
    table[i] = sum;
  }
  return table;
}();

/// How much worse a walk at temperature 1 may get in a move: -ln(u), so that a move worse by d is accepted with
/// probability exp(-d). For other temperatures multiply by them.
///
/// Source: N. Metropolis et al., Equation of state calculations by fast computing machines, J. Chem. Phys. 1953.
[[nodiscard]] inline double metropolis(detail::random_bits& random) {
  return minus_logarithms[random.below(minus_logarithms.size())];
}

/// Whether two chains of parallel tempering exchange their temperatures: always if the warmer one has the smaller
/// value, otherwise at random.
/// @param limit  an element of `minus_logarithms`
[[nodiscard]] STAGECUT_HOST_DEVICE inline bool exchange(double cold_value, double warm_value, double cold, double warm,
                                                        double limit) {
  return !((warm_value - cold_value) * (1 / cold - 1 / warm) > limit);
}

/// The penalty of a chain, as a share of the makespan, for a rank that holds twice its limit: low prices pass through
/// violations more easily, high ones end at allowed cuts. One of four, the same for runs of four chains.
[[nodiscard]] STAGECUT_HOST_DEVICE inline double excess_price(std::size_t chain) {
  return 0.25 * static_cast<double>(1U << (chain / 4 % 4));
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
