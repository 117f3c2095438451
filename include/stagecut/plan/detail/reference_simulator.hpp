// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

// The steps of the ranks of a pipeline, messages between their passes, in plain loops.

/// A message between two stages, with the same duration in each direction.
struct plain_message {
  std::size_t from = 0;
  std::size_t to = 0;
  double seconds = 0;
};

/// A step of a rank: a pass, or the sending or receipt of its result along an edge.
struct plain_step {
  op what{};
  bool message = false;
  bool receives = false;
  std::size_t edge = 0;
};

/// Whether a pass belongs to the backward pass.
[[nodiscard]] constexpr bool goes_back(const op& each) noexcept { return each.kind != op_kind::forward; }

/// The edges at every stage.
class plain_edges {
 public:
  /// @param kind  what messages occupy; empty: there are none
  plain_edges(const schedule& order, std::vector<plain_message> edges, std::string kind)
      : order_(order), edges_(std::move(edges)), kind_(std::move(kind)), out_(order.stages()), in_(order.stages()) {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      out_[edges_[e].from].push_back(e);
      in_[edges_[e].to].push_back(e);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return edges_.size(); }
  [[nodiscard]] double seconds(std::size_t e) const noexcept { return edges_[e].seconds; }
  [[nodiscard]] std::size_t rank(std::size_t stage) const noexcept { return order_.rank_of[stage]; }
  [[nodiscard]] bool is(const char* kind) const noexcept { return kind_ == kind; }
  /// The edges along which a pass gets its inputs: F from the stages before, B and I from those after.
  [[nodiscard]] const std::vector<std::size_t>& sources(const op& each) const noexcept {
    return goes_back(each) ? out_[each.stage] : in_[each.stage];
  }
  /// The edges along which its result goes.
  [[nodiscard]] const std::vector<std::size_t>& targets(const op& each) const noexcept {
    return goes_back(each) ? in_[each.stage] : out_[each.stage];
  }
  /// The stage that a pass waits for along an edge, and the one that waits for it.
  [[nodiscard]] std::size_t source(std::size_t e, const op& each) const noexcept {
    return goes_back(each) ? edges_[e].to : edges_[e].from;
  }
  [[nodiscard]] std::size_t target(std::size_t e, const op& each) const noexcept {
    return goes_back(each) ? edges_[e].from : edges_[e].to;
  }
  /// Whether messages go along an edge.
  [[nodiscard]] bool crosses(std::size_t e) const noexcept {
    return !kind_.empty() && rank(edges_[e].from) != rank(edges_[e].to);
  }

 private:
  const schedule& order_;
  std::vector<plain_message> edges_;
  std::string kind_;
  std::vector<std::vector<std::size_t>> out_;  // of each stage
  std::vector<std::vector<std::size_t>> in_;
};

/// Whether all dependencies of a pass were issued: `issued` for F, then for B or I, by stage and microbatch.
[[nodiscard]] inline bool has_needs(const plain_edges& edges, const op& each, std::size_t microbatches,
                                    const std::vector<char> (&issued)[2]) {
  if (each.kind == op_kind::backward_weight) return true;
  for (const std::size_t e : edges.sources(each)) {
    const std::size_t at = edges.source(e, each) * microbatches + each.microbatch;
    if (issued[goes_back(each) ? 1 : 0][at] == 0) return false;
  }
  return true;
}

/// Inserts sends and receipts after a pass.
inline void add_messages(const plain_edges& edges, const op& each, std::vector<std::vector<plain_step>>& steps) {
  if (each.kind == op_kind::backward_weight) return;
  for (const std::size_t e : edges.targets(each)) {
    if (!edges.crosses(e)) continue;
    steps[edges.rank(each.stage)].push_back({each, true, false, e});
    steps[edges.rank(edges.target(e, each))].push_back({each, true, true, e});
  }
}

/// The steps of every rank, where messages have an order. Ranks take turns, each issuing its next pass if its inputs
/// exist; a result is sent after the pass, and the other rank can receive it from then on.
///
/// @param messages  whether messages have a position in the order
/// @return          for each rank; fewer than its passes on deadlock
[[nodiscard]] inline std::vector<std::vector<plain_step>> plain_steps(const schedule& order, const plain_edges& edges,
                                                                      bool messages) {
  const std::size_t m = order.microbatches;
  std::vector<std::vector<plain_step>> steps(order.ranks());
  std::vector<char> issued[2] = {std::vector<char>(order.stages() * m), std::vector<char>(order.stages() * m)};
  std::vector<std::size_t> at(order.ranks());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      const std::vector<op>& ops = order.orders[r];
      if (at[r] == ops.size()) continue;
      const std::size_t last = at[r] + (ops[at[r]].with_next ? 2 : 1);
      bool can = true;
      for (std::size_t i = at[r]; i < last; ++i) can = can && detail::has_needs(edges, ops[i], m, issued);
      if (!can) continue;
      for (std::size_t i = at[r]; i < last; ++i) {
        steps[r].push_back({ops[i], false, false, 0});
        if (ops[i].kind == op_kind::backward_weight) continue;
        issued[goes_back(ops[i]) ? 1 : 0][ops[i].stage * m + ops[i].microbatch] = 1;
      }
      for (std::size_t i = at[r]; i < last && messages; ++i) detail::add_messages(edges, ops[i], steps);
      at[r] = last;
      moved = true;
    }
  }
  return steps;
}

