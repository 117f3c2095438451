// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

#include "ranks/setup.hpp"
#include "transports/inbox.hpp"
#include "transports/transport.hpp"
#include "work/device.hpp"
#include "work/model.hpp"
#include "work/pool.hpp"
#include "work/stage.hpp"

namespace executor {

/// The events of a rank in an iteration, by a clock shared by all ranks.
struct rank_times {
  std::vector<stagecut::timed_op<double>> ops{};       ///< F, B, I, W, in its order
  std::vector<stagecut::timed_op<double>> received{};  ///< by the sending op, from sending to arrival
};

/// The result of a rank.
struct rank_result {
  std::vector<rank_times> iterations{};     ///< the measured ones
  gradients computed{};                     ///< in the last
  std::array<std::size_t, 4> peak_bytes{};  ///< per account, over all iterations
};

/// A failure on a rank, with its current op.
struct rank_failed : std::runtime_error {
  rank_failed(std::size_t rank, const std::string& at, const std::string& why, bool cause)
      : std::runtime_error(fmt::format("rank {}{}{}: {}", rank, at.empty() ? "" : ", ", at, why)), is_cause(cause) {}
  rank_failed(const std::string& all, bool cause) : std::runtime_error(all), is_cause(cause) {}
  bool is_cause;  ///< or a consequence of another failure
};

/// A rank: its stages, and the loop that runs its ops in order.
class rank_runner {
 public:
  /// @param data     transfers what the schedule sends
  /// @param control  transfers the messages by which ranks meet
  /// @param note     64 bytes for the current op, which remain even if the process is killed; null: none
  rank_runner(const run_setup& setup, std::size_t rank, device& on, transport& data, transport& control,
              char* note = nullptr)
      : setup_(setup),
        rank_(rank),
        on_(on),
        data_(data),
        control_(control),
        note_(note),
        memory_(on, setup.poison),
        tokens_(setup.timed() ? model_config{.microbatches = 0} : setup.model, on, memory_) {
    const std::size_t stages = setup.order.stages();
    stages_.resize(stages);
    for (std::size_t s = 0; s < stages; ++s) {
      if (setup.order.rank_of[s] != rank) continue;
      if (setup.timed())
        stages_[s] =
            std::make_unique<timed_stage>(&setup.hold[s * setup.order.microbatches], s == 0, s + 1 == stages, memory_);
      else
        stages_[s] = std::make_unique<layer_stage>(setup.model, tokens_, setup.cuts[s], setup.cuts[s + 1], on, memory_);
    }
  }

  /// Runs all iterations.
  /// @throws rank_failed
  [[nodiscard]] rank_result run() {
    rank_result result;
    try {
      for (std::size_t i = 0; i < setup_.warm_up + setup_.iterations; ++i) {
        rank_times times = iteration();
        if (i >= setup_.warm_up) result.iterations.push_back(std::move(times));
        if (i + 1 == setup_.warm_up + setup_.iterations && setup_.collect) collect(result.computed);
        for (const auto& stage : stages_) {
          if (stage) stage->descend(setup_.rate);
        }
      }
      on_.finish();
    } catch (const peer_failed& error) {
      throw rank_failed(rank_, at_, error.what(), false);
    } catch (const std::exception& error) {
      throw rank_failed(rank_, at_, error.what(), true);
    }
    for (std::size_t i = 0; i < result.peak_bytes.size(); ++i) {
      result.peak_bytes[i] = memory_.peak(static_cast<account>(i));
    }
    return result;
  }

 private:
  using op = stagecut::op;
  using op_kind = stagecut::op_kind;

  rank_times iteration() {
    for (const auto& stage : stages_) {
      if (stage) stage->clear();
    }
    on_.finish();
    go_to("the start");
    meet(control_, rank_, setup_.order.ranks());
    ops_.clear();
    received_.clear();
    for (const op& each : setup_.order.orders[rank_]) {
      go_to(to_string(each));
      cause_fault();
      step(each);
    }
    go_to("the end");
    on_.finish();
    rank_times result;
    for (const auto& [what, start, end] : ops_) result.ops.push_back({what, on_.seconds(start), on_.seconds(end)});
    for (const auto& [what, when] : received_) {
      result.received.push_back({what, on_.seconds(when.sent), on_.seconds(when.arrived)});
    }
    return result;
  }

