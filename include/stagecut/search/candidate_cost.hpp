// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// An evaluator that uses scratch memory provided by the caller.
template <class E>
concept has_room = requires(const E& e) {
  typename E::number;
  { e.room() } -> std::convertible_to<std::size_t>;
};

/// Its cost of a candidate, in scratch memory if it needs some.
template <class E>
struct candidate_result {};
template <class E>
requires(!has_room<E>) && requires(const E& e) { e(candidate()); }
struct candidate_result<E> {
  using type = std::remove_cvref_t<decltype(std::declval<const E&>()(candidate()))>;
};
template <has_room E>
requires requires(const E& e) { e(candidate(), strided_view<typename E::number>()); }
struct candidate_result<E> {
  using type = std::remove_cvref_t<decltype(std::declval<const E&>()(candidate(), strided_view<typename E::number>()))>;
};

}  // namespace detail

/// The type of the costs of an evaluator.
template <class E>
using candidate_cost_t = typename detail::candidate_result<E>::type;

/// The cost of a candidate, also on a device. Valid expressions, for `e` of type `const E`:
///   `e(candidate)`         its cost, trivially copyable, not `bool`, ordered by `<`, never NaN; pure
/// or, for one that uses scratch memory,
///   `typename E::number`   the type of its elements
///   `e.room()`             the number of elements
///   `e(candidate, room)`   the cost; `room` is an uninitialized `strided_view<E::number>`
///
/// On a device this memory is the fast memory of a group of threads, where the evaluator's own arrays would not be.
///
/// Optional: `e.lanes()`, which evaluates several candidates at once on a host: an object `l` with a constant `width`,
/// `l.set(lane, candidate)`, and `l.costs()`, one per lane that was set, equal to the results of the call;
/// `e.placed(memory)` as for a `candidate_space`; on hosts `e.check(candidate)`, which throws if it cannot evaluate the
/// candidate: searches call it for the first of their range; and, for devices only, `e.call_parts()`, which calls the
/// parts of the evaluator and is never run, so that a CUDA compiler rejects unmarked parts.
template <class E>
concept candidate_cost = requires(const E& e) {
  typename candidate_cost_t<E>;
  requires std::copyable<candidate_cost_t<E>>;
  requires std::is_trivially_copyable_v<candidate_cost_t<E>> && !std::is_same_v<candidate_cost_t<E>, bool>;
  { std::declval<candidate_cost_t<E>>() < std::declval<candidate_cost_t<E>>() } -> std::convertible_to<bool>;
};

namespace detail {

template <class E>
concept has_lanes = requires(const E& e) {
  e.lanes();
};

/// An evaluator that validates candidates.
template <class E>
concept has_check = requires(const E& e, candidate points) {
  e.check(points);
};

/// Lets the evaluator reject a candidate.
template <class E>
void check_candidate(const E& e, candidate points) {
  if constexpr (has_check<E>) e.check(points);
}

template <class E>
struct number_of {
  using type = char;
};
template <has_room E>
struct number_of<E> {
  using type = typename E::number;
};
/// The element type of an evaluator's scratch memory; `char` if it uses none.
template <class E>
using number_t = typename number_of<E>::type;

/// The number of elements that it needs.
STAGECUT_CALLS_ANY
template <class E>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t room_of(const E& e) {
  if constexpr (has_room<E>) return e.room();
  return 0;
}

/// The cost of a candidate.
/// @param room  `room_of(e)` elements
STAGECUT_CALLS_ANY
template <class E>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto cost_of(const E& e, candidate points,
                                                          strided_view<number_t<E>> room) {
  if constexpr (has_room<E>) {
    return e(points, room);
  } else {
    return e(points);
  }
}

/// Calls an evaluator from device-only code, where a CUDA compiler rejects unmarked code: the evaluator and its parts,
/// which are otherwise silently dropped from kernels. Never run.
template <class E>
STAGECUT_DEVICE void call_on_device(const E& e) {
  if constexpr (requires { e.call_parts(); }) e.call_parts();
  if constexpr (has_room<E>) {
    static_cast<void>(e.room());
    static_cast<void>(e(candidate(), strided_view<number_t<E>>()));
  } else {
    static_cast<void>(e(candidate()));
  }
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::search
