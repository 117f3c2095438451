// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline v0::detail {

/// Below what no makespan lies, for any stages on up to k devices and any warm-up counts, whatever messages take.
///
/// Let L = F + B of a stage, c = f + b of an element, W the sum of all c. Two things hold of a path of stages s1 -> s2 ..
/// in any order of passes that runs:
///   (1) T >= m L(si) + the sum of L(sj) over j < i: F(si, 0) waits for F(sj, 0) of all of them, and after B(si, m - 1)
///       B(sj, m - 1) of all of them follow; meanwhile the device of si runs all of its passes.
///   (2) T >= the sum of L(sj) over all j + (m - 1) max F(si): F(si, m - 1) ends no earlier than the first passes before
///       it and its own m; then the last microbatch goes down the rest and back. Likewise with B in place of F, as the
///       first microbatch comes back to si no earlier than after all F, and B of the stages behind it, and then come m B.
/// A path of elements is a path of stages after those of it in one stage are taken together, so (1) and (2) hold for its
/// elements' sums. From that:
///   average  T >= m W / k, as some stage has W / k.
///   source   If all elements follow one, r, then all stages but its own, A, follow A, so T >= m L(A) and for the others
///            T >= m L + L(A): W <= L(A) + (k - 1)(T - L(A)) / m. That is greatest where L(A) = T / m if k - 1 <= m, else
///            where it is least, c(r).
///   element  T >= m c(e) + c of a path that ends before e: what of it is in the stage of e costs m times, not once.
///   middle   T >= c of a path through e + (m - 1) max(f(e), b(e)), by (2).
///   spread   T >= c of a path + (m - 1) (f of the path) / k, by (2), as one of at most k stages has 1 / k of its f; and
///            with b.
///   chain    T >= c of a path / (1 - (1 - 1/m)^k): by (1), stage i takes at most 1/m of what T has left.
class graph_makespan_bound {
 public:
  graph_makespan_bound(const operator_graph& graph, const contraction& elements)
      : below_(elements.below()), forward_(elements.elements()), backward_(elements.elements()) {
    for (std::size_t e = 0; e < elements.elements(); ++e) {
      for (const std::size_t v : elements.operators_of(e)) {
        const graph_operator& each = graph.operators[v];
        (each.is_backward ? backward_ : forward_)[e] += each.forward;
        backward_[e] += each.backward;
      }
      total_ += forward_[e] + backward_[e];
      if (below_.predecessors(e).empty()) ++sources_, source_ = e;
    }
  }

  /// The greatest of all, less what sums may have rounded.
  [[nodiscard]] double of(std::size_t devices, std::size_t microbatches) const {
    const auto k = static_cast<double>(devices);
    const auto m = static_cast<double>(microbatches);
    double result = total_ * m / k;
    if (sources_ == 1) result = greater(result, from_source(k, m));
    const std::vector<double> up_to = longest(1, 0, 0, false);
    const std::vector<double> from = longest(1, 0, 0, true);
    double path = 0;
    for (std::size_t e = 0; e < up_to.size(); ++e) {
      const double own = forward_[e] + backward_[e];
      result = greater(result, up_to[e] + (m - 1) * own);
      result = greater(result, up_to[e] + from[e] - own + (m - 1) * greater(forward_[e], backward_[e]));
      path = greater(path, up_to[e]);
    }
    result = greater(result, path / (1 - std::pow(1 - 1 / m, k)));
    for (const double each : longest(1, (m - 1) / k, 0, false)) result = greater(result, each);
    for (const double each : longest(1, 0, (m - 1) / k, false)) result = greater(result, each);
    return result * (1 - 0x1p-40);
  }

 private:
  static double greater(double a, double b) noexcept { return a < b ? b : a; }

  [[nodiscard]] double from_source(double k, double m) const {
    if (k - 1 <= m) return total_ * m / (k - (k - 1) / m);
    const double own = forward_[source_] + backward_[source_];
    return (total_ - own * (1 - (k - 1) / m)) * m / (k - 1);
  }

  /// The most that a path sums to that ends with each element, or begins with it.
  [[nodiscard]] std::vector<double> longest(double both, double forward, double backward, bool down) const {
    std::vector<double> result(forward_.size());
    const auto order = below_.order();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t e = order[down ? order.size() - 1 - i : i];
      for (const auto other : down ? below_.successors(e) : below_.predecessors(e)) {
        result[e] = greater(result[e], result[other]);
      }
      result[e] += both * (forward_[e] + backward_[e]) + forward * forward_[e] + backward * backward_[e];
    }
    return result;
  }

  const precedence& below_;
  std::vector<double> forward_;  // of every element
  std::vector<double> backward_;
  double total_ = 0;
  std::size_t sources_ = 0;
  std::size_t source_ = 0;  // one of them
};

}  // namespace stagecut::inline v0::detail
