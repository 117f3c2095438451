// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/detail/variant_stage_table.hpp>

#include <cstddef>
#include <cstdint>

#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void variant_stage_table::clear() {
  slots_.assign(64, 0);
  facts_.clear();
}

STAGECUT_DECL variant_stage_facts* variant_stage_table::find(const variant_stage_key& key) {
  if (slots_.empty()) return nullptr;
  for (std::size_t at = place(key);; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at] == 0) return nullptr;
    if (facts_[slots_[at] - 1].key == key) return &facts_[slots_[at] - 1];
  }
}

STAGECUT_DECL variant_stage_facts* variant_stage_table::put(variant_stage_facts& facts) {
  if (facts_.size() == most) return nullptr;
  if (2 * (facts_.size() + 1) > slots_.size()) enlarge();
  facts_.push_back(facts);
  enter(facts_.size());
  return &facts_.back();
}

STAGECUT_DECL std::size_t variant_stage_table::place(const variant_stage_key& key) const noexcept {
  std::uint64_t x = (std::uint64_t{key.first} << 32U | key.last) * 0x9e3779b97f4a7c15U;
  x ^= (std::uint64_t{key.ways} << 32U | key.replicas) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 30U)) * 0x94d049bb133111ebU;
  return static_cast<std::size_t>(x ^ (x >> 31U)) & (slots_.size() - 1);
}

STAGECUT_DECL void variant_stage_table::enter(std::size_t number) {
  std::size_t at = place(facts_[number - 1].key);
  while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = static_cast<std::uint32_t>(number);
}

STAGECUT_DECL void variant_stage_table::enlarge() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
  for (std::size_t number = 1; number <= facts_.size(); ++number) enter(number);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
