// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/check_schedule.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

/// The longest path of an iteration from its definition, slow and obvious, and random schedules on which to try it.
namespace oracle {

using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::transfer_kind;

/// What runs from one moment to another, and all that must end before.
template <class T>
struct event {
  std::size_t rank = 0;
  T time{};
  std::vector<std::pair<std::size_t, T>> after{};  // an event, and how long after its end at the earliest
  bool settled = false;
  T start{};
  T end{};
};

/// An op's kind, stage, microbatch and slice.
using key = std::tuple<op_kind, std::size_t, std::size_t, std::size_t>;
[[nodiscard]] inline key key_of(const op& each) { return {each.kind, each.stage, each.microbatch, each.slice}; }
[[nodiscard]] inline key key_of(op_kind kind, std::size_t stage, const op& of) {
  return {kind, stage, of.microbatch, of.slice};
}

/// The time of a pass, by the three layouts of `pass_times`.
template <class T>
[[nodiscard]] T pass_time(const schedule& order, const stagecut::pass_times<T>& times, const op& each) {
  const auto in = [&](const std::vector<T>& values) {
    if (values.size() == order.stages()) return values[each.stage];
    if (values.size() == order.stages() * order.slices) return values[each.stage * order.slices + each.slice];
    return values.at((each.stage * order.microbatches + each.microbatch) * order.slices + each.slice);
  };
  switch (each.kind) {
    case op_kind::forward: return in(times.forward);
    case op_kind::backward_input: return in(times.backward_input);
    case op_kind::backward_weight: return in(times.backward_weight);
    default: break;
  }
  if (times.backward.empty()) return static_cast<T>(in(times.backward_input) + in(times.backward_weight));
  return in(times.backward);
}

/// An iteration as events, built from what each op waits for.
template <class T>
class iteration {
 public:
  iteration(const schedule& order, const stagecut::pass_times<T>& times, const stagecut::transfer_times<T>& transfers)
      : times_(times),
        transfers_(transfers),
        with_transfers_(!transfers.forward.empty() || !transfers.backward.empty()) {
    const bool ordered = with_transfers_ && (kind(transfer_kind::stream) || kind(transfer_kind::blocking));
    order_ = ordered && !stagecut::detail::has_transfers(order) ? stagecut::lower_transfers(order) : order;
    for (auto& ops : order_.orders) {  // transfers count only where they are ordered
      const auto counts = [&](const op& each) { return ordered || !stagecut::is_transfer(each.kind); };
      ops.erase(std::stable_partition(ops.begin(), ops.end(), counts), ops.end());
    }
    add_passes();
    passes_ = events_.size();
    if (with_transfers_ && kind(transfer_kind::link)) add_links();
    if (with_transfers_ && kind(transfer_kind::stream)) add_streams();
    if (with_transfers_ && kind(transfer_kind::blocking)) add_meetings();
    add_order();
    add_data();
    add_updates();
    settle();
  }

  /// Whether some event waits for itself.
  [[nodiscard]] bool deadlock() const {
    return std::any_of(events_.begin(), events_.end(), [](const auto& event) { return !event.settled; });
  }

  /// Whether one op waits for another one itself, or for a message that does; or the two are ends of one message.
  [[nodiscard]] bool awaits(const op& later, const op& earlier) const {
    const std::size_t from = event_of_.at(key_of(later));
    const std::size_t to = event_of_.at(key_of(earlier));
    const auto directly = [&](std::size_t at) {
      return std::any_of(events_[at].after.begin(), events_[at].after.end(),
                         [&](const auto& before) { return before.first == to; });
    };
    if (directly(from)) return true;
    if (from == to && later.kind != earlier.kind) return true;
    return std::any_of(events_[from].after.begin(), events_[from].after.end(),
                       [&](const auto& before) { return before.first >= passes_ && directly(before.first); });
  }

