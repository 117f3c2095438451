// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Lower bound on the makespan, for any stages on up to k devices and any warm-up counts, whatever messages take.
///
/// Let L = F + B of a stage, c = f + b of an element, W the sum of all c. Two inequalities hold for a path of stages
/// s1 -> s2 .. in any schedule that runs:
///   (1) T >= m L(si) + the sum of L(sj) over j < i: F(si, 0) waits for F(sj, 0) of all of them, and B(sj, m - 1) of
///       all of them follow B(si, m - 1); in between, the device of si runs all of its passes.
///   (2) T >= the sum of L(sj) over all j + (m - 1) max F(si): F(si, m - 1) ends no earlier than the first passes
///       before it and its own m; then the last microbatch goes down the rest and back. The same holds with B in place
///       of F: the first microbatch returns to si no earlier than after all F, and B of the later stages; then m B
///       follow, and B of the earlier stages.
/// A path of elements becomes a path of stages once its elements in one stage are merged, so (1) and (2) hold for its
/// elements' sums. This gives:
///   average  T >= m W / k, as some stage has W / k.
///   source   If all elements follow one, r, then all stages except its own, A, follow A, so T >= m L(A) and for the
///            others T >= m L + L(A): W <= L(A) + (k - 1)(T - L(A)) / m. The right side is greatest at L(A) = T / m if
///            k - 1 <= m, else at the least L(A), c(r).
///   element  T >= m c(e) + c of a path that ends before e: what of it is in the stage of e costs m times, not once.
///   middle   T >= c of a path through e + (m - 1) max(f(e), b(e)), by (2).
///   spread   T >= c of a path + (m - 1) (f of the path) / k, by (2), as one of at most k stages has 1 / k of its f;
///            the same with b.
///   chain    T >= c of a path / (1 - (1 - 1/m)^k): by (1), stage i takes at most 1/m of what remains of T.
///   several  Of the q k + 1 heaviest elements some stage has q + 1: T >= m times the lightest of them.
///   narrow   The core contains every element whose incomparable elements (neither before nor after it) sum to at most
///            J; X is the sum of the elements outside the core. If neither of two stages follows the other, each has at
///            most J of the core, so stages with more form a path. For some j, W is at most what (1) allows j stages of
///            a path, with a message's latency in each direction between them, plus the share of the other k - j: m
///            times that is at most (k - j) T, and they have (k - j) J of the core. Used for several J.
class graph_makespan_bound {
 public:
  /// Relative rounding error of sums over all operators.
  static constexpr double rounding = 0x1p-36;

  graph_makespan_bound(const operator_graph& graph, const contraction& elements);

  /// The greatest of all, minus rounding of sums; for whole numbers, whose makespans are also whole, rounded up.
  [[nodiscard]] double of(std::size_t devices, std::size_t microbatches) const;

 private:
  static double greater(double a, double b) noexcept { return a < b ? b : a; }

  /// Whether all passes and messages, including latency, are whole numbers.
  [[nodiscard]] static bool are_whole(const operator_graph& graph);

  [[nodiscard]] double from_source(double k, double m) const;

  /// The least load of the heaviest stage by the bound `several`.
  [[nodiscard]] double several(std::size_t devices) const;

  /// The bound `narrow`: the least time with capacity for all work if stages with more than J of the core form a path.
  /// @param known  a bound; the result is not below it
  [[nodiscard]] double narrow(std::size_t devices, double m, double known) const;

  [[nodiscard]] bool has_room(double time, std::size_t devices, double m, double aside, double others) const;

  /// The sum of the core for every J that occurs, ascending; empty for large graphs.
  void find_aside();

  /// Adds to each element the sum over itself and its predecessors, or its successors; 64 elements at a time.
  void add_related(std::vector<double>& sums, bool down) const;

  /// The greatest sum of a path that ends with each element, or begins with it.
  [[nodiscard]] std::vector<double> longest(double both, double forward, double backward, bool down) const;

  const precedence& below_;
  std::vector<double> forward_;  // of each element
  std::vector<double> backward_;
  double total_ = 0;
  std::vector<std::pair<double, double>> aside_{};  // J, and the sum of its core
  double latency_ = 0;
  bool whole_;
  std::size_t sources_ = 0;
  std::size_t source_ = 0;  // one of them
};

inline graph_makespan_bound::graph_makespan_bound(const operator_graph& graph, const contraction& elements)
    : below_(elements.below()),
      forward_(elements.elements()),
      backward_(elements.elements()),
      whole_(are_whole(graph)) {
  for (std::size_t e = 0; e < elements.elements(); ++e) {
    for (const std::size_t v : elements.operators_of(e)) {
      const graph_operator& each = graph.operators[v];
      (each.is_backward ? backward_ : forward_)[e] += each.forward;
      backward_[e] += each.backward;
    }
    total_ += forward_[e] + backward_[e];
    if (below_.predecessors(e).empty()) ++sources_, source_ = e;
  }
  latency_ = graph.latency;
  find_aside();
}

