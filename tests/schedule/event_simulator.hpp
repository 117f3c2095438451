// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

/// An iteration with a clock: at every moment whatever can begin begins, and then the next moment comes at which something
/// ends. Written from the definitions alone: it shares no code with the library but the types.
class event_simulator {
 public:
  using time = std::int64_t;

  event_simulator(const stagecut::schedule& order, const stagecut::pass_times<time>& times,
                  const stagecut::transfer_times<time>& transfers)
      : order_(order), times_(times), transfers_(transfers), edges_(order.edges) {
    messages_ = !transfers.forward.empty() || !transfers.backward.empty();
    for (std::size_t s = 0; edges_.empty() && s + 1 < order.stages(); ++s) chain_.push_back({s, s + 1});
    if (edges_.empty()) edges_ = chain_;
    const bool holds = messages_ && transfers.kind == stagecut::transfer_kind::blocking;
    const bool streams = messages_ && transfers.kind == stagecut::transfer_kind::stream;
    ranks_.resize(order.ranks());
    streams_.resize(order.ranks());
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      for (const stagecut::op& op : order.orders[r]) {
        if (is_compute(op.kind) || (holds && is_transfer(op.kind))) ranks_[r].ops.push_back(op);
        if (streams && is_transfer(op.kind)) streams_[r].ops.push_back(op);
      }
    }
    ops.resize(order.ranks());
    transfers_made.resize(order.ranks());
  }

  /// Runs all; false if it stands still before its end.
  bool run() {
    for (;;) {
      while (step()) {
      }
      time next = -1;
      const auto see = [&](time end) {
        if (end > now_ && (next < 0 || end < next)) next = end;
      };
      for (const auto* lanes : {&ranks_, &streams_}) {
        for (const lane& each : *lanes) {
          if (each.running) see(each.end);
        }
      }
      for (const auto& [ends, queue] : links_) {
        if (queue.running) see(queue.end);
      }
      for (const auto& [key, when] : arrived_) see(when);
      if (next < 0) break;
      now_ = next;
    }
    for (const auto* lanes : {&ranks_, &streams_}) {
      for (const lane& each : *lanes) {
        if (each.running || each.at < each.ops.size()) return false;
      }
    }
    return true;
  }

  time makespan = 0;
  std::vector<std::vector<stagecut::timed_op<time>>> ops{};             // of every rank, in its order
  std::vector<std::vector<stagecut::timed_op<time>>> transfers_made{};  // of every sending rank, by their beginnings

 private:
  struct lane {
    std::vector<stagecut::op> ops{};
    std::size_t at = 0;
    std::size_t taken = 0;  // ops that are running
    bool running = false;
    time end = 0;
  };
  struct link {
    std::deque<std::pair<stagecut::op, std::size_t>> waiting{};
    bool running = false;
    time end = 0;
  };
  using place = std::tuple<bool, std::size_t, std::size_t, std::size_t>;  // direction, stage or edge, microbatch, slice

  static bool is_back(const stagecut::op& each) {
    using stagecut::op_kind;
    return each.kind == op_kind::backward || each.kind == op_kind::backward_input ||
           each.kind == op_kind::send_backward || each.kind == op_kind::receive_backward;
  }
  static place at(bool back, std::size_t which, const stagecut::op& of) {
    return {back, which, of.microbatch, of.slice};
  }
  bool there(const std::map<place, time>& in, const place& what) const {
    const auto found = in.find(what);
    return found != in.end() && found->second <= now_;
  }
  time pick(const std::vector<time>& values, const stagecut::op& each) const {
    if (values.size() == order_.stages()) return values[each.stage];
    if (values.size() == order_.stages() * order_.slices) return values[each.stage * order_.slices + each.slice];
    return values[(each.stage * order_.microbatches + each.microbatch) * order_.slices + each.slice];
  }
  time length(const stagecut::op& each) const {
    using stagecut::op_kind;
    if (each.kind == op_kind::forward) return pick(times_.forward, each);
    if (each.kind == op_kind::backward_input) return pick(times_.backward_input, each);
    if (each.kind == op_kind::backward_weight) return pick(times_.backward_weight, each);
    if (!times_.backward.empty()) return pick(times_.backward, each);
    return pick(times_.backward_input, each) + pick(times_.backward_weight, each);
  }
  time message(bool back, std::size_t edge) const {
    const auto& values = back ? transfers_.backward : transfers_.forward;
    return values.empty() ? 0 : values[values.size() == 1 ? 0 : edge];
  }
  std::size_t edge_of(const stagecut::op& transfer) const {
    using stagecut::op_kind;
    const bool from = transfer.kind == op_kind::send_forward || transfer.kind == op_kind::receive_backward;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if ((from ? edges_[e].from : edges_[e].to) != transfer.stage) continue;
      if (!chain_.empty() || (from ? edges_[e].to : edges_[e].from) == transfer.peer) return e;
    }
    return edges_.size();
  }
  stagecut::op sent(bool back, std::size_t e, const stagecut::op& of) const {
    using stagecut::op_kind;
    const std::size_t from = back ? edges_[e].to : edges_[e].from;
    const std::size_t to = back ? edges_[e].from : edges_[e].to;
    const std::uint32_t peer = chain_.empty() ? static_cast<std::uint32_t>(to) : stagecut::op::neighbour;
    return {back ? op_kind::send_backward : op_kind::send_forward, from, of.microbatch, of.slice, false, peer};
  }

  bool ready(const stagecut::op& each) const {
    using stagecut::op_kind;
    if (each.kind == op_kind::backward_weight) return true;  // its rank has run I before
    const bool back = is_back(each);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if ((back ? edges_[e].from : edges_[e].to) != each.stage) continue;
      if (!there(arrived_, at(back, e, each))) return false;
    }
    stagecut::op other = each;
    if (!back && each.slice > 0) return --other.slice, there(made_, at(false, each.stage, other));
    if (back && each.slice + 1 < order_.slices) return ++other.slice, there(made_, at(true, each.stage, other));
    return true;
  }

  /// A pass has ended: its result is there, and leaves.
  void finish_pass(std::size_t rank, const stagecut::op& each) {
    if (each.kind == stagecut::op_kind::backward_weight) return;
    const bool back = is_back(each);
    made_[at(back, each.stage, each)] = now_;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if ((back ? edges_[e].to : edges_[e].from) != each.stage) continue;
      const std::size_t to = order_.rank_of[back ? edges_[e].from : edges_[e].to];
      if (to == rank || !messages_) {
        arrived_[at(back, e, each)] = now_;
      } else if (transfers_.kind == stagecut::transfer_kind::latency) {
        arrived_[at(back, e, each)] = now_ + message(back, e);
        transfers_made[rank].push_back({sent(back, e, each), now_, now_ + message(back, e)});
      } else if (transfers_.kind == stagecut::transfer_kind::link) {
        links_[{rank, to}].waiting.push_back({sent(back, e, each), e});
      }
    }
  }

  void begin(lane& on, std::size_t taken, time length) {
    on.running = true;
    on.taken = taken;
    on.end = now_ + length;
    makespan = std::max(makespan, on.end);
  }

  bool end_lane(lane& on, std::size_t rank) {
    if (!on.running || on.end > now_) return false;
    on.running = false;
    for (std::size_t i = on.at; i < on.at + on.taken; ++i) {
      const stagecut::op& each = on.ops[i];
      if (is_compute(each.kind)) finish_pass(rank, each);
      if (is_send(each.kind)) sent_[at(is_back(each), edge_of(each), each)] = now_;
      const bool held = transfers_.kind == stagecut::transfer_kind::blocking;
      if (is_transfer(each.kind) && (held || !is_send(each.kind))) {
        arrived_[at(is_back(each), edge_of(each), each)] = now_;
      }
    }
    on.at += on.taken;
    return true;
  }

  bool begin_pass(lane& on, std::size_t rank) {
    const stagecut::op& each = on.ops[on.at];
    if (!ready(each)) return false;
    if (!each.with_next) {
      begin(on, 1, length(each));
      ops[rank].push_back({each, now_, on.end});
      return true;
    }
    const stagecut::op& second = on.ops[on.at + 1];
    if (!ready(second)) return false;
    const bool listed = !times_.overlapped.empty();
    begin(on, 2, listed ? times_.overlapped[each.stage] : length(each) + length(second));
    ops[rank].push_back({each, now_, on.end});
    ops[rank].push_back({second, now_, on.end});
    return true;
  }

  bool meet(lane& on, std::size_t rank) {
    const stagecut::op& each = on.ops[on.at];
    const std::size_t e = edge_of(each);
    const bool at_from = edges_[e].from == each.stage;
    lane& other = ranks_[order_.rank_of[at_from ? edges_[e].to : edges_[e].from]];
    if (other.running || other.at == other.ops.size()) return false;
    const stagecut::op& that = other.ops[other.at];
    if (!is_transfer(that.kind) || is_send(that.kind) == is_send(each.kind)) return false;
    if (is_back(that) != is_back(each)) return false;
    if (edge_of(that) != e || that.microbatch != each.microbatch || that.slice != each.slice) return false;
    begin(on, 1, message(is_back(each), e));
    begin(other, 1, message(is_back(each), e));
    const std::size_t sender = is_send(each.kind) ? rank : order_.rank_of[that.stage];
    transfers_made[sender].push_back({is_send(each.kind) ? each : that, now_, on.end});
    return true;
  }

  bool begin_stream(lane& on, std::size_t rank) {
    const stagecut::op& each = on.ops[on.at];
    const bool back = is_back(each);
    if (!is_send(each.kind)) {
      if (!there(sent_, at(back, edge_of(each), each))) return false;
      begin(on, 1, 0);
      return true;
    }
    if (!there(made_, at(back, each.stage, each))) return false;
    begin(on, 1, message(back, edge_of(each)));
    transfers_made[rank].push_back({each, now_, on.end});
    return true;
  }

  /// Lets something end or begin at this moment.
  bool step() {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (lane* each : {&ranks_[r], &streams_[r]}) {
        if (end_lane(*each, r)) return true;
        if (each->running || each->at == each->ops.size()) continue;
        const bool computes = is_compute(each->ops[each->at].kind);
        if (computes ? begin_pass(*each, r) : each == &ranks_[r] ? meet(*each, r) : begin_stream(*each, r)) return true;
      }
    }
    for (auto& [ends, queue] : links_) {
      if (queue.running && queue.end <= now_) {
        const auto& [what, edge] = queue.waiting.front();
        arrived_[at(is_back(what), edge, what)] = now_;
        queue.waiting.pop_front();
        queue.running = false;
        return true;
      }
      if (queue.running || queue.waiting.empty()) continue;
      const auto& [what, edge] = queue.waiting.front();
      queue.running = true;
      queue.end = now_ + message(is_back(what), edge);
      transfers_made[ends.first].push_back({what, now_, queue.end});
      return true;
    }
    return false;
  }

  const stagecut::schedule& order_;
  const stagecut::pass_times<time>& times_;
  const stagecut::transfer_times<time>& transfers_;
  std::vector<stagecut::stage_edge> edges_;
  std::vector<stagecut::stage_edge> chain_{};  // where no edges are given
  bool messages_ = false;
  time now_ = 0;
  std::vector<lane> ranks_{};
  std::vector<lane> streams_{};
  std::map<std::pair<std::size_t, std::size_t>, link> links_{};
  std::map<place, time> made_{};     // by stage
  std::map<place, time> sent_{};     // by edge
  std::map<place, time> arrived_{};  // by edge
};
