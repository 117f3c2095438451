// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/deadlock.hpp>
#include <stagecut/schedule/detail/duration_table.hpp>
#include <stagecut/schedule/detail/longest_path.hpp>
#include <stagecut/schedule/detail/schedule_lanes.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline v0::detail {

/// Makes tasks of the ops of a checked schedule, each behind those that it waits for.
///
/// An op waits for nothing of its own round of lanes, so that neighbouring tasks rarely wait for each other and a
/// processor runs several at once.
class task_builder {
 public:
  task_builder(const schedule& order, const task_options& options, duration_table& table)
      : order_(order),
        options_(options),
        table_(table),
        blocking_(options.with_transfers && options.transfers == transfer_kind::blocking),
        streams_(options.with_transfers && options.transfers == transfer_kind::stream),
        late_(options.with_transfers && options.transfers == transfer_kind::latency),
        lanes_(order, blocking_, streams_),
        front_(lanes_.size()),
        links_(order.ranks()),
        reduced_(order.ranks()),
        passes_left_(order.stages()) {
    const std::size_t passes = order.stages() * order.microbatches * order.slices;
    for (const bool back : {false, true}) {
      made_[back].resize(passes);
      arrived_[back].resize(passes);
      if (streams_) sent_[back].resize(passes);
    }
    for (const auto& rank : order.orders) {
      for (const op& each : rank) {
        if (is_compute(each.kind) && each.kind != op_kind::forward) ++passes_left_[each.stage];
      }
    }
  }

  /// Makes all of them.
  /// @throws invalid_input for an order that waits for itself
  void build() {
    for (auto round = lanes_.next_round(); !round.empty(); round = lanes_.next_round()) {
      done_ = static_cast<std::uint32_t>(tasks.size());
      send_messages();
      for (const std::size_t lane : round) {
        if (advance(lane)) lanes_.wake(lane);
      }
    }
    if (!lanes_.all_ended()) fail(invalid_input("schedule", deadlock_text(order_, lanes_.ended())));
    finish();
  }

  std::vector<task> tasks{};            // in an order in which they can be computed
  std::vector<std::uint32_t> delays{};  // of what each of them awaits, where results may be late
  std::vector<op> what{};               // each of them does
  std::vector<std::uint32_t> last{};    // positions of those after which the iteration is over

 private:
  struct link {
    std::size_t to = 0;       // rank
    std::uint32_t front = 0;  // its latest message
  };

  [[nodiscard]] static bool is_back(op_kind kind) noexcept {
    return kind != op_kind::forward && kind != op_kind::send_forward && kind != op_kind::receive_forward;
  }
  [[nodiscard]] std::size_t index(const op& each, std::size_t stage) const noexcept {
    return (stage * order_.microbatches + each.microbatch) * order_.slices + each.slice;
  }
  [[nodiscard]] std::size_t rank_of(const op& each) const noexcept { return order_.rank_of[each.stage]; }

  std::uint32_t add(const op& does, const task& each) {
    tasks.push_back(each);
    what.push_back(does);
    if (late_) delays.push_back(0);
    return static_cast<std::uint32_t>(tasks.size());
  }

  /// Whether there is a task at a position, and it is not of this round. Who waits for it is woken for the next one.
  [[nodiscard]] bool done(std::uint32_t position) const noexcept { return position != 0 && position <= done_; }

  bool advance(std::size_t lane) {
    const op* const each = lanes_.head(lane);
    if (each == nullptr) return false;
    if (is_compute(each->kind)) return compute(lane, *each);
    if (blocking_) return meet(lane, *each);
    return is_send(each->kind) ? send(lane, *each) : receive(lane, *each);
  }

  /// The stage whose result a pass waits for, or `stages()`.
  [[nodiscard]] std::size_t source_stage(const op& each) const noexcept {
    if (each.kind == op_kind::backward_weight) return order_.stages();
    if (is_back(each.kind)) return each.stage + 1;
    return each.stage == 0 ? order_.stages() : each.stage - 1;
  }

  [[nodiscard]] bool ready(const op& each) const noexcept {
    const bool back = is_back(each.kind);
    const std::size_t from = source_stage(each);
    if (from < order_.stages() && !done(arrived_[back][index(each, from)])) return false;
    if (each.kind == op_kind::forward) return each.slice == 0 || made_[0][index(each, each.stage) - 1] != 0;
    if (each.kind == op_kind::backward_weight || each.slice + 1 == order_.slices) return true;
    return made_[1][index(each, each.stage) + 1] != 0;
  }

  /// Makes a task of a pass that is ready.
  std::uint32_t add_pass(std::uint32_t before, const op& each, std::uint32_t time) {
    const std::size_t from = source_stage(each);
    if (from >= order_.stages()) return add(each, {before, 0, time});
    const bool back = is_back(each.kind);
    const std::uint32_t made = add(each, {before, arrived_[back][index(each, from)], time});
    if (late_ && order_.rank_of[from] != rank_of(each)) delays.back() = table_.transfer(!back, from);
    return made;
  }

  bool compute(std::size_t rank, const op& each) {
    const op* const second = each.with_next ? &each + 1 : nullptr;
    if (!ready(each) || (second != nullptr && !ready(*second))) return false;
    const std::uint32_t first = add_pass(front_[rank], each, second == nullptr ? table_.pass(each) : 0);
    front_[rank] = second == nullptr ? first : add_pass(first, *second, table_.pair(each, *second));
    complete(each, front_[rank]);
    if (second != nullptr) complete(*second, front_[rank]);
    lanes_.pass(rank, second == nullptr ? 1 : 2);
    return true;
  }

