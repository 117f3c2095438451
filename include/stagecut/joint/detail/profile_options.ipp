// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/profile_options.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL bool profile_options::is_whole() const {
  bool whole = true;
  for (std::size_t last = 1; last <= size(); ++last) {
    each_mixtures(last, [&](std::size_t, const detail::stage_mixtures* all) {
      for (std::size_t w = 0; w < choices_.tensor_parallel.size(); ++w) whole = whole && all[w].is_whole();
      return whole;
    });
  }
  return whole;
}

STAGECUT_DECL std::vector<std::size_t> profile_options::mixture(std::size_t first, std::size_t last,
                                                                const stage_option& option) const {
  return mixture_of(layers_of(first, last), option);
}

STAGECUT_DECL std::vector<std::size_t> profile_options::layers_of(std::size_t first, std::size_t last) {
  std::vector<std::size_t> result;
  for (std::size_t i = first; i < last; ++i) result.push_back(i);
  return result;
}

STAGECUT_DECL void profile_options::keep() {
  const std::size_t all = size() * (size() + 1) / 2 * choices_.tensor_parallel.size();
  if (all > most_kept) return;
  std::vector<detail::stage_mixtures> kept;
  kept.reserve(all);
  for (std::size_t last = 1; last <= size(); ++last) {
    each_mixtures(last, [&](std::size_t, const detail::stage_mixtures* here) {
      for (std::size_t w = 0; w < choices_.tensor_parallel.size(); ++w) kept.push_back(here[w]);
      return true;
    });
  }
  kept_ = std::move(kept);
}

STAGECUT_DECL bool profile_options::may_be(std::size_t first, std::size_t last) const {
  if (!bonds_.may_cut(first) || !bonds_.may_cut(last)) return false;
  return !choices_.allowed || choices_.allowed(first, last);
}

}  // namespace stagecut::inline STAGECUT_ABI