  /// Whether one op cannot begin before another one has ended, through whatever is between them.
  [[nodiscard]] bool depends(const op& later, const op& earlier) const {
    const std::size_t to = event_of_.at(key_of(earlier));
    std::vector<bool> seen(events_.size());
    std::vector<std::size_t> open{event_of_.at(key_of(later))};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (const auto& before : events_[at].after) {
        if (before.first == to) return true;
        if (seen[before.first]) continue;
        seen[before.first] = true;
        open.push_back(before.first);
      }
    }
    return false;
  }

  /// All that `simulate` says, but for the critical path.
  [[nodiscard]] stagecut::simulation<T> run() const {
    stagecut::simulation<T> result;
    const std::size_t ranks = order_.ranks();
    result.ranks.resize(ranks);
    result.ops.resize(ranks);
    result.transfers.resize(ranks);
    result.updates.resize(ranks);
    for (const auto& event : events_) result.makespan = std::max(result.makespan, event.end);
    for (std::size_t r = 0; r < ranks; ++r) {
      stagecut::rank_use<T>& use = result.ranks[r];
      for (std::size_t i = 0; i < order_.orders[r].size(); ++i) {
        const op& each = order_.orders[r][i];
        if (!stagecut::is_compute(each.kind)) continue;
        const auto& pass = events_[event_of_.at(key_of(each))];
        if (result.ops[r].empty()) use.first = pass.start;
        result.ops[r].push_back({each, pass.start, pass.end});
        use.last = std::max(use.last, pass.end);
        if (!each.with_next) use.busy = use.busy + pass.time;  // of two that run together the second counts
      }
      for (const op& each : sends_of(r)) result.transfers[r].push_back(timed_send(each));
      if (with_transfers_ && kind(transfer_kind::blocking)) {
        for (const std::size_t at : chain_[r]) {
          if (!is_message_[at]) continue;
          use.blocked = use.blocked + events_[at].time;
        }
      }
      for (const auto& [does, at] : updates_[r]) {
        result.updates[r].push_back({does, events_[at].start, events_[at].end});
        use.last = std::max(use.last, events_[at].end);
        if (does.kind == op_kind::optimizer_step) use.busy = use.busy + events_[at].time;
      }
      const T used = use.busy + use.blocked;
      use.idle = used < result.makespan ? result.makespan - used : T{};
      result.span = std::max(result.span, static_cast<T>(use.last - use.first));
    }
    return result;
  }

 private:
  [[nodiscard]] bool kind(transfer_kind which) const { return transfers_.kind == which; }
  [[nodiscard]] static bool is_send(op_kind kind) {
    return kind == op_kind::send_forward || kind == op_kind::send_backward;
  }
  [[nodiscard]] std::size_t rank(std::size_t stage) const { return order_.rank_of[stage]; }

  /// Of a message that leaves `stage`.
  [[nodiscard]] T transfer_time(bool forward, std::size_t stage) const {
    const std::vector<T>& values = forward ? transfers_.forward : transfers_.backward;
    if (values.empty()) return T{};
    if (values.size() == 1) return values[0];
    return values.at(forward ? stage : stage - 1);
  }

  std::size_t add(std::size_t rank, T time) {
    events_.push_back({rank, time});
    is_message_.push_back(false);
    return events_.size() - 1;
  }
  void wait(std::size_t later, std::size_t earlier, T lag = T{}) { events_[later].after.emplace_back(earlier, lag); }

