// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <stagecut/graph/load_request.hpp>

// The work of a search for the least load outside its rounds, in units of about 10 us each, so that it ends after equal
// work on every machine. Measured with graphs of 20 to 5,000 elements.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Changes of a set between two polls of `stop` by `load_program`, and their work.
inline constexpr std::size_t changes_at_once = 1024;
inline constexpr std::size_t work_of_changes = 10;

/// The work of `engine::ideal_search` between two polls of `stop`.
[[nodiscard]] constexpr std::size_t work_of_down_sets(std::size_t elements) noexcept { return 10 + elements / 50; }

/// The work of a minimum cut.
[[nodiscard]] constexpr std::size_t work_of_flow(std::size_t elements) noexcept { return 1 + elements / 100; }

/// The work of a round.
[[nodiscard]] constexpr std::size_t work_of_round(std::size_t elements) noexcept { return 500 + elements / 10 * 7; }

/// A quarter of the time.
[[nodiscard]] inline std::optional<double> quarter_of(const std::optional<double>& time_limit) {
  return time_limit ? std::optional(*time_limit / 4) : std::nullopt;
}

/// The work that takes as long as a part of the rounds, plus one round: small problems are proved under any limit. No
/// limit if time is limited, or rounds are not.
[[nodiscard]] inline std::size_t most_work(const search_options& limits, double part, std::size_t elements) noexcept {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  if (limits.time_limit || !limits.node_limit) return most;
  const double rounds = part * static_cast<double>(*limits.node_limit) + 1;
  const double result = rounds * static_cast<double>(work_of_round(elements));
  return result < 0x1p62 ? static_cast<std::size_t>(result) : most;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