  /// Tells whoever waits for a pass that it is done, and sends its result.
  void complete(const op& each, std::uint32_t made) {
    const std::size_t rank = rank_of(each);
    if (each.kind != op_kind::forward && --passes_left_[each.stage] == 0 && options_.all_reduce) {
      op reduce{op_kind::reduce_gradient, each.stage};
      reduced_[rank] = add(reduce, {reduced_[rank], made, table_.all_reduce(each.stage)});
    }
    if (each.kind == op_kind::backward_weight) return;
    const bool back = is_back(each.kind);
    const std::size_t here = index(each, each.stage);
    made_[back][here] = made;
    if (back ? each.stage == 0 : each.stage + 1 == order_.stages()) return;
    const std::size_t to = order_.rank_of[back ? each.stage - 1 : each.stage + 1];
    if (to == rank || !options_.with_transfers || options_.transfers == transfer_kind::latency) {
      arrived_[back][here] = made;
      lanes_.wake(to);
    } else if (options_.transfers == transfer_kind::link) {
      outbox_.push_back(
          {back ? op_kind::send_backward : op_kind::send_forward, each.stage, each.microbatch, each.slice});
    } else if (streams_) {
      lanes_.wake(lanes_.stream_of(rank));
    }
  }

  /// The results of the last round leave, each behind those before it on its link.
  void send_messages() {
    for (const op& message : outbox_) {
      const bool back = is_back(message.kind);
      const std::size_t here = index(message, message.stage);
      const std::size_t to = order_.rank_of[other_end(message).stage];
      std::uint32_t& front = link_front(rank_of(message), to);
      front = add(message, {front, made_[back][here], table_.transfer(!back, message.stage)});
      arrived_[back][here] = front;
      lanes_.wake(to);
    }
    outbox_.clear();
  }

  [[nodiscard]] std::uint32_t& link_front(std::size_t from, std::size_t to) {
    for (link& each : links_[from]) {
      if (each.to == to) return each.front;
    }
    return links_[from].emplace_back(link{to, 0}).front;
  }

  /// A message begins to leave, on the stream of its rank.
  bool send(std::size_t lane, const op& each) {
    const bool back = is_back(each.kind);
    const std::size_t here = index(each, each.stage);
    if (!done(made_[back][here])) return false;
    front_[lane] = add(each, {front_[lane], made_[back][here], table_.transfer(!back, each.stage)});
    sent_[back][here] = front_[lane];
    lanes_.pass(lane);
    lanes_.wake(lanes_.stream_of(order_.rank_of[other_end(each).stage]));
    return true;
  }

  /// It arrives, on the stream of the receiving rank.
  bool receive(std::size_t lane, const op& each) {
    const bool back = is_back(each.kind);
    const std::size_t from = index(each, other_end(each).stage);
    if (!done(sent_[back][from])) return false;
    front_[lane] = add(each, {front_[lane], sent_[back][from], 0});
    arrived_[back][from] = front_[lane];
    lanes_.pass(lane);
    lanes_.wake(rank_of(each));
    return true;
  }

  /// A message holds both ranks, once both have come to it.
  bool meet(std::size_t lane, const op& each) {
    const bool back = is_back(each.kind);
    const op wanted = other_end(each);
    const std::size_t peer = rank_of(wanted);
    const op* const other = lanes_.head(peer);
    if (other == nullptr || !(*other == wanted)) return false;
    const op& message = is_send(each.kind) ? each : *other;
    const std::uint32_t moved = add(message, {front_[lane], front_[peer], table_.transfer(!back, message.stage)});
    front_[lane] = front_[peer] = moved;
    arrived_[back][index(message, message.stage)] = moved;
    lanes_.pass(lane);
    lanes_.pass(peer);
    lanes_.wake(peer);
    return true;
  }

  /// Updates the parameters, and finds what comes last.
  void finish() {
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      if (options_.optimizer_step) {
        const std::size_t stage = order_.orders[r].empty() ? 0 : order_.orders[r][0].stage;
        last.push_back(add({op_kind::optimizer_step, stage}, {front_[r], reduced_[r], table_.optimizer_step(r)}));
        continue;
      }
      if (front_[r] != 0) last.push_back(front_[r]);
      if (reduced_[r] != 0) last.push_back(reduced_[r]);
    }
  }

  const schedule& order_;
  const task_options& options_;
  duration_table& table_;
  bool blocking_;
  bool streams_;
  bool late_;  // results are under way, but nothing carries them
  schedule_lanes lanes_;
  std::vector<std::uint32_t> front_;                     // the latest task of every lane
  std::uint32_t done_ = 0;                               // tasks before this round
  std::vector<op> outbox_{};                             // messages of this round, for `link`
  std::vector<std::vector<link>> links_;                 // of every sending rank
  std::vector<std::uint32_t> reduced_;                   // the latest all-reduce of every rank
  std::vector<std::size_t> passes_left_;                 // B, I, W of every stage that are no tasks yet
  std::array<std::vector<std::uint32_t>, 2> made_{};     // F, and B or I, of every stage, microbatch and slice
  std::array<std::vector<std::uint32_t>, 2> sent_{};     // their messages, on the sender's stream
  std::array<std::vector<std::uint32_t>, 2> arrived_{};  // what the neighbouring stage waits for
};

}  // namespace stagecut::inline v0::detail
