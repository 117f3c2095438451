// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Bytes for display: exact, and in the largest binary unit that is not above the amount.
[[nodiscard]] STAGECUT_DECL std::string bytes_text(std::size_t bytes);

}  // namespace detail

/// What an algorithm states about its answer.
enum class state : std::uint8_t {
  optimal,     ///< an answer, proved optimal
  feasible,    ///< an answer with a bound, not proved optimal
  infeasible,  ///< proved: there is no answer
  unknown      ///< neither: a limit was reached before an answer was found, or `why()` says what was not tried
};

/// The words for states in files.
inline constexpr named<state> state_names[] = {{"optimal", state::optimal},
                                               {"feasible", state::feasible},
                                               {"infeasible", state::infeasible},
                                               {"unknown", state::unknown}};

/// The name of a state, as it is written to files.
[[nodiscard]] constexpr const char* to_string(state s) noexcept { return stagecut::name_of(state_names, s); }

/// Why there is no answer.
struct reason {
  /// The kind of obstacle.
  enum class cause : std::uint8_t {
    more_stages_than_layers,  ///< every stage needs at least one layer
    constraint,               ///< no cut satisfies the caller's constraint
    layer_too_large,          ///< a layer needs more bytes than a device has, on any stage
    memory,                   ///< the layers need more bytes than the devices have
    none_of_several,          ///< of `needed` combinations; `place` is the reason for the first that was tried
    no_candidate,             ///< there are no candidates
    limit_reached             ///< a limit of time or nodes, or a stop by the caller
  };

  cause what = cause::limit_reached;  ///< the obstacle
  std::size_t needed = 0;             ///< required amount, in the cause's unit (layers, bytes)
  std::size_t available = 0;          ///< available amount, in the same unit
  std::string place{};                ///< the layer or stage, if there is one
  std::string remedy{};               ///< a remedy, if known

  /// One line for display.
  [[nodiscard]] std::string text() const;

  /// Whether this is a lack of bytes, smaller than the other's, or the other is not a lack of bytes.
  [[nodiscard]] bool lacks_fewer_bytes_than(const reason& other) const noexcept {
    return is_of_bytes() && (!other.is_of_bytes() || needed < other.needed);
  }

  /// Equal in every part.
  friend bool operator==(const reason&, const reason&) = default;

 private:
  [[nodiscard]] bool is_of_bytes() const noexcept { return what == cause::memory || what == cause::layer_too_large; }
  [[nodiscard]] std::string with_remedy(std::string text) const {
    return remedy.empty() ? std::move(text) : detail::joined({text, "; ", remedy});
  }
};

/// Thrown when reading the answer of an `outcome` that has none. `what()` gives the reason.
class no_answer : public std::logic_error {
 public:
  /// Takes the reason.
  explicit no_answer(const reason& why)
      : std::logic_error(visible(detail::joined({"stagecut::outcome: no answer: ", why.text()}))) {}
};

/// An answer with its proved quality, or the reason why there is none: see `state`.
///
/// Converts to true if there is an answer. Reading a missing answer throws `no_answer`. Copyable if the answer is; a
/// moved-from outcome is `unknown` and has no answer, but moving out the answer itself leaves the state unchanged, as
/// with `std::optional`.
///
/// `f()->makespan` on a function's result is safe: it is read at once. `for (auto stage : f()->cuts)` dangles before
/// C++23: name the outcome first, or write `(*f()).cuts`, since `*` then returns the answer by value.
template <class Answer>
class outcome {
 public:
  /// Nothing known yet: `unknown`.
  outcome() = default;

  /// Copies and moves.
  /// @{
  outcome(const outcome&) = default;
  outcome& operator=(const outcome&) = default;
  outcome(outcome&& other) noexcept(std::is_nothrow_move_constructible_v<Answer>) { take(other); }
  outcome& operator=(outcome&& other) noexcept(std::is_nothrow_move_constructible_v<Answer>) {
    if (this != __builtin_addressof(other)) take(other);
    return *this;
  }
  /// @}

  /// Destroys the answer. Not implicit, so that an instance that the library has is not instantiated by callers.
  ~outcome();

  /// An outcome in the state of that name.
  /// @{
  [[nodiscard]] static outcome optimal(Answer answer) { return outcome(stagecut::state::optimal, std::move(answer)); }
  [[nodiscard]] static outcome feasible(Answer answer) { return outcome(stagecut::state::feasible, std::move(answer)); }
  [[nodiscard]] static outcome infeasible(reason why) { return outcome(stagecut::state::infeasible, std::move(why)); }
  [[nodiscard]] static outcome unknown(reason why) { return outcome(stagecut::state::unknown, std::move(why)); }
  /// @}

  /// What is known about the answer.
  [[nodiscard]] stagecut::state state() const noexcept { return state_; }
  /// Whether there is an answer: the state is optimal or feasible.
  /// @{
  [[nodiscard]] bool has_value() const noexcept { return answer_.has_value(); }
  [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }
  /// @}

  /// The answer; for a temporary outcome, a separate object that was moved out.
  /// @throws no_answer if there is none
  /// @{
  [[nodiscard]] const Answer& value() const& {
    if (!answer_) detail::fail(no_answer(why_));
    return *answer_;
  }
  [[nodiscard]] Answer& value() & {
    if (!answer_) detail::fail(no_answer(why_));
    return *answer_;
  }
  [[nodiscard]] Answer value() && { return std::move(value()); }
  [[nodiscard]] const Answer& operator*() const& { return value(); }
  [[nodiscard]] Answer& operator*() & { return value(); }
  [[nodiscard]] Answer operator*() && { return std::move(value()); }
  [[nodiscard]] const Answer* operator->() const { return __builtin_addressof(value()); }
  [[nodiscard]] Answer* operator->() { return __builtin_addressof(value()); }
  /// @}

  /// Why there is no answer; meaningless if there is one.
  [[nodiscard]] const reason& why() const noexcept { return why_; }

 private:
  outcome(stagecut::state s, Answer answer) : answer_(std::move(answer)), state_(s) {}
  outcome(stagecut::state s, reason why) : why_(std::move(why)), state_(s) {}

  /// Takes over the content of `other`, which is then empty.
  void take(outcome& other) {
    state_ = stagecut::state::unknown;
    answer_.reset();
    if (other.answer_) answer_.emplace(std::move(*other.answer_));
    other.answer_.reset();
    why_ = std::exchange(other.why_, reason{});
    state_ = std::exchange(other.state_, stagecut::state::unknown);
  }

  std::optional<Answer> answer_;
  reason why_;
  stagecut::state state_ = stagecut::state::unknown;
};

template <class Answer>
outcome<Answer>::~outcome() = default;

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/core/detail/outcome.ipp>
#endif