inline double graph_makespan_bound::of(std::size_t devices, std::size_t microbatches) const {
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
  result = greater(result, m * several(devices));
  result = greater(result, narrow(devices, m, result)) * (1 - rounding);
  return whole_ ? std::ceil(result) : result;
}

inline bool graph_makespan_bound::are_whole(const operator_graph& graph) {
  const auto is_whole = [](double time) { return time == std::floor(time); };
  const auto is_whole_operator = [&](const graph_operator& each) {
    return is_whole(each.forward) && is_whole(each.backward) && is_whole(each.sent_seconds) &&
           is_whole(each.sent_back_seconds);
  };
  const auto is_whole_edge = [&](const operator_edge& edge) {
    return !edge.tensor || (is_whole(edge.tensor->sent_seconds) && is_whole(edge.tensor->sent_back_seconds));
  };
  return is_whole(graph.latency) && std::all_of(graph.operators.begin(), graph.operators.end(), is_whole_operator) &&
         std::all_of(graph.edges.begin(), graph.edges.end(), is_whole_edge);
}

inline double graph_makespan_bound::from_source(double k, double m) const {
  if (k - 1 <= m) return total_ * m / (k - (k - 1) / m);
  const double own = forward_[source_] + backward_[source_];
  return (total_ - own * (1 - (k - 1) / m)) * m / (k - 1);
}

inline double graph_makespan_bound::several(std::size_t devices) const {
  std::vector<double> all(forward_.size());
  for (std::size_t e = 0; e < all.size(); ++e) all[e] = forward_[e] + backward_[e];
  std::sort(all.begin(), all.end(), [](double a, double b) { return b < a; });
  double result = 0;
  double sum = 0;  // of the elements [q k - q, q k]
  for (std::size_t q = 1; q * devices < all.size() && q < 64; ++q) {
    sum = 0;
    for (std::size_t i = q * devices - q; i <= q * devices; ++i) sum += all[i];
    result = greater(result, sum);
  }
  return result;
}

inline double graph_makespan_bound::narrow(std::size_t devices, double m, double known) const {
  double room = total_ * m;  // on one device
  const std::size_t steps = aside_.size() < 64 ? aside_.size() : 64;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto& [aside, core] = aside_[(i + 1) * aside_.size() / steps - 1];
    if (has_room(known, devices, m, aside, total_ - core)) continue;
    double above = room;
    for (int halves = 0; halves < 50; ++halves) {
      const double middle = known + (above - known) / 2;
      (has_room(middle, devices, m, aside, total_ - core) ? above : known) = middle;
    }
  }
  return known;
}

inline bool graph_makespan_bound::has_room(double time, std::size_t devices, double m, double aside,
                                           double others) const {
  double left = time;
  for (std::size_t j = 0;; ++j) {
    const auto beside = static_cast<double>(devices - j);
    const double most = beside * time / m;
    const double room = beside * aside + others;
    if (time - left + (room < most ? room : most) >= total_) return true;
    const double share = (left - 2 * latency_ * static_cast<double>(j)) / m;
    if (j == devices || !(share > 0)) return false;
    left -= share;
  }
}

inline void graph_makespan_bound::find_aside() {
  if (forward_.size() > 20'000) return;
  std::vector<double> related(forward_.size());
  add_related(related, false);
  add_related(related, true);
  for (std::size_t e = 0; e < related.size(); ++e) {
    const double own = forward_[e] + backward_[e];
    aside_.emplace_back(greater(0, total_ - related[e] + own) + total_ * rounding, own);  // itself was added twice
  }
  std::sort(aside_.begin(), aside_.end());
  for (std::size_t i = 1; i < aside_.size(); ++i) aside_[i].second += aside_[i - 1].second;
}

inline void graph_makespan_bound::add_related(std::vector<double>& sums, bool down) const {
  const auto order = below_.order();
  const std::size_t n = order.size();
  std::vector<std::uint64_t> reach(n);
  std::vector<double> of_byte(8 * 256);  // the sum that each byte represents
  for (std::size_t first = 0; first < n; first += 64) {
    for (std::size_t i = 0; i < of_byte.size(); ++i) {
      const std::size_t low = (i & 255U) & (~(i & 255U) + 1);
      std::size_t bit = 0;
      while (bit < 8 && (low >> bit) != 1) ++bit;
      const std::size_t e = first + (i >> 8U) * 8 + bit;
      const double own = bit < 8 && e < n ? forward_[e] + backward_[e] : 0;
      of_byte[i] = low == 0 ? 0 : of_byte[i ^ low] + own;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t e = order[down ? n - 1 - i : i];
      std::uint64_t mask = e >= first && e - first < 64 ? std::uint64_t{1} << (e - first) : 0;
      for (const auto other : down ? below_.successors(e) : below_.predecessors(e)) mask |= reach[other];
      reach[e] = mask;
      for (std::size_t byte = 0; byte < 8; ++byte) sums[e] += of_byte[byte * 256 + (mask >> (8 * byte) & 255U)];
    }
  }
}

inline std::vector<double> graph_makespan_bound::longest(double both, double forward, double backward,
                                                         bool down) const {
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

}  // namespace stagecut::inline STAGECUT_ABI::detail
