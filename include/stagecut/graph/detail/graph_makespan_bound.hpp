// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Below what no makespan lies, for any stages on up to k devices and any warm-up counts, whatever messages take.
///
/// Let L = F + B of a stage, c = f + b of an element, W the sum of all c. Two things hold of a path of stages s1 -> s2
/// .. in any order of passes that runs:
///   (1) T >= m L(si) + the sum of L(sj) over j < i: F(si, 0) waits for F(sj, 0) of all of them, and after B(si, m - 1)
///       B(sj, m - 1) of all of them follow; meanwhile the device of si runs all of its passes.
///   (2) T >= the sum of L(sj) over all j + (m - 1) max F(si): F(si, m - 1) ends no earlier than the first passes
///       before it and its own m; then the last microbatch goes down the rest and back. Likewise with B in place of F,
///       as the first microbatch comes back to si no earlier than after all F, and B of the stages behind it; then come
///       m B, and B of those before it.
/// A path of elements is a path of stages after those of it in one stage are taken together, so (1) and (2) hold for
/// its elements' sums. From that:
///   average  T >= m W / k, as some stage has W / k.
///   source   If all elements follow one, r, then all stages but its own, A, follow A, so T >= m L(A) and for the
///            others T >= m L + L(A): W <= L(A) + (k - 1)(T - L(A)) / m. That is greatest where L(A) = T / m if k - 1
///            <= m, else where it is least, c(r).
///   element  T >= m c(e) + c of a path that ends before e: what of it is in the stage of e costs m times, not once.
///   middle   T >= c of a path through e + (m - 1) max(f(e), b(e)), by (2).
///   spread   T >= c of a path + (m - 1) (f of the path) / k, by (2), as one of at most k stages has 1 / k of its f;
///            and with b.
///   chain    T >= c of a path / (1 - (1 - 1/m)^k): by (1), stage i takes at most 1/m of what T has left.
///   several  Of the q k + 1 heaviest elements some stage has q + 1: T >= m times the lightest of them.
///   narrow   Let the core be all elements beside each of which, neither before nor behind it, stand others of a sum of
///            at most J, and X the sum of what is not in the core. Of two stages of which neither follows the other,
///            each has at most J of the core, so those that have more are a path. For some j of them W <= what (1) lets
///            j stages of a path take, with a message's latency each way between them, + what k - j others take: m
///            times that is at most (k - j) T, and of the core they have (k - j) J. That for several J.
class graph_makespan_bound {
 public:
  /// What sums of as many numbers as there are operators may lose.
  static constexpr double rounding = 0x1p-36;

  graph_makespan_bound(const operator_graph& graph, const contraction& elements);

  /// The greatest of all, less what sums may have rounded; of whole numbers, whose makespans are whole, too, the next above.
  [[nodiscard]] double of(std::size_t devices, std::size_t microbatches) const;

 private:
  static double greater(double a, double b) noexcept { return a < b ? b : a; }

  /// Whether all passes and messages, the latency with them, are whole numbers.
  [[nodiscard]] static bool are_whole(const operator_graph& graph);

  [[nodiscard]] double from_source(double k, double m) const;

  /// The most that some stage has at least of whole elements.
  [[nodiscard]] double several(std::size_t devices) const;

  /// Below what iterations have no room for all work where stages with more than J of the core are a path.
  /// @param known  a bound; the result is not below it
  [[nodiscard]] double narrow(std::size_t devices, double m, double known) const;

  [[nodiscard]] bool has_room(double time, std::size_t devices, double m, double aside, double others) const;

  /// For every J among the elements' own the sum of the core, ascending; of many elements nothing.
  void find_aside();

  /// Adds to every element all that it follows and itself, or all that follows it; 64 of them at a time.
  void add_related(std::vector<double>& sums, bool down) const;

  /// The most that a path sums to that ends with each element, or begins with it.
  [[nodiscard]] std::vector<double> longest(double both, double forward, double backward, bool down) const;

  const precedence& below_;
  std::vector<double> forward_;  // of every element
  std::vector<double> backward_;
  double total_ = 0;
  std::vector<std::pair<double, double>> aside_{};  // J, and the sum of its core
  double latency_ = 0;
  bool whole_;
  std::size_t sources_ = 0;
  std::size_t source_ = 0;  // one of them
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/graph_makespan_bound.ipp>
#endif