  /// What a pass makes for another stage: where it goes, or nothing.
  [[nodiscard]] std::optional<std::size_t> next_stage(const op& pass) const {
    if (pass.kind == op_kind::forward && pass.stage + 1 < order_.stages()) return pass.stage + 1;
    const bool gradient = pass.kind == op_kind::backward || pass.kind == op_kind::backward_input;
    if (gradient && pass.stage > 0) return pass.stage - 1;
    return std::nullopt;
  }
  [[nodiscard]] static op send_of(const op& pass) {
    return {pass.kind == op_kind::forward ? op_kind::send_forward : op_kind::send_backward, pass.stage, pass.microbatch,
            pass.slice};
  }
  /// The event of B or I.
  [[nodiscard]] std::size_t gradient(std::size_t stage, std::size_t microbatch, std::size_t slice) const {
    const auto whole = event_of_.find({op_kind::backward, stage, microbatch, slice});
    return whole != event_of_.end() ? whole->second : event_of_.at({op_kind::backward_input, stage, microbatch, slice});
  }
  /// The event whose result a SEND carries.
  [[nodiscard]] std::size_t producer(const op& send) const {
    if (send.kind == op_kind::send_backward) return gradient(send.stage, send.microbatch, send.slice);
    return event_of_.at(key_of(op_kind::forward, send.stage, send));
  }
  /// The SEND of a RECV.
  [[nodiscard]] static key send_to(const op& receive) {
    return receive.kind == op_kind::receive_forward ? key_of(op_kind::send_forward, receive.stage - 1, receive)
                                                    : key_of(op_kind::send_backward, receive.stage + 1, receive);
  }

