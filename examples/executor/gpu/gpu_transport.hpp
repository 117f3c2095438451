// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

#include "gpu/gpu_stream.hpp"
#include "gpu/nccl.hpp"
#include "transports/inbox.hpp"
#include "transports/transport.hpp"

namespace executor {

/// How messages travel: copied on the one GPU; by NCCL, from it to itself; or by NCCL, from GPU to GPU.
enum class gpu_way { copies, self_nccl, nccl };

/// A stream for every directed edge between ranks. What is sent is copied to memory of its own, goes from there over the
/// edge's stream to memory of the receiver, and is copied from that on the stream that the receiver computes on. No thread
/// waits for a GPU. Between threads a message also comes to the inbox, by which a rank hears that another one has failed.
class gpu_transport final : public transport {
  struct travelling {
    std::shared_ptr<staging> content{};
    device::mark sent{}, arrived{};
  };
  struct link {
    stream_handle stream{};
    std::shared_ptr<communicator> over{};
  };
  using key_type = std::tuple<std::size_t, stagecut::op_kind, std::size_t, std::size_t>;

 public:
  /// @param boxes  of all ranks; null between processes, where only NCCL tells what comes
  gpu_transport(gpu_stream& of, gpu_way way, const stagecut::schedule& order, std::size_t rank, unique_ids& ids,
                std::vector<inbox>* boxes)
      : of_(of), way_(way), rank_(rank), boxes_(boxes) {
    std::set<gpu_edge> edges;  // in their order all ranks make them: the two ends of each meet
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      for (const stagecut::op& each : order.orders[r]) {
        if (is_send(each.kind)) edges.emplace(r, order.rank_of[other_end(each).stage]);
      }
    }
    for (const gpu_edge& each : edges) {
      const bool sends = each.first == rank;
      if (!sends && (way != gpu_way::nccl || each.second != rank)) continue;
      link& made = links_[each] = {make_stream(), nullptr};
      if (way == gpu_way::copies) continue;
      made.over = std::make_shared<communicator>(ids, each, sends, way == gpu_way::self_nccl, of.timeout);
      if (way == gpu_way::self_nccl) of.kept.push_back(made.over);  // to end it would stop those that still run
      float* const nothing = of.stage(1)->data.get();
      if (way == gpu_way::nccl) made.over->transfer(sends ? nothing : nullptr, sends ? nullptr : nothing, 1, made.stream.get());
    }
  }

  void send(std::size_t to, const stagecut::op& what, const float* data, std::size_t count) override {
    const link& by = links_.at({rank_, to});
    const auto out = of_.stage(count);
    copy(out->data.get(), data, count, of_.stream.get());
    travelling content{nullptr, of_.mark(of_.stream.get()), {}};
    gpu_stream::wait_for(content.sent, by.stream.get());
    if (way_ != gpu_way::nccl) content.content = of_.stage(count);
    float* const in = content.content ? content.content->data.get() : nullptr;
    if (by.over)
      by.over->transfer(out->data.get(), in, count, by.stream.get());
    else
      copy(in, out->data.get(), count, by.stream.get());
    taken(*out, by.stream.get());
    content.arrived = of_.mark(by.stream.get());
    if (boxes_ != nullptr) (*boxes_)[to].put(rank_, what, {.on_device = std::make_shared<travelling>(std::move(content))});
  }

  void expect(std::size_t from, const stagecut::op& what, std::size_t count) override {
    if (way_ != gpu_way::nccl) return;
    const link& by = links_.at({from, rank_});
    travelling content{of_.stage(count), of_.mark(by.stream.get()), {}};
    by.over->transfer(nullptr, content.content->data.get(), count, by.stream.get());
    content.arrived = of_.mark(by.stream.get());
    expected_[{from, what.kind, what.stage, what.microbatch}] = std::move(content);
  }

  /// Where no inbox tells it, a message counts as sent when it could be received.
  message_marks receive(std::size_t from, const stagecut::op& what, float* data, std::size_t count) override {
    travelling content;
    if (boxes_ != nullptr) {
      content = *std::static_pointer_cast<const travelling>((*boxes_)[rank_].take(from, what, of_.timeout).on_device);
    }
    if (way_ == gpu_way::nccl) {
      auto mine = expected_.extract({from, what.kind, what.stage, what.microbatch});
      if (mine.empty()) throw std::logic_error("its receipt was not posted");
      if (boxes_ != nullptr) mine.mapped().sent = content.sent;
      content = std::move(mine.mapped());
    }
    if (content.content->count != count) throw std::runtime_error("a message of another size came");
    gpu_stream::wait_for(content.arrived, of_.stream.get());
    copy(data, content.content->data.get(), count, of_.stream.get());
    taken(*content.content, of_.stream.get());
    return {content.sent, content.arrived};
  }

 private:
  static void taken(const staging& from, cudaStream_t on) {
    checked(cudaEventRecord(from.taken.get(), on), "cudaEventRecord");
  }
  gpu_stream& of_;
  gpu_way way_;
  std::size_t rank_;
  std::vector<inbox>* boxes_;
  std::map<gpu_edge, link> links_{};
  std::map<key_type, travelling> expected_{};
};

}  // namespace executor
