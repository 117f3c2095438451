// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <stagecut/search/strided_view.hpp>

/// Mass evaluation of candidates, under a Thrust policy: spaces, evaluators, searches.
namespace stagecut::inline STAGECUT_ABI::search {

/// A candidate: its cut points, or whatever numbers its space uses.
using candidate = strided_view<const std::uint32_t>;
/// Memory for one candidate.
using candidate_room = strided_view<std::uint32_t>;

/// A set of candidates numbered from 0: a search decodes an index where it evaluates the candidate, also on a device.
///
/// Valid expressions, for `s` of type `const S`:
///   `s.size()`                number of candidates, at most 2^64 - 1, which also stands for more
///   `s.points()`              number of elements of each candidate
///   `s.decode(index, room)`   writes the elements of a candidate; pure; `room` holds `points()` of them
///
/// A space that owns arrays has `s.placed(memory)`: an equivalent, trivially copyable decoder that reads its arrays
/// where `memory(view<const T>) -> view<const T>` has put them. A space without it is trivially copyable itself.
///
/// Optional, for hosts: `s.walk(index, room)`, an object whose constructor decodes as above and whose `next()` writes
/// the next candidate into the same memory.
template <class S>
concept candidate_space = requires(const S& s, std::uint64_t index, candidate_room room) {
  { s.size() } -> std::convertible_to<std::uint64_t>;
  { s.points() } -> std::convertible_to<std::size_t>;
  s.decode(index, room);
};

namespace detail {

/// Decodes one candidate after the other.
template <class S>
class each_candidate {
 public:
  each_candidate(const S& space, std::uint64_t index, candidate_room room) : space_(space), index_(index), room_(room) {
    space_.decode(index_, room_);
  }
  void next() { space_.decode(++index_, room_); }

 private:
  const S& space_;
  std::uint64_t index_;
  candidate_room room_;
};

/// Iterates over the candidates of a space from an index on.
template <class S>
[[nodiscard]] auto walk(const S& space, std::uint64_t index, candidate_room room) {
  if constexpr (requires { space.walk(index, room); }) {
    return space.walk(index, room);
  } else {
    return each_candidate<S>(space, index, room);
  }
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::search
