// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/text.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A number with four digits that count.
[[nodiscard]] STAGECUT_DECL std::string figure(double value);

}  // namespace detail

/// A unit in which the figures of a picture are shown.
struct data_unit {
  double size = 1;        ///< of one, in the unit of the data
  const char* name = "";  ///< stands behind a number; empty: none
};

/// The unit in which times up to `longest` are shown: s, ms, µs or ns.
/// @param seconds  whether they are seconds; else they have no unit
[[nodiscard]] STAGECUT_DECL data_unit time_unit(double longest, bool seconds);

/// The unit in which amounts of memory up to `most` are shown: B to PiB, each 1024 of the one before.
/// @param bytes  whether they are bytes; else they have no unit
[[nodiscard]] STAGECUT_DECL data_unit memory_unit(double most, bool bytes);

/// An amount in a unit, with the four digits that count: `12.3 ms`, `4`.
[[nodiscard]] inline std::string amount_text(double amount, const data_unit& unit) {
  return detail::joined({detail::figure(amount / unit.size), *unit.name == '\0' ? "" : " ", unit.name});
}

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/data_unit.ipp>
#endif
