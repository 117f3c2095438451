// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The answer for the best number of stages.
template <class Answer, class Value>
struct best_of_stages {
  std::size_t stages;               ///< number of stages, the smallest with that value
  Answer answer;                    ///< for this number of stages
  Value value;                      ///< under the caller's objective
  std::vector<std::size_t> failed;  ///< numbers of stages that were tried and have no answer
};

namespace detail {

/// The answer of a search with a given number of stages.
template <class Solve>
using answer_of_t = std::remove_cvref_t<decltype(*std::declval<const Solve&>()(std::size_t{}))>;

/// The value of such an answer.
template <class Solve, class Value>
using value_of_t = std::remove_cvref_t<decltype(std::declval<const Value&>()(
    std::size_t{}, *std::declval<decltype(std::declval<const Solve&>()(std::size_t{}))&>()))>;

/// The number of stages as the value of an answer.
struct fewest_first {
  template <class Answer>
  [[nodiscard]] std::size_t operator()(std::size_t stages, const Answer&) const {
    return stages;
  }
};

}  // namespace detail

/// See `best_stages`.
struct best_stages_fn {
  /// See `best_stages`.
  /// @{
  template <class Solve, class Value, class Answer = detail::answer_of_t<Solve>,
            class Worth = detail::value_of_t<Solve, Value>>
  [[nodiscard]] outcome<best_of_stages<Answer, Worth>> operator()(std::size_t least, std::size_t most,
                                                                  const Solve& solve, const Value& value) const {
    return search<best_of_stages<Answer, Worth>>(least, most, solve, value, false);
  }

  template <class Solve, class Answer = detail::answer_of_t<Solve>>
  [[nodiscard]] outcome<best_of_stages<Answer, std::size_t>> operator()(std::size_t least, std::size_t most,
                                                                        const Solve& solve) const {
    return search<best_of_stages<Answer, std::size_t>>(least, most, solve, detail::fewest_first(), true);
  }
  /// @}

 private:
  template <class best_type, class Solve, class Value>
  static outcome<best_type> search(std::size_t least, std::size_t most, const Solve& solve, const Value& value,
                                   bool first) {
    if (least == 0) detail::fail(argument_error("best_stages", "least", "0", "must be at least 1"));
    if (most < least) {
      detail::fail(argument_error("best_stages", "most", std::to_string(most),
                                  detail::joined({"must not be below least, ", least})));
    }
    std::optional<best_type> best;
    std::vector<std::size_t> failed;
    bool proved = true;
    std::optional<reason> why;
    for (std::size_t stages = least;; ++stages) {
      auto answer = solve(stages);
      proved = proved && (answer.state() == state::optimal || answer.state() == state::infeasible);
      if (!answer) {
        failed.push_back(stages);
        if (!why) why = answer.why();
      } else {
        auto here = value(stages, *answer);
        if (!best || here < best->value) best = best_type{stages, *std::move(answer), std::move(here), {}};
        if (first) break;
      }
      if (stages == most) break;
    }
    if (best) {
      best->failed = std::move(failed);
      return proved ? outcome<best_type>::optimal(*std::move(best)) : outcome<best_type>::feasible(*std::move(best));
    }
    reason none{
        reason::cause::none_of_several, failed.size(), 0, detail::joined({least, " stages: ", why->text()}), {}};
    return proved ? outcome<best_type>::infeasible(std::move(none)) : outcome<best_type>::unknown(std::move(none));
  }
};

/// Finds the best number of stages by trying each.
///
/// Feasibility need not be monotone in the number of stages: under 1F1B more stages keep more microbatches. So no number
/// is skipped.
///
/// @param least   smallest number of stages, at least 1
/// @param most    largest number of stages
/// @param solve   `solve(k)`, the outcome of any search with k stages
/// @param value   `value(k, answer)`, to be minimized, ordered by `<`; default: the number of stages, so that the search
///                stops at the first for which `solve` has an answer
/// @return        optimal if all outcomes were proved; feasible if one was not; infeasible, or unknown, if there was no
///                answer, with the reason for `least`
/// @throws        argument_error unless `1 <= least && least <= most`; whatever `solve` and `value` throw
///
/// On ties, the fewest stages. One call of `solve` for each number.
inline constexpr best_stages_fn best_stages{};

}  // namespace stagecut::inline STAGECUT_ABI