  /// Every pass is an event, two that run together are one.
  void add_passes() {
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      const auto& ops = order_.orders[r];
      for (std::size_t i = 0; i < ops.size(); ++i) {
        if (!stagecut::is_compute(ops[i].kind)) continue;
        T time = pass_time(order_, times_, ops[i]);
        if (ops[i].with_next) {
          time = times_.overlapped.empty() ? static_cast<T>(time + pass_time(order_, times_, ops[i + 1]))
                                           : times_.overlapped[ops[i].stage];
        }
        const std::size_t at = add(r, time);
        event_of_[key_of(ops[i])] = at;
        if (ops[i].with_next) event_of_[key_of(ops[++i])] = at;
      }
    }
  }

  /// A link from one rank to another carries one message at a time.
  void add_links() {
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> latest;
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      for (const op& each : sends_of(r)) {
        const bool forward = each.kind == op_kind::send_forward;
        const std::size_t at = add(r, transfer_time(forward, each.stage));
        event_of_[key_of(each)] = at;
        wait(at, producer(each));
        const std::pair link{r, rank(forward ? each.stage + 1 : each.stage - 1)};
        if (latest.count(link) != 0) wait(at, latest.at(link));
        latest[link] = at;
      }
    }
  }

  /// A rank sends and receives on one stream; sending takes the time.
  void add_streams() {
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      std::optional<std::size_t> latest;
      for (const op& each : order_.orders[r]) {
        if (!stagecut::is_transfer(each.kind)) continue;
        const bool sends = is_send(each.kind);
        const std::size_t at = add(r, sends ? transfer_time(each.kind == op_kind::send_forward, each.stage) : T{});
        event_of_[key_of(each)] = at;
        if (sends) wait(at, producer(each));
        if (latest) wait(at, *latest);
        latest = at;
      }
    }
    for (const auto& order : order_.orders) {
      for (const op& each : order) {
        if (stagecut::is_transfer(each.kind) && !is_send(each.kind)) {
          wait(event_of_.at(key_of(each)), event_of_.at(send_to(each)));
        }
      }
    }
  }

  /// A message is one event of both ranks.
  void add_meetings() {
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      for (const op& each : order_.orders[r]) {
        if (!is_send(each.kind)) continue;
        const std::size_t at = add(r, transfer_time(each.kind == op_kind::send_forward, each.stage));
        is_message_[at] = true;
        event_of_[key_of(each)] = at;
        wait(at, producer(each));
      }
    }
    for (const auto& order : order_.orders) {
      for (const op& each : order) {
        if (stagecut::is_transfer(each.kind) && !is_send(each.kind)) {
          event_of_[key_of(each)] = event_of_.at(send_to(each));
        }
      }
    }
  }

  /// A rank does one thing after the other.
  void add_order() {
    const bool meets = with_transfers_ && kind(transfer_kind::blocking);
    chain_.resize(order_.ranks());
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      for (const op& each : order_.orders[r]) {
        if (!stagecut::is_compute(each.kind) && !(meets && stagecut::is_transfer(each.kind))) continue;
        const std::size_t at = event_of_.at(key_of(each));
        if (!chain_[r].empty() && chain_[r].back() == at) continue;  // the second of two that run together
        if (!chain_[r].empty()) wait(at, chain_[r].back());
        chain_[r].push_back(at);
      }
    }
  }

  /// A pass waits for what another stage made, directly or as a message.
  void arrive(std::size_t at, const op& pass, std::size_t from_stage, std::size_t maker) {
    const bool forward = pass.kind == op_kind::forward;
    if (!with_transfers_ || rank(from_stage) == rank(pass.stage)) return wait(at, maker);
    if (kind(transfer_kind::latency)) return wait(at, maker, transfer_time(forward, from_stage));
    const bool streams = kind(transfer_kind::stream);
    const op_kind message = forward ? (streams ? op_kind::receive_forward : op_kind::send_forward)
                                    : (streams ? op_kind::receive_backward : op_kind::send_backward);
    wait(at, event_of_.at(key_of(message, streams ? pass.stage : from_stage, pass)));
  }

  void add_data() {
    for (const auto& order : order_.orders) {
      for (const op& each : order) {
        if (!stagecut::is_compute(each.kind)) continue;
        const std::size_t at = event_of_.at(key_of(each));
        if (each.kind == op_kind::forward) {
          if (each.stage > 0) {
            arrive(at, each, each.stage - 1, event_of_.at(key_of(op_kind::forward, each.stage - 1, each)));
          }
          if (each.slice > 0) wait(at, event_of_.at({op_kind::forward, each.stage, each.microbatch, each.slice - 1}));
        } else if (each.kind == op_kind::backward_weight) {
          wait(at, event_of_.at(key_of(op_kind::backward_input, each.stage, each)));
        } else {
          wait(at, event_of_.at(key_of(op_kind::forward, each.stage, each)));
          if (each.stage + 1 < order_.stages()) {
            arrive(at, each, each.stage + 1, gradient(each.stage + 1, each.microbatch, each.slice));
          }
          if (each.slice + 1 < order_.slices) wait(at, gradient(each.stage, each.microbatch, each.slice + 1));
        }
      }
    }
  }

  /// A rank reduces gradients one stage after the other, as they become complete, and then updates its parameters.
  void add_updates() {
    updates_.resize(order_.ranks());
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      std::optional<std::size_t> latest;
      if (!times_.all_reduce.empty()) {
        std::vector<std::size_t> complete;  // stages, the one whose last pass comes first first
        for (auto each = order_.orders[r].rbegin(); each != order_.orders[r].rend(); ++each) {
          if (!stagecut::is_compute(each->kind) || each->kind == op_kind::forward) continue;
          if (std::find(complete.begin(), complete.end(), each->stage) == complete.end()) {
            complete.insert(complete.begin(), each->stage);
          }
        }
        for (const std::size_t stage : complete) {
          const std::size_t at = add(r, times_.all_reduce[stage]);
          for (const op& each : order_.orders[r]) {
            const bool back = stagecut::is_compute(each.kind) && each.kind != op_kind::forward;
            if (back && each.stage == stage) wait(at, event_of_.at(key_of(each)));
          }
          if (latest) wait(at, *latest);
          latest = at;
          updates_[r].emplace_back(op{op_kind::reduce_gradient, stage}, at);
        }
      }
      if (times_.optimizer_step.empty()) continue;
      const std::size_t at = add(r, times_.optimizer_step[r]);
      if (!chain_[r].empty()) wait(at, chain_[r].back());
      if (latest) wait(at, *latest);
      const std::size_t stage = order_.orders[r].empty() ? 0 : order_.orders[r][0].stage;
      updates_[r].emplace_back(op{op_kind::optimizer_step, stage}, at);
    }
  }

  /// Event by event, repeatedly, as long as there is one whose dependencies are all over.
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& event : events_) {
        if (event.settled) continue;
        T start{};
        bool ready = true;
        for (const auto& [before, lag] : event.after) {
          ready = ready && events_[before].settled;
          start = std::max(start, static_cast<T>(events_[before].end + lag));
        }
        if (!ready) continue;
        event.start = start;
        event.end = start + event.time;
        event.settled = changed = true;
      }
    }
  }

  /// What a rank sends, in its order.
  [[nodiscard]] std::vector<op> sends_of(std::size_t r) const {
    std::vector<op> result;
    if (!with_transfers_) return result;
    const bool written = kind(transfer_kind::stream) || kind(transfer_kind::blocking);
    for (const op& each : order_.orders[r]) {
      if (written) {
        if (is_send(each.kind)) result.push_back(each);
      } else if (stagecut::is_compute(each.kind)) {
        if (const auto to = next_stage(each); to && rank(*to) != r) result.push_back(send_of(each));
      }
    }
    return result;
  }

  [[nodiscard]] stagecut::timed_op<T> timed_send(const op& send) const {
    if (kind(transfer_kind::latency)) {
      const T end = events_[producer(send)].end;
      return {send, end, static_cast<T>(end + transfer_time(send.kind == op_kind::send_forward, send.stage))};
    }
    const auto& message = events_[event_of_.at(key_of(send))];
    return {send, message.start, message.end};
  }

  schedule order_{};
  stagecut::pass_times<T> times_;
  stagecut::transfer_times<T> transfers_;
  bool with_transfers_;
  std::vector<event<T>> events_{};
  std::size_t passes_ = 0;  // the first events, which are passes
  std::vector<bool> is_message_{};
  std::map<key, std::size_t> event_of_{};
  std::vector<std::vector<std::size_t>> chain_{};  // what every rank does, in order
  std::vector<std::vector<std::pair<op, std::size_t>>> updates_{};
};

