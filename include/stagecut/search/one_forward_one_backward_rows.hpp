// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/cut_makespan.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// The ends of the last op and of the last F of every rank, row by row: row i has F of microbatch i + P - 1 - s on rank s, then
/// B of microbatch i. What a rank awaits is an end of its neighbours in this row or the one before, so nothing else is kept.
/// Every index is a constant, so that all of it stays in registers.
template <std::size_t P>
struct one_forward_one_backward_state {
  double forward[P];   // of a pass
  double backward[P];  // likewise
  double sent[P];      // end of the last F
  double end[P];       // of the last op

  /// The ops of rank s in a row: F, if the rank is one of `[First, Last)`, and B, if there is any.
  template <std::size_t S, std::size_t First, std::size_t Last, bool Backward>
  STAGECUT_HOST_DEVICE constexpr void ops() {
    if constexpr (First <= S && S < Last) {
      double begin = end[S];
      if constexpr (S > 0) begin = begin < sent[S - 1] ? sent[S - 1] : begin;
      end[S] = sent[S] = begin + forward[S];
    }
    if constexpr (Backward) {
      double begin = end[S];
      if constexpr (S + 1 < P) begin = begin < end[S + 1] ? end[S + 1] : begin;
      end[S] = begin + backward[S];
    }
  }

  /// From the last rank on: F awaits the neighbour's F of the row before, which is still there, and B its B of this row.
  template <std::size_t First, std::size_t Last, bool Backward, std::size_t... S>
  STAGECUT_HOST_DEVICE constexpr void row(std::index_sequence<S...>) {
    (ops<P - 1 - S, First, Last, Backward>(), ...);
  }
  template <std::size_t... Row>
  STAGECUT_HOST_DEVICE constexpr void warm_up(std::index_sequence<Row...>) {
    (row<0, Row + 1, false>(std::make_index_sequence<P>()), ...);
  }
  template <std::size_t... Row>
  STAGECUT_HOST_DEVICE constexpr void drain(std::index_sequence<Row...>) {
    (row<Row + 1, P, true>(std::make_index_sequence<P>()), ...);
  }

  /// When the iteration ends, with `microbatches >= P`.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double run(std::size_t microbatches) {
    warm_up(std::make_index_sequence<P - 1>());
    for (std::size_t i = P - 1; i < microbatches; ++i) row<0, P, true>(std::make_index_sequence<P>());
    drain(std::make_index_sequence<P - 1>());
    return end[0];
  }

  /// Sets what stage s takes.
  template <std::size_t... S>
  STAGECUT_HOST_DEVICE constexpr void set(candidate points, const stagecut::engine::tick_rows& rows,
                                          std::index_sequence<S...>) {
    ((forward[S] = rows.pass(stagecut::engine::tick_f, S, points[S], points[S + 1]),
      backward[S] = rows.pass(stagecut::engine::tick_b, S, points[S], points[S + 1]), sent[S] = end[S] = 0),
     ...);
  }
};

/// `one_forward_one_backward_rows` as devices see it.
template <std::size_t P>
struct one_forward_one_backward_steps {
  stagecut::engine::tick_rows rows{};
  double tick = 1;
  std::size_t microbatches = 0;

  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points) const {
    one_forward_one_backward_state<P> state;
    state.set(points, rows, std::make_index_sequence<P>());
    return tick * state.run(microbatches);
  }
};

}  // namespace detail

/// When the iteration of a cut into P stages ends under 1F1B without messages: `cut_makespan` to the bit, with all that is
/// simulated in the registers of a thread. On a device several times as fast; hosts use lanes.
///
/// @tparam P  stages, and ranks: each one is compiled for itself
template <std::size_t P>
class one_forward_one_backward_rows {
 public:
  /// @param model         what layers take
  /// @param microbatches  of an iteration, at least P
  /// @throws              argument_error for fewer; as `cut_makespan`
  template <pipeline_model Model>
  one_forward_one_backward_rows(const Model& model, std::size_t microbatches)
      : chain_(model, checked(microbatches), {}),
        makespan_(model, checked(microbatches)),
        microbatches_(microbatches) {}

  /// See `candidate_cost`.
  /// @{
  [[nodiscard]] double operator()(candidate points) const { return seen()(points); }
  [[nodiscard]] auto lanes() const { return makespan_.lanes(); }
  void check(candidate points) const { makespan_.check(points); }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    auto result = seen();
    result.rows = detail::placed_rows(result.rows, memory);
    return result;
  }
  /// @}

 private:
  [[nodiscard]] static schedule checked(std::size_t microbatches) {
    if (microbatches < P) {
      stagecut::detail::fail(argument_error("search::one_forward_one_backward_rows", "microbatches",
                                            std::to_string(microbatches),
                                            stagecut::detail::joined({"must be at least the number of stages, ", P})));
    }
    return one_forward_one_backward(P, microbatches);
  }
  [[nodiscard]] detail::one_forward_one_backward_steps<P> seen() const noexcept {
    return {chain_.rows(), chain_.tick, microbatches_};
  }

  stagecut::engine::chain_ticks chain_;
  cut_makespan makespan_;
  std::size_t microbatches_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