/// Seconds of a stage's passes.
struct plain_seconds {
  double forward = 0;
  double backward = 0;         ///< B
  double backward_last = 0;    ///< of the last microbatch
  double backward_input = 0;   ///< I
  double backward_weight = 0;  ///< W
  double all_reduce = 0;
};

/// When a pass runs.
struct plain_pass {
  op what{};
  double start = 0;
  double end = 0;
};

/// An iteration, event by event, in plain loops: the reference for plans. Every rank runs its passes in their order,
/// each as soon as possible.
class reference_simulator {
 public:
  /// @param order  every pass of every stage once, on the rank of its stage
  /// @param kind   what messages occupy; empty: they take no time and occupy nothing
  reference_simulator(const schedule& order, std::vector<plain_seconds> stages, std::vector<plain_message> edges,
                      std::string kind)
      : m_(order.microbatches),
        stages_(std::move(stages)),
        edges_(order, std::move(edges), std::move(kind)),
        streams_(edges_.is("stream")),
        blocks_(edges_.is("blocking")),
        steps_(detail::plain_steps(order, edges_, streams_ || blocks_)),
        at_(2 * order.ranks()),
        free_(order.ranks()),
        stream_(order.ranks()),
        reduced_(order.ranks()),
        links_(order.ranks()),
        left_(order.stages(), m_),
        made_{times(order.stages()), times(order.stages())},
        sent_{times(edges_.size()), times(edges_.size())},
        arrived_{times(edges_.size()), times(edges_.size())},
        passes_(order.ranks()) {
    for (std::size_t r = 0; r < order.ranks(); ++r) wanted_ += order.orders[r].size();
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < order.ranks(); ++r) {
        while (advance(r)) moved = true;
        while (streams_ && advance_stream(r)) moved = true;
      }
    }
  }

  /// Whether it completes; else it deadlocks.
  [[nodiscard]] bool ends() const noexcept { return wanted_ == 0; }

  /// The end of the last pass and the last all-reduce.
  [[nodiscard]] double makespan() const noexcept {
    double latest = 0;
    for (std::size_t r = 0; r < free_.size(); ++r) {
      latest = std::max(latest, free_[r]);
      latest = std::max(latest, reduced_[r]);
    }
    return latest;
  }

  /// The end of the last pass, before the work at the end of an iteration.
  [[nodiscard]] double last_pass() const noexcept {
    double latest = 0;
    for (const auto& rank : passes_) {
      for (const plain_pass& pass : rank) latest = std::max(latest, pass.end);
    }
    return latest;
  }

  /// The passes of each rank, in its order.
  [[nodiscard]] const std::vector<std::vector<plain_pass>>& passes() const noexcept { return passes_; }

 private:
  static constexpr double never = -1;
  struct link_end {
    std::size_t to = 0;
    double end = 0;
  };

  [[nodiscard]] std::vector<double> times(std::size_t rows) const { return std::vector<double>(rows * m_, never); }

  /// When the inputs of a pass are available; `never` if not known yet.
  [[nodiscard]] double there(const op& each) const {
    double latest = 0;
    if (each.kind == op_kind::backward_weight) return latest;
    const std::size_t back = goes_back(each) ? 1 : 0;
    for (const std::size_t e : edges_.sources(each)) {
      const double one = edges_.crosses(e) ? arrived_[back][e * m_ + each.microbatch]
                                           : made_[back][edges_.source(e, each) * m_ + each.microbatch];
      if (one < 0) return never;
      latest = std::max(latest, one);
    }
    return latest;
  }

  [[nodiscard]] double seconds(const op& each) const {
    const plain_seconds& stage = stages_[each.stage];
    const double backward = each.microbatch + 1 == m_ ? stage.backward_last : stage.backward;
    const double input = stage.backward_input - (stage.backward - backward);
    switch (each.kind) {
      case op_kind::forward: return stage.forward;
      case op_kind::backward: return backward;
      case op_kind::backward_input: return input < 0 ? 0 : input;
      default: return stage.backward_weight;
    }
  }

  bool advance(std::size_t r) {
    std::size_t& at = at_[r];
    while (at < steps_[r].size() && steps_[r][at].message && !blocks_) ++at;
    if (at == steps_[r].size()) return false;
    if (steps_[r][at].message) return meet(r);
    const std::size_t last = at + (steps_[r][at].what.with_next ? 2 : 1);
    double start = free_[r];
    double length = 0;
    for (std::size_t i = at; i < last; ++i) {
      const double needed = there(steps_[r][i].what);
      if (needed < 0) return false;
      start = std::max(start, needed);
      length += seconds(steps_[r][i].what);
    }
    free_[r] = start + length;
    for (; at < last; ++at) {
      passes_[r].push_back({steps_[r][at].what, start, free_[r]});
      complete(r, steps_[r][at].what, free_[r]);
      --wanted_;
    }
    return true;
  }

  void complete(std::size_t r, const op& each, double end) {
    const bool ends_microbatch = each.kind == op_kind::backward || each.kind == op_kind::backward_weight;
    if (ends_microbatch && --left_[each.stage] == 0 && stages_[each.stage].all_reduce > 0) {
      reduced_[r] = (reduced_[r] < end ? end : reduced_[r]) + stages_[each.stage].all_reduce;
    }
    if (each.kind == op_kind::backward_weight) return;
    const std::size_t back = goes_back(each) ? 1 : 0;
    made_[back][each.stage * m_ + each.microbatch] = end;
    for (const std::size_t e : edges_.targets(each)) {
      if (!edges_.crosses(e)) continue;
      double& arrived = arrived_[back][e * m_ + each.microbatch];
      if (edges_.is("latency")) arrived = end + edges_.seconds(e);
      if (edges_.is("link")) arrived = over_link(r, edges_.rank(edges_.target(e, each)), end, edges_.seconds(e));
    }
  }

  /// When a message has passed a link, which serialises messages.
  double over_link(std::size_t from, std::size_t to, double made, double length) {
    for (link_end& each : links_[from]) {
      if (each.to != to) continue;
      each.end = (each.end < made ? made : each.end) + length;
      return each.end;
    }
    links_[from].push_back({to, made + length});
    return made + length;
  }

  /// Starts or ends a message on the stream of its rank.
  bool advance_stream(std::size_t r) {
    std::size_t& at = at_[free_.size() + r];
    while (at < steps_[r].size() && !steps_[r][at].message) ++at;
    if (at == steps_[r].size()) return false;
    const plain_step& here = steps_[r][at];
    const std::size_t back = goes_back(here.what) ? 1 : 0;
    double& sent = sent_[back][here.edge * m_ + here.what.microbatch];
    const double begin = here.receives ? sent : made_[back][here.what.stage * m_ + here.what.microbatch];
    if (begin < 0) return false;
    stream_[r] = std::max(stream_[r], begin);
    if (here.receives) {
      arrived_[back][here.edge * m_ + here.what.microbatch] = stream_[r];
    } else {
      stream_[r] += edges_.seconds(here.edge);
      sent = stream_[r];
    }
    ++at;
    return true;
  }

  /// A message occupies both ranks once both have reached it.
  bool meet(std::size_t r) {
    const plain_step& here = steps_[r][at_[r]];
    const std::size_t sender = edges_.rank(here.what.stage);
    const std::size_t peer = r == sender ? edges_.rank(edges_.target(here.edge, here.what)) : sender;
    if (at_[peer] == steps_[peer].size()) return false;
    const plain_step& other = steps_[peer][at_[peer]];
    if (!other.message || other.edge != here.edge || other.what != here.what) return false;
    const double begin = free_[r] < free_[peer] ? free_[peer] : free_[r];
    free_[r] = free_[peer] = begin + edges_.seconds(here.edge);
    arrived_[goes_back(here.what) ? 1 : 0][here.edge * m_ + here.what.microbatch] = free_[r];
    ++at_[r];
    ++at_[peer];
    return true;
  }

  std::size_t m_;
  std::vector<plain_seconds> stages_;
  plain_edges edges_;
  bool streams_;
  bool blocks_;
  std::vector<std::vector<plain_step>> steps_;
  std::vector<std::size_t> at_;               // step of each rank, and of each stream
  std::vector<double> free_;                  // when each rank is free
  std::vector<double> stream_;                // when each stream is free
  std::vector<double> reduced_;               // when each rank's all-reduces are done
  std::vector<std::vector<link_end>> links_;  // when the links from each rank are free
  std::vector<std::size_t> left_;             // microbatches of each stage without a backward pass so far
  std::vector<double> made_[2];               // when F, and B or I, of a stage and microbatch ended
  std::vector<double> sent_[2];               // when a message had left, by edge and microbatch: forward, back
  std::vector<double> arrived_[2];            // when it had arrived
  std::vector<std::vector<plain_pass>> passes_;
  std::size_t wanted_ = 0;  // passes that have not run
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