/// Where the ops of a random schedule send and receive.
enum class written_transfers {
  none,      ///< they do not
  together,  ///< SEND and RECV at the same moment, as ranks that block each other must
  apart      ///< RECV any time later
};

/// Random numbers below a bound, the same on every machine.
class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  [[nodiscard]] std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  [[nodiscard]] std::size_t from(std::size_t least, std::size_t most) { return least + below(most - least + 1); }
  /// True one time in `n`.
  [[nodiscard]] bool once_in(std::size_t n) { return below(n) == 0; }
  /// From 0 to 1, all 53 bits.
  [[nodiscard]] double fraction() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
  template <class Element>
  void shuffle(std::vector<Element>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 random_;
};

/// A random pipeline without ops: stages dealt out in turn, down and up, or anyhow, so that a rank may have none.
[[nodiscard]] inline schedule random_pipeline(dice& random) {
  schedule result;
  std::size_t ranks = random.from(1, 5);
  const std::size_t placement = random.below(3);
  if (placement == 0) result.rank_of = stagecut::loop_placement(ranks, random.from(1, 3));
  if (placement == 1) result.rank_of = stagecut::v_placement(ranks = random.from(1, 4));
  if (placement == 2) {
    result.rank_of.resize(random.from(1, 8));
    for (std::size_t& rank : result.rank_of) rank = random.below(ranks);
  }
  result.orders.resize(ranks);
  result.microbatches = random.from(1, 5);
  result.slices = random.once_in(4) ? random.from(2, 3) : 1;
  return result;
}

