// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

struct makespan_request;                  // stagecut/makespan/makespan_request.hpp
struct schedule;                          // stagecut/schedule/schedule.hpp
enum class transfer_kind : std::uint8_t;  // stagecut/schedule/simulation.hpp

namespace engine {
struct cut_problem;
class cut_simulator;
}  // namespace engine

namespace detail {
struct problem_access;
}

/// The problem of a `makespan_request`, for the functions in its `search_backends`. Refers to the search: valid during the
/// call that provides it, on one thread at a time.
///
/// Times are in the unit of the model, rounded as the search rounds them: sums of them are exact, and `makespan` is what
/// `simulate` computes from them.
class makespan_problem {
 public:
  /// The number of items, n, and of stages, k.
  /// @{
  [[nodiscard]] std::size_t items() const noexcept;
  [[nodiscard]] std::size_t stages() const noexcept;
  /// @}

  /// The schedule, and the resource that messages occupy.
  /// @{
  [[nodiscard]] const stagecut::schedule& schedule() const noexcept;
  [[nodiscard]] transfer_kind transfers() const noexcept;
  /// @}

  /// The forward and the backward pass of a microbatch on `[first, last)` as stage s, with the own time of the stage.
  /// @pre `s < stages() && first <= last && last <= items()`
  /// @{
  [[nodiscard]] double forward(std::size_t s, std::size_t first, std::size_t last) const noexcept;
  [[nodiscard]] double backward(std::size_t s, std::size_t first, std::size_t last) const noexcept;
  /// @}

  /// The part of `backward` that computes the gradient of the weights; 0 if the schedule does not run it as a pass of its
  /// own.
  [[nodiscard]] double backward_weight(std::size_t s, std::size_t first, std::size_t last) const noexcept;

  /// A message over the boundary after stage s if that is cut point `cut`: the same in both directions; 0 between stages
  /// of one rank.
  /// @pre `s + 1 < stages() && cut <= items()`
  [[nodiscard]] double transfer(std::size_t s, std::size_t cut) const noexcept;

  /// Whether the constraint, and the memory of its rank, allow `[first, last)` as stage s if nothing else is on the rank.
  /// @pre `s < stages() && first < last && last <= items()`
  [[nodiscard]] bool allows(std::size_t s, std::size_t first, std::size_t last) const;

  /// Whether these are the points of a cut, k + 1, with all stages allowed and enough memory on every rank.
  [[nodiscard]] bool allows(view<const std::size_t> points) const;

  /// The makespan of a cut, allowed or not. Counts as an evaluation of the search.
  ///
  /// @param points  k + 1 cut points
  /// @throws        argument_error if they are not a cut of all items into non-empty stages
  [[nodiscard]] double makespan(view<const std::size_t> points) const;

 private:
  friend struct detail::problem_access;
  makespan_problem(const engine::cut_problem& problem, engine::cut_simulator& simulator) noexcept
      : problem_(&problem), simulator_(&simulator) {}

  const engine::cut_problem* problem_;
  engine::cut_simulator* simulator_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/makespan/detail/makespan_problem.ipp>
#endif
