// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/detail/deadlock.hpp>
#include <stagecut/schedule/detail/duration_table.hpp>
#include <stagecut/schedule/detail/schedule_lanes.hpp>
#include <stagecut/schedule/longest_path.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether an op goes back through the stages: every compute or transfer kind except F, SEND_F and RECV_F.
[[nodiscard]] constexpr bool is_back(op_kind kind) noexcept {
  return kind != op_kind::forward && kind != op_kind::send_forward && kind != op_kind::receive_forward;
}

/// Maps results of a microbatch and slice to tasks; 0: none yet.
class result_places {
 public:
  /// @param streams  whether sent messages are recorded, in addition to arrived ones
  result_places(const schedule& order, bool streams) : microbatches_(order.microbatches), slices_(order.slices) {
    const std::size_t parts = order.microbatches * order.slices;
    for (const bool back : {false, true}) {
      made_[back].resize(order.stages() * parts);
      arrived_[back].resize(edge_count(order) * parts);
      if (streams) sent_[back].resize(arrived_[back].size());
    }
  }

  /// F, or else B or I, of the op's stage; `slice` may differ from the op's.
  [[nodiscard]] std::uint32_t& made(const op& each, std::size_t slice) noexcept {
    return made_[is_back(each.kind)][index(each.stage, each.microbatch, slice)];
  }
  [[nodiscard]] std::uint32_t& made(const op& each) noexcept { return made(each, each.slice); }

  /// The message that leaves along an edge in the direction of the op, on the sender's stream.
  [[nodiscard]] std::uint32_t& sent(const op& each, std::size_t edge) noexcept {
    return sent_[is_back(each.kind)][index(edge, each.microbatch, each.slice)];
  }

  /// The task that receivers of the message along the edge wait for.
  [[nodiscard]] std::uint32_t& arrived(const op& each, std::size_t edge) noexcept {
    return arrived_[is_back(each.kind)][index(edge, each.microbatch, each.slice)];
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t stage_or_edge, std::size_t microbatch, std::size_t slice) const noexcept {
    return (stage_or_edge * microbatches_ + microbatch) * slices_ + slice;
  }

  std::size_t microbatches_;
  std::size_t slices_;
  std::array<std::vector<std::uint32_t>, 2> made_{};
  std::array<std::vector<std::uint32_t>, 2> sent_{};
  std::array<std::vector<std::uint32_t>, 2> arrived_{};
};

/// Checks that the number of tasks fits 32-bit indices.
/// @throws invalid_input if it does not
inline void check_task_count(std::size_t tasks) {
  if (tasks <= std::numeric_limits<std::uint32_t>::max()) return;
  fail(invalid_input("schedule", joined({"makes ", tasks, " tasks; they must be below 2^32"})));
}

/// The tasks of an iteration.
struct task_list {
  std::vector<timed_task> tasks{};      ///< in topological order
  std::vector<std::uint32_t> delays{};  ///< per task, the transfer time of its input, if results may be `late`
  std::vector<op> what{};               ///< the op of each task
  std::vector<std::uint32_t> last{};    ///< indices of the tasks that end the iteration
  bool late = false;                    ///< whether results take time to arrive without a message task

  /// Adds a task. Returns its index, from 1.
  std::uint32_t add(const op& does, const timed_task& each) {
    tasks.push_back(each);
    what.push_back(does);
    if (late) delays.push_back(0);
    return static_cast<std::uint32_t>(tasks.size());
  }
};

/// The passes that produce gradients, B, I and W, left per stage.
class passes_left {
 public:
  explicit passes_left(const schedule& order) : left_(order.stages()) {
    for (const auto& rank : order.orders) {
      for (const auto& op : rank) left_[op.stage] += makes_gradients(op.kind) ? 1U : 0U;
    }
  }

  /// Counts a pass as done. Returns whether its stage then has all gradients.
  [[nodiscard]] bool completes(const op& each) noexcept {
    return makes_gradients(each.kind) && --left_[each.stage] == 0;
  }

 private:
  [[nodiscard]] static bool makes_gradients(op_kind kind) noexcept {
    return is_compute(kind) && kind != op_kind::forward;
  }

  std::vector<std::size_t> left_;
};

/// The latest message on every link between ranks, by its task; 0: none yet.
class link_fronts {
 public:
  explicit link_fronts(std::size_t ranks) : links_(ranks) {}

  /// O(links of the sending rank), which are few.
  [[nodiscard]] std::uint32_t& at(std::size_t from, std::size_t to) {
    for (link& each : links_[from]) {
      if (each.to == to) return each.front;
    }
    return links_[from].emplace_back(link{to, 0}).front;
  }

