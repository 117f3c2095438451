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

/// An evaluator that works in room that it is given.
template <class E>
concept has_room = requires(const E& e) {
  typename E::number;
  { e.room() } -> std::convertible_to<std::size_t>;
};

/// Its cost of a candidate, in room if it asks for some.
template <class E>
[[nodiscard]] constexpr auto cost_type(const E& e) {
  if constexpr (has_room<E>) {
    return std::type_identity<std::remove_cvref_t<decltype(e(candidate(), strided_view<typename E::number>()))>>();
  } else {
    return std::type_identity<std::remove_cvref_t<decltype(e(candidate()))>>();
  }
}

}  // namespace detail

/// The type of the costs of an evaluator.
template <class E>
using candidate_cost_t = typename decltype(detail::cost_type(std::declval<const E&>()))::type;

/// What tells the cost of a candidate, on a device, too. Valid expressions, for `e` of type `const E`:
///   `e(candidate)`         its cost, trivially copyable, not `bool`, ordered by `<`, never NaN; pure
/// or, for one that works on some numbers,
///   `typename E::number`   of which type they are
///   `e.room()`             how many it needs
///   `e(candidate, room)`   the cost; `room` is a `strided_view<E::number>`, and holds anything before
///
/// On a device the numbers lie in the fast memory of a group of threads, where arrays of its own would not.
///
/// Optional: `e.lanes()`, what evaluates several candidates at once on a host, an object `l` with a constant `width`,
/// `l.set(lane, candidate)`, and `l.costs()`, one of each lane that was set, which do as the call does; `e.placed(memory)` as of
/// a `candidate_space`; on hosts `e.check(candidate)`, which throws if that is none of those that it can evaluate: searches ask
/// it of the first of their range; and, for devices alone, `e.call_parts()`, which calls what it is made of, is never run, and
/// so has a CUDA compiler refuse parts that are not marked.
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

/// An evaluator that refuses candidates that are none for it.
template <class E>
concept has_check = requires(const E& e, candidate points) {
  e.check(points);
};

/// Lets it refuse one.
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
/// What an evaluator works on; `char` if on nothing.
template <class E>
using number_t = typename number_of<E>::type;

/// How many of them it needs.
STAGECUT_CALLS_ANY
template <class E>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t room_of(const E& e) {
  if constexpr (has_room<E>) return e.room();
  return 0;
}

/// The cost of a candidate.
/// @param room  `room_of(e)` numbers
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

/// Calls an evaluator from code for devices alone, where a CUDA compiler refuses what is not marked for them: the evaluator,
/// and what it is made of, which are otherwise dropped from kernels in silence. Never run.
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
