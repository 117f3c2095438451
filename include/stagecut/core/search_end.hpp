// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What ended a search.
enum class search_end : std::uint8_t {
  complete,    ///< a proof, or a heuristic did all that it does
  node_limit,  ///< `search_options::node_limit`, for the search or for a part of it
  time_limit,  ///< `search_options::time_limit`, as above
  stopped      ///< `search_options::stop`
};

/// The words for what ended a search.
inline constexpr named<search_end> search_end_names[] = {{"complete", search_end::complete},
                                                         {"node limit", search_end::node_limit},
                                                         {"time limit", search_end::time_limit},
                                                         {"stopped", search_end::stopped}};

/// The name of what ended a search.
[[nodiscard]] constexpr const char* to_string(search_end end) noexcept {
  return stagecut::name_of(search_end_names, end);
}

namespace detail {

/// Records what ended a search. Of several reasons the later one in `search_end` stays.
inline void record_end(search_end* ended, search_end why) noexcept {
  if (ended != nullptr && *ended < why) *ended = why;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