  void step(const op& each) {
    switch (each.kind) {
      case op_kind::forward:
      case op_kind::backward:
      case op_kind::backward_input:
      case op_kind::backward_weight: compute(each); break;
      case op_kind::send_forward:
      case op_kind::send_backward: {
        const block content = take_mail(each.stage, each.microbatch, each.kind == op_kind::send_forward);
        data_.send(setup_.order.rank_of[other_end(each).stage], each, content.data(), content.size());
        break;
      }
      case op_kind::receive_forward:
      case op_kind::receive_backward:
        data_.expect(setup_.order.rank_of[other_end(each).stage], other_end(each), setup_.message_floats());
        break;
      default: break;  // nothing is sharded or replicated here, and the descent follows in any case
    }
  }

  /// The time of an op begins when its inputs are there.
  void compute(const op& each) {
    stage& on = *stages_[each.stage];
    const bool forward = each.kind == op_kind::forward;
    block needed = each.kind == op_kind::backward_weight ? block() : arrived(each, forward);
    const device::mark start = on_.now();
    block made;
    if (forward)
      made = on.forward(each.microbatch, std::move(needed));
    else if (each.kind == op_kind::backward)
      made = on.backward(each.microbatch, std::move(needed));
    else if (each.kind == op_kind::backward_input)
      made = on.backward_input(each.microbatch, std::move(needed));
    else
      on.backward_weight(each.microbatch);
    ops_.emplace_back(each, start, on_.now());
    if (made.data() != nullptr) mail_[{each.stage, each.microbatch, forward}] = std::move(made);
  }

  /// The input of an op: from a stage of this rank, from another one, or none at the ends of the model.
  block arrived(const op& each, bool forward) {
    if (each.stage == (forward ? 0 : stages_.size() - 1)) return {};
    const std::size_t from = forward ? each.stage - 1 : each.stage + 1;
    if (stages_[from]) return take_mail(from, each.microbatch, forward);
    const op sent{
        .kind = forward ? op_kind::send_forward : op_kind::send_backward, .stage = from, .microbatch = each.microbatch};
    block result(memory_, setup_.message_floats(), account::messages);
    received_.emplace_back(sent, data_.receive(setup_.order.rank_of[from], sent, result.data(), result.size()));
    return result;
  }

  block take_mail(std::size_t from, std::size_t microbatch, bool forward) {
    const auto found = mail_.find({from, microbatch, forward});
    if (found == mail_.end()) throw std::logic_error("what it needs was not computed");
    block result = std::move(found->second);
    mail_.erase(found);
    return result;
  }

  void go_to(std::string at) {
    at_ = std::move(at);
    if (note_ != nullptr) std::strncpy(note_, at_.c_str(), 64);
  }

  void collect(gradients& to) {
    for (const auto& stage : stages_) {
      if (stage) stage->collect(to);
    }
  }

  void cause_fault() const {
    if (setup_.fault.kind.empty() || setup_.fault.at != at_) return;
    if (setup_.fault.kind == "throw") throw std::runtime_error("a fault that was asked for");
    if (setup_.fault.kind == "kill") static_cast<void>(std::raise(SIGKILL));
    std::this_thread::sleep_for(std::chrono::duration<double>(4 * setup_.timeout));
  }

  const run_setup& setup_;
  std::size_t rank_;
  device& on_;
  transport& data_;
  transport& control_;
  char* note_;
  pool memory_;
  token_table tokens_;
  std::vector<std::unique_ptr<stage>> stages_;                        // null: on another rank
  std::map<std::tuple<std::size_t, std::size_t, bool>, block> mail_;  // produced, not yet consumed
  std::vector<std::tuple<op, device::mark, device::mark>> ops_;
  std::vector<std::pair<op, message_marks>> received_;
  std::string at_ = "the start";
};

}  // namespace executor
