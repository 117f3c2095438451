// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <map>
#include <set>

#include <stagecut/schedule/schedule.hpp>

#include "gpu/gpu_stream.hpp"
#include "gpu/nccl.hpp"
#include "transports/inbox.hpp"
#include "transports/transport.hpp"

namespace executor {

/// The transport of messages: copies on one GPU; NCCL, from a GPU to itself; or NCCL, from GPU to GPU.
enum class gpu_way { copies, self_nccl, nccl };

/// One stream per directed edge between ranks. A message is copied to its own memory, sent over the edge's stream to
/// memory of the receiver, and copied from there on the receiver's compute stream. No thread waits for a GPU.
class gpu_transport final : public transport {
  struct travelling {
    std::shared_ptr<staging> content;
    message_marks marks;
  };
  struct link {
    stream_handle stream{};
    std::shared_ptr<communicator> over{};
  };

 public:
  /// @param boxes   of all ranks; by NCCL between GPUs only the own one is used
  /// @param folder  where ranks that use NCCL between GPUs meet
  gpu_transport(gpu_stream& of, gpu_way way, const stagecut::schedule& order, std::size_t rank,
                const std::string& folder, std::vector<inbox>& boxes)
      : of_(of), way_(way), rank_(rank), boxes_(boxes) {
    std::set<std::pair<std::size_t, std::size_t>> edges;  // all ranks create theirs in this order, and so meet
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      for (const stagecut::op& op : order.orders[r]) {
        if (is_send(op.kind)) edges.emplace(r, order.rank_of[other_end(op).stage]);
      }
    }
    for (const auto& [from, to] : edges) {
      if (from != rank && (to != rank || way != gpu_way::nccl)) continue;
      link& made = links_[{from, to}] = {make_stream(), nullptr};
      if (way == gpu_way::copies) continue;
      const std::string file = folder + "/edge-" + std::to_string(from) + "-" + std::to_string(to);
      made.over = std::make_shared<communicator>(way == gpu_way::self_nccl, from == rank ? 0 : 1, file, of.timeout);
      if (way == gpu_way::self_nccl) {
        of.kept.insert(of.kept.end(), {made.over, made.stream});  // ending it would stop running ranks
      } else {
        const auto nothing = of.stage(1);  // sent to establish the connection
        float* const at = nothing->data.get();
        made.over->transfer(from == rank ? at : nullptr, to == rank ? at : nullptr, 1, made.stream);
        record(nothing->taken, made.stream);
      }
    }
  }

  void send(std::size_t to, const stagecut::op& what, const float* data, std::size_t count) override {
    const link& by = links_.at({rank_, to});
    const auto out = of_.stage(count);
    copy(out->data.get(), data, count, of_.stream);
    const device::mark sent = of_.mark(of_.stream);
    wait_for(sent, by.stream);
    const auto in = way_ == gpu_way::nccl ? nullptr : of_.stage(count);
    if (by.over)
      by.over->transfer(out->data.get(), in ? in->data.get() : nullptr, count, by.stream);
    else
      copy(in->data.get(), out->data.get(), count, by.stream);
    record(out->taken, by.stream);
    if (in) put(to, rank_, what, {in, {sent, of_.mark(by.stream)}});
  }
  /// With NCCL between GPUs a message counts as sent once its receive is posted.
  void expect(std::size_t from, const stagecut::op& what, std::size_t count) override {
    if (way_ != gpu_way::nccl) return;
    const link& by = links_.at({from, rank_});
    const auto in = of_.stage(count);
    const device::mark posted = of_.mark(by.stream);
    by.over->transfer(nullptr, in->data.get(), count, by.stream);
    put(rank_, from, what, {in, {posted, of_.mark(by.stream)}});
  }
  message_marks receive(std::size_t from, const stagecut::op& what, float* data, std::size_t count) override {
    const message got = boxes_[rank_].take(from, what, of_.timeout);
    const auto& [content, marks] = *static_cast<const travelling*>(got.on_device.get());
    if (content->count != count) throw std::runtime_error("a message of another size came");
    wait_for(marks.arrived, of_.stream);
    copy(data, content->data.get(), count, of_.stream);
    record(content->taken, of_.stream);
    return marks;
  }

 private:
  static void wait_for(const device::mark& at, const stream_handle& on) {
    checked(cudaStreamWaitEvent(on.get(), static_cast<cudaEvent_t>(at.event), 0), "cudaStreamWaitEvent");
  }
  void put(std::size_t to, std::size_t from, const stagecut::op& what, const travelling& content) {
    boxes_[to].put(from, what, {.on_device = std::make_shared<const travelling>(content)});
  }
  gpu_stream& of_;
  gpu_way way_;
  std::size_t rank_;
  std::vector<inbox>& boxes_;
  std::map<std::pair<std::size_t, std::size_t>, link> links_{};
};

}  // namespace executor
