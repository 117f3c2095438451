// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/parts/down_sets.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/load_work.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL down_set_family prefixes_of(view<const precedence::element> order) {
  down_set_family result;
  result.steps.reserve(order.size());
  result.end.reserve(order.size() + 2);
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.steps.push_back({order[i], static_cast<std::uint32_t>(i + 1)});
    result.end.push_back(i + 1);
  }
  result.end.push_back(order.size());
  return result;
}

STAGECUT_DECL std::optional<down_set_family> down_set_search::run(std::size_t most, const function_ref<bool()>& stop) {
  down_set_family result;
  layer now;
  now.bits.assign(words_, 0);
  now.hashes.assign(1, 0);
  now.ready.assign(words_, 0);
  for (std::size_t e = 0; e < below_.size(); ++e) {
    if (below_.predecessors(e).empty()) set(now.ready.data(), e);
  }
  for (std::size_t elements = 0; elements < below_.size(); ++elements) {
    layer next;
    const std::size_t first = result.size() + now.hashes.size();
    for (std::size_t i = 0; i < now.hashes.size(); ++i) {
      if (stop && result.size() % down_sets_at_once == 0 && stop()) return std::nullopt;
      grow(now, i, next, first, result);
      result.end.push_back(result.steps.size());
      if (first + next.hashes.size() > most || result.steps.size() / 8 > most) return std::nullopt;
    }
    now = std::move(next);
  }
  result.end.push_back(result.steps.size());
  return result;
}

STAGECUT_DECL std::uint64_t down_set_search::mixed(std::uint64_t x) noexcept {
  x *= 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

STAGECUT_DECL void down_set_search::grow(const layer& now, std::size_t i, layer& next, std::size_t first,
                                         down_set_family& result) {
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t left = now.ready[i * words_ + w]; left != 0; left &= left - 1) {
      const auto e = w * 64 + static_cast<std::size_t>(__builtin_ctzll(left));
      const std::size_t to = first + find(now, i, e, next);
      result.steps.push_back({static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(to)});
    }
  }
}

STAGECUT_DECL std::size_t down_set_search::find(const layer& now, std::size_t i, std::size_t e, layer& next) {
  if (2 * (next.hashes.size() + 1) > next.table.size()) enlarge(next);
  const std::uint64_t hash = now.hashes[i] ^ mix_[e];
  const std::size_t mask = next.table.size() - 1;
  std::size_t at = hash & mask;
  for (; next.table[at] != 0; at = (at + 1) & mask) {
    const std::size_t other = next.table[at] - 1;
    if (next.hashes[other] == hash && same(now, i, e, next, other)) return other;
  }
  const std::size_t number = next.hashes.size();
  next.table[at] = static_cast<std::uint32_t>(number + 1);
  next.hashes.push_back(hash);
  const auto copy = [&](const std::vector<std::uint64_t>& from, std::vector<std::uint64_t>& to) {
    for (std::size_t w = 0; w < words_; ++w) to.push_back(from[i * words_ + w]);
  };
  copy(now.bits, next.bits);
  copy(now.ready, next.ready);
  set(&next.bits[number * words_], e);
  next.ready[number * words_ + e / 64] &= ~(std::uint64_t{1} << (e % 64));
  for (const precedence::element to : below_.successors(e)) {
    if (holds_predecessors(&next.bits[number * words_], to)) set(&next.ready[number * words_], to);
  }
  return number;
}

STAGECUT_DECL bool down_set_search::same(const layer& now, std::size_t i, std::size_t e, const layer& next,
                                         std::size_t other) const {
  for (std::size_t w = 0; w < words_; ++w) {
    const std::uint64_t added = w == e / 64 ? std::uint64_t{1} << (e % 64) : 0;
    if ((now.bits[i * words_ + w] | added) != next.bits[other * words_ + w]) return false;
  }
  return true;
}

STAGECUT_DECL bool down_set_search::holds_predecessors(const std::uint64_t* bits, std::size_t e) const noexcept {
  for (const precedence::element from : below_.predecessors(e)) {
    if ((bits[from / 64] >> (from % 64) & 1) == 0) return false;
  }
  return true;
}

STAGECUT_DECL void down_set_search::enlarge(layer& next) {
  next.table.assign(next.table.empty() ? 64 : 2 * next.table.size(), 0);
  const std::size_t mask = next.table.size() - 1;
  for (std::size_t i = 0; i < next.hashes.size(); ++i) {
    std::size_t at = next.hashes[i] & mask;
    while (next.table[at] != 0) at = (at + 1) & mask;
    next.table[at] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