 private:
  struct link {
    std::size_t to = 0;
    std::uint32_t front = 0;
  };
  std::vector<std::vector<link>> links_;
};

/// Turns the ops of a checked schedule into tasks in topological order.
///
/// An op depends on no op of its own round over the lanes, so neighbouring tasks rarely depend on each other and a
/// processor runs several at once. An op with several source stages follows tasks of zero time that join two results
/// each, given as receives.
class task_builder : public task_list {
 public:
  task_builder(const schedule& order, const task_options& options, duration_table& table)
      : order_(order),
        options_(options),
        table_(table),
        blocking_(options.with_transfers && options.transfers == transfer_kind::blocking),
        streams_(options.with_transfers && options.transfers == transfer_kind::stream),
        edges_(order),
        lanes_(order, blocking_, streams_),
        front_(lanes_.size()),
        links_(order.ranks()),
        places_(order, streams_),
        reduced_(order.ranks()),
        passes_left_(order) {
    // In a chain, where each pass waits for one message.
    late = options.with_transfers && options.transfers == transfer_kind::latency && order.edges.empty();
  }

  /// Builds all tasks.
  /// @throws invalid_input for a schedule with a cyclic wait, and for 2^32 tasks or more
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
    check_task_count(tasks.size());
  }

 private:
  [[nodiscard]] std::size_t rank_of(const op& each) const noexcept { return order_.rank_of[each.stage]; }

  /// The table index of the time of a message along an edge, or against it.
  [[nodiscard]] std::uint32_t time_of(const op& message, std::size_t edge) const noexcept {
    return table_.message(!is_back(message.kind), edge);
  }

  /// Whether the task at an index exists and is not of this round. Its waiters are woken for the next round.
  [[nodiscard]] bool done(std::uint32_t position) const noexcept { return position != 0 && position <= done_; }

  bool advance(std::size_t lane) {
    const op* const each = lanes_.head(lane);
    if (each == nullptr) return false;
    if (is_compute(each->kind)) return compute(lane, *each);
    if (blocking_) return meet(lane, *each);
    return is_send(each->kind) ? send(lane, *each) : receive(lane, *each);
  }

  /// The edges that carry the inputs of a pass.
  [[nodiscard]] view<const stage_links::link> sources(const op& each) const noexcept {
    if (each.kind == op_kind::backward_weight) return {};
    return edges_.of(each.stage, is_back(each.kind));
  }

  [[nodiscard]] bool ready(const op& each) noexcept {
    for (const stage_links::link& from : sources(each)) {
      if (!done(places_.arrived(each, from.edge))) return false;
    }
    if (each.kind == op_kind::forward) return each.slice == 0 || places_.made(each, each.slice - 1) != 0;
    if (each.kind == op_kind::backward_weight || each.slice + 1 == order_.slices) return true;
    return places_.made(each, each.slice + 1) != 0;
  }

  /// The task after which all inputs of a pass are there: the only one, or one that joins them.
  std::uint32_t join(const op& each) {
    const op_kind joins = is_back(each.kind) ? op_kind::receive_backward : op_kind::receive_forward;
    std::uint32_t result = 0;
    for (const stage_links::link& from : sources(each)) {
      const std::uint32_t arrived = places_.arrived(each, from.edge);
      result = result == 0 ? arrived : add({joins, each.stage, each.microbatch, each.slice}, {result, arrived, 0});
    }
    return result;
  }

  /// Adds the task of a ready pass.
  std::uint32_t add_pass(std::uint32_t before, const op& each, std::uint32_t source, std::uint32_t time) {
    const std::uint32_t made = add(each, {before, source, time});
    if (!late || source == 0) return made;
    const stage_links::link& from = sources(each)[0];
    if (crosses_ranks(order_, each.stage, from)) delays.back() = time_of(each, from.edge);
    return made;
  }

  bool compute(std::size_t rank, const op& each) {
    const op* const second = each.with_next ? &each + 1 : nullptr;
    if (!ready(each) || (second != nullptr && !ready(*second))) return false;
    const std::uint32_t source = join(each);
    if (second == nullptr) {
      front_[rank] = add_pass(front_[rank], each, source, table_.pass(each));
    } else {  // the first of the two takes no time
      const std::uint32_t other = join(*second);
      front_[rank] = add_pass(front_[rank], each, source, 0);
      front_[rank] = add_pass(front_[rank], *second, other, table_.pair(each, *second));
    }
    complete(each, front_[rank]);
    if (second != nullptr) complete(*second, front_[rank]);
    lanes_.pass(rank, second == nullptr ? 1 : 2);
    return true;
  }

  /// Wakes the waiters of a finished pass, and sends its result.
  void complete(const op& each, std::uint32_t made) {
    if (passes_left_.completes(each) && options_.all_reduce) {
      std::uint32_t& latest = reduced_[rank_of(each)];
      latest = add({op_kind::reduce_gradient, each.stage}, {latest, made, table_.all_reduce(each.stage)});
    }
    if (each.kind == op_kind::backward_weight) return;
    places_.made(each) = made;
    for (const stage_links::link& to : edges_.of(each.stage, !is_back(each.kind))) send_along(to, each, made);
  }

  /// Delivers the result of a pass to one of the stages that need it, or queues it for sending.
  void send_along(const stage_links::link& to, const op& each, std::uint32_t made) {
    const bool back = is_back(each.kind);
    const std::size_t rank = order_.rank_of[to.stage];
    std::uint32_t& arrived = places_.arrived(each, to.edge);
    if (!options_.with_transfers || late || rank == rank_of(each)) {
      arrived = made;
      return lanes_.wake(rank);
    }
    const op message{back ? op_kind::send_backward : op_kind::send_forward,
                     each.stage,
                     each.microbatch,
                     each.slice,
                     false,
                     edges_.peer(to)};
    if (options_.transfers == transfer_kind::latency) {
      arrived = add(message, {made, 0, time_of(message, to.edge)});
      lanes_.wake(rank);
    } else if (options_.transfers == transfer_kind::link) {
      outbox_.push_back({message, to.edge});
    } else if (streams_) {
      lanes_.wake(lanes_.stream_of(rank_of(each)));
    }
  }

  /// Sends the results of the last round, each after the earlier ones on its link.
  void send_messages() {
    for (const auto& [message, edge] : outbox_) {
      const std::size_t to = order_.rank_of[other_end(message).stage];
      std::uint32_t& front = links_.at(rank_of(message), to);
      front = add(message, {front, places_.made(message), time_of(message, edge)});
      places_.arrived(message, edge) = front;
      lanes_.wake(to);
    }
    outbox_.clear();
  }

  /// Starts a message, on the stream of its rank.
  bool send(std::size_t lane, const op& each) {
    const stage_links::link& along = *edges_.find(each);
    const std::uint32_t made = places_.made(each);
    if (!done(made)) return false;
    front_[lane] = add(each, {front_[lane], made, time_of(each, along.edge)});
    places_.sent(each, along.edge) = front_[lane];
    lanes_.pass(lane);
    lanes_.wake(lanes_.stream_of(order_.rank_of[along.stage]));
    return true;
  }

  /// Receives a message, on the stream of the receiving rank.
  bool receive(std::size_t lane, const op& each) {
    const std::size_t edge = edges_.find(each)->edge;
    const std::uint32_t sent = places_.sent(each, edge);
    if (!done(sent)) return false;
    front_[lane] = add(each, {front_[lane], sent, 0});
    places_.arrived(each, edge) = front_[lane];
    lanes_.pass(lane);
    lanes_.wake(rank_of(each));
    return true;
  }

  /// Transfers a message that blocks both ranks, once both have reached it.
  bool meet(std::size_t lane, const op& each) {
    const op wanted = other_end(each);
    const std::size_t peer = rank_of(wanted);
    const op* const other = lanes_.head(peer);
    if (other == nullptr || !(*other == wanted)) return false;
    const op& message = is_send(each.kind) ? each : *other;
    const std::size_t edge = edges_.find(message)->edge;
    const std::uint32_t moved = add(message, {front_[lane], front_[peer], time_of(message, edge)});
    front_[lane] = front_[peer] = moved;
    places_.arrived(message, edge) = moved;
    lanes_.pass(lane);
    lanes_.pass(peer);
    lanes_.wake(peer);
    return true;
  }

  /// Adds the update of the parameters, and finds the last tasks.
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
  stage_links edges_;
  schedule_lanes lanes_;
  std::vector<std::uint32_t> front_;                  // the latest task of every lane
  std::uint32_t done_ = 0;                            // tasks before this round
  std::vector<std::pair<op, std::size_t>> outbox_{};  // messages of this round and their edges, for `link`
  link_fronts links_;                                 // also for `link`
  result_places places_;                              // of passes and messages
  std::vector<std::uint32_t> reduced_;                // the latest all-reduce of every rank
  passes_left passes_left_;                           // that are not tasks yet
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
