// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The decoders of the middle stages, with several stages a device: the first has one less if the embedding counts as a
/// layer, the last one less if the loss does.
[[nodiscard]] inline std::size_t middle_decoders(const std::vector<std::size_t>& decoders) {
  return decoders.size() > 2 ? decoders[1] : std::max(decoders.front(), decoders.back());
}

/// Why these decoder counts cannot be expressed, where all stages or the middle ones are equal; empty: they can.
[[nodiscard]] inline std::string counts_obstacle(const std::vector<std::size_t>& decoders, std::size_t chunks) {
  const std::size_t stages = decoders.size();
  const auto differs = [&](std::size_t first, std::size_t last) {
    for (std::size_t s = first + 1; s < last; ++s) {
      if (decoders[s] != decoders[first]) return s;
    }
    return stages;
  };
  if (chunks != 1) {
    const std::size_t each = middle_decoders(decoders);
    for (std::size_t s = 0; s < stages; ++s) {
      const bool at_end = s == 0 || s + 1 == stages;
      if (decoders[s] == each || (at_end && decoders[s] + 1 == each)) continue;
      return joined({"stage ", s, " has ", decoders[s], " decoders and stage 1 has ", each, ", with ", chunks,
                     " stages on every device all are equal, but for one less on the first and the last;",
                     " format megatron can express it"});
    }
    return "";
  }
  if (stages <= 3 || differs(1, stages - 1) == stages) return "";
  std::size_t between = 0;
  std::string list;
  for (std::size_t s = 1; s + 1 < stages; ++s) {
    between += decoders[s];
    list.append(s == 1 ? "" : ", ").append(std::to_string(decoders[s]));
  }
  const std::size_t ranks = stages - 2;
  const std::string sum = joined({between + decoders.front() + decoders.back(), " - ", decoders.front(), " - ",
                                  decoders.back(), " = ", between, " decoders "});
  const std::string why = between % ranks != 0
                              ? joined({sum, "do not divide by the ", ranks, " ranks between the first and the last"})
                              : joined({sum, "would be ", between / ranks, " on each of the ", ranks,
                                        " ranks between the first and the last, and are ", list});
  return joined({why, "; format megatron can express it"});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
