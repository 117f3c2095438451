// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL std::string bytes_text(std::size_t bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  std::string text = joined({bytes, bytes == 1 ? " byte" : " bytes"});
  std::size_t unit = 0;
  std::size_t power = 10;
  while (unit < 4 && (bytes >> (power + 10)) != 0) ++unit, power += 10;
  if ((bytes >> power) == 0) return text;
  const std::size_t tenths = ((bytes & ((std::size_t{1} << power) - 1)) >> (power - 10)) * 10 >> 10U;
  return joined({text, " (", bytes >> power, ".", tenths, " ", units[unit], ")"});
}

}  // namespace detail

STAGECUT_DECL std::string reason::text() const {
  switch (what) {
    case cause::more_stages_than_layers:
      return with_remedy(
          detail::joined({needed, " stages need at least ", needed, " layers, and there are ", available}));
    case cause::constraint:
      return with_remedy(detail::joined({"no cut keeps to the constraint", place.empty() ? "" : ": ", place}));
    case cause::layer_too_large:
    case cause::memory:
      return with_remedy(detail::joined({place, " needs at least ", detail::bytes_text(needed), ", and a device has ",
                                         detail::bytes_text(available)}));
    case cause::none_of_several: return with_remedy(detail::joined({"none of ", needed, " combinations: ", place}));
    case cause::no_candidate: return with_remedy("there is no candidate to choose from");
    case cause::limit_reached: break;
  }
  return "a limit was reached before an answer was found";
}

}  // namespace stagecut::inline STAGECUT_ABI