/// Runs ops that are ready, one at random after the other, until all have run: what came of it is a legal order.
class list_scheduler {
 public:
  list_scheduler(dice& random, schedule pipeline, written_transfers transfers, bool overlaps)
      : random_(random), result_(std::move(pipeline)), transfers_(transfers), overlaps_(overlaps) {
    done_.resize(result_.stages() * result_.microbatches * result_.slices * 8);
    const std::size_t split = random.below(3);  // no backward pass, every one, or one in two
    for (std::size_t s = 0; s < result_.stages(); ++s) {
      for (std::size_t k = 0; k < result_.microbatches; ++k) {
        for (std::size_t slice = 0; slice < result_.slices; ++slice) {
          left_.push_back({op_kind::forward, s, k, slice});
          if (split == 0 || (split == 2 && random.once_in(2))) {
            left_.push_back({op_kind::backward, s, k, slice});
          } else {
            left_.push_back({op_kind::backward_input, s, k, slice});
            left_.push_back({op_kind::backward_weight, s, k, slice});
          }
        }
      }
    }
    if (transfers == written_transfers::none) return;
    const std::vector<op> passes = left_;
    for (const op& each : passes) {
      const bool forward = each.kind == op_kind::forward;
      if (each.kind == op_kind::backward_weight || !crosses(each.stage, forward)) continue;
      left_.push_back(
          {forward ? op_kind::send_forward : op_kind::send_backward, each.stage, each.microbatch, each.slice});
      left_.push_back({forward ? op_kind::receive_forward : op_kind::receive_backward,
                       forward ? each.stage + 1 : each.stage - 1, each.microbatch, each.slice});
    }
  }

