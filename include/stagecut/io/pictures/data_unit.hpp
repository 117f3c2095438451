// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/text.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A number with four significant digits.
[[nodiscard]] STAGECUT_DECL std::string figure(double value);

}  // namespace detail

/// The unit of the figures in a picture.
struct data_unit {
  double size = 1;        ///< one unit, in the unit of the data
  const char* name = "";  ///< after the number; empty: none
};

/// The unit for times up to `longest`: s, ms, µs or ns.
/// @param seconds  whether times are in seconds; else they have no unit
[[nodiscard]] STAGECUT_DECL data_unit time_unit(double longest, bool seconds);

/// The unit for amounts of memory up to `most`: B to PiB, each 1024 times the previous one.
/// @param bytes  whether amounts are in bytes; else they have no unit
[[nodiscard]] STAGECUT_DECL data_unit memory_unit(double most, bool bytes);

/// An amount in a unit, with four significant digits: `12.3 ms`, `4`.
[[nodiscard]] inline std::string amount_text(double amount, const data_unit& unit) {
  return detail::joined({detail::figure(amount / unit.size), *unit.name == '\0' ? "" : " ", unit.name});
}

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/data_unit.ipp>
#endif
