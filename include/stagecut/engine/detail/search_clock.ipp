// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/search_clock.hpp>

#include <cstddef>

#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL bool search_clock::over() {
  if (over_ || state.nodes >= pause_) return true;
  if (spent_all()) return true;
  if (++asked_ % 16 != 1) return false;
  return look();
}

STAGECUT_DECL bool search_clock::spent_all() noexcept {
  if (!detail::spent_all(limits_, state.nodes)) return false;
  return over_ = true;
}

STAGECUT_DECL void search_clock::work(std::size_t choices) {
  choices_ += choices;
  state.nodes += choices_ / 100;
  choices_ %= 100;
}

STAGECUT_DECL bool search_clock::look() {
  spend();
  if (over_ || state.nodes >= pause_) return true;
  if (spent_all()) return true;
  over_ = end_.over();
  state.seconds = end_.seconds();
  if (end_.is_time_to_report()) tell();
  return over_;
}

STAGECUT_DECL void search_clock::spend() noexcept {
  if (limits_.nodes_spent == nullptr) return;
  *limits_.nodes_spent += state.nodes - spent_;
  spent_ = state.nodes;
}

STAGECUT_DECL void search_clock::tell() {
  state.seconds = end_.report();
  if (limits_.progress) limits_.progress(state);
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