  [[nodiscard]] schedule run() {
    const std::size_t eager = random_.below(3);  // how much it prefers backward passes
    while (!left_.empty()) {
      std::vector<std::size_t> ready;
      std::vector<std::size_t> back;
      for (std::size_t i = 0; i < left_.size(); ++i) {
        if (!is_ready(left_[i])) continue;
        ready.push_back(i);
        if (left_[i].kind == op_kind::backward || left_[i].kind == op_kind::backward_input) back.push_back(i);
      }
      if (!back.empty() && random_.below(4) < eager) ready = back;
      const op chosen = left_[ready[random_.below(ready.size())]];
      if (chosen.kind == op_kind::forward && overlaps_ && random_.once_in(2)) {
        if (const auto partner = overlapping(chosen)) {
          op first = chosen;
          first.with_next = true;
          issue(first);
          issue(*partner);
          continue;
        }
      }
      issue(chosen);
      if (chosen.kind == op_kind::send_forward && transfers_ == written_transfers::together) {
        issue({op_kind::receive_forward, chosen.stage + 1, chosen.microbatch, chosen.slice});
      } else if (chosen.kind == op_kind::send_backward && transfers_ == written_transfers::together) {
        issue({op_kind::receive_backward, chosen.stage - 1, chosen.microbatch, chosen.slice});
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool crosses(std::size_t stage, bool down) const {
    if (down ? stage + 1 == result_.stages() : stage == 0) return false;
    return result_.rank_of[stage] != result_.rank_of[down ? stage + 1 : stage - 1];
  }
  [[nodiscard]] std::size_t place(op_kind kind, std::size_t stage, const op& of) const {
    const std::size_t pass = (stage * result_.microbatches + of.microbatch) * result_.slices + of.slice;
    return pass * 8 + static_cast<std::size_t>(kind);
  }
  [[nodiscard]] bool did(op_kind kind, std::size_t stage, const op& of) const { return done_[place(kind, stage, of)]; }
  [[nodiscard]] bool did_gradient(std::size_t stage, const op& of) const {
    return did(op_kind::backward, stage, of) || did(op_kind::backward_input, stage, of);
  }

  [[nodiscard]] bool is_ready(const op& each) const {
    const bool written = transfers_ != written_transfers::none;
    op neighbour = each;
    switch (each.kind) {
      case op_kind::forward:
        if (each.slice > 0) {
          --neighbour.slice;
          if (!did(op_kind::forward, each.stage, neighbour)) return false;
        }
        if (each.stage == 0) return true;
        if (written && crosses(each.stage, false)) return did(op_kind::receive_forward, each.stage, each);
        return did(op_kind::forward, each.stage - 1, each);
      case op_kind::backward:
      case op_kind::backward_input:
        if (!did(op_kind::forward, each.stage, each)) return false;
        if (each.slice + 1 < result_.slices) {
          ++neighbour.slice;
          if (!did_gradient(each.stage, neighbour)) return false;
        }
        if (each.stage + 1 == result_.stages()) return true;
        if (written && crosses(each.stage, true)) return did(op_kind::receive_backward, each.stage, each);
        return did_gradient(each.stage + 1, each);
      case op_kind::backward_weight: return did(op_kind::backward_input, each.stage, each);
      case op_kind::send_forward: return did(op_kind::forward, each.stage, each);
      case op_kind::send_backward: return did_gradient(each.stage, each);
      case op_kind::receive_forward:
        return transfers_ == written_transfers::apart && did(op_kind::send_forward, each.stage - 1, each);
      default: return transfers_ == written_transfers::apart && did(op_kind::send_backward, each.stage + 1, each);
    }
  }

  /// A whole backward pass of another microbatch that the rank could run, too.
  [[nodiscard]] std::optional<op> overlapping(const op& forward) const {
    for (const op& each : left_) {
      const bool here = result_.rank_of[each.stage] == result_.rank_of[forward.stage];
      if (each.kind == op_kind::backward && each.microbatch != forward.microbatch && here && is_ready(each))
        return each;
    }
    return std::nullopt;
  }

  void issue(const op& each) {
    auto& order = result_.orders[result_.rank_of[each.stage]];
    order.push_back(each);
    done_[place(each.kind, each.stage, each)] = true;
    const auto same = [&](const op& other) { return key_of(other) == key_of(each); };
    left_.erase(std::find_if(left_.begin(), left_.end(), same));
    // Ops that take no time here.
    if (!each.with_next && random_.once_in(50)) order.push_back({op_kind::unshard, each.stage});
  }

  dice& random_;
  schedule result_;
  written_transfers transfers_;
  bool overlaps_;
  std::vector<op> left_{};
  std::vector<bool> done_{};
};

/// A random order that ends.
[[nodiscard]] inline schedule random_schedule(dice& random, written_transfers transfers, bool overlaps) {
  schedule pipeline = random_pipeline(random);
  return list_scheduler(random, std::move(pipeline), transfers, overlaps).run();
}

/// A random time; one in eight is 0.
template <class T>
[[nodiscard]] T random_time(dice& random) {
  if (random.once_in(8)) return T{};
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(random.fraction() * 10);
  else
    return static_cast<T>(random.below(20));
}

template <class T>
[[nodiscard]] std::vector<T> random_times_of(dice& random, std::size_t count) {
  std::vector<T> result(count);
  for (T& each : result) each = random_time<T>(random);
  return result;
}

/// Random times for every pass of a schedule: of a stage, of a slice, or of every microbatch.
template <class T>
[[nodiscard]] stagecut::pass_times<T> random_times(dice& random, const schedule& order) {
  const std::size_t stages = order.stages();
  const auto of_passes = [&] {
    const std::size_t layout = random.below(3);
    const std::size_t each = layout == 0 ? 1 : layout == 1 ? order.slices : order.slices * order.microbatches;
    return random_times_of<T>(random, stages * each);
  };
  stagecut::pass_times<T> result;
  result.forward = of_passes();
  result.backward_input = of_passes();
  result.backward_weight = of_passes();
  if (!random.once_in(3)) result.backward = of_passes();  // otherwise it is their sum
  if (random.once_in(2)) result.overlapped = random_times_of<T>(random, stages);
  if (random.once_in(3)) result.all_reduce = random_times_of<T>(random, stages);
  if (random.once_in(3)) result.optimizer_step = random_times_of<T>(random, order.ranks());
  return result;
}

/// Random times for every message: for all boundaries the same, for each its own, or in one direction none.
template <class T>
[[nodiscard]] stagecut::transfer_times<T> random_transfers(dice& random, const schedule& order, transfer_kind kind) {
  const auto of_boundaries = [&] { return random_times_of<T>(random, random.once_in(3) ? 1 : order.stages() - 1); };
  stagecut::transfer_times<T> result;
  result.kind = kind;
  if (!random.once_in(8)) result.forward = of_boundaries();
  if (!random.once_in(8)) result.backward = of_boundaries();
  return result;
}

}  // namespace oracle
