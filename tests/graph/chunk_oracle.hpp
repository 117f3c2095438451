// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/graph/virtual_partition.hpp>

#include "load_oracle.hpp"

/// The least load of devices with several chunks as it is defined: all rows of chunks, on all devices.
namespace oracle {

using stagecut::virtual_partition;
using stagecut::virtual_stage_request;

/// What a device takes with one microbatch in flight, whose memory is looked at apart.
inline priced price_device(const operator_graph& graph, load_options options, operators set, bool on_cpu,
                           std::size_t device) {
  options.in_flight = false;
  options.memory_limit.reset();
  return price(graph, options, set, on_cpu, device, device + 1);
}

class chunk_rows {
 public:
  chunk_rows(const operator_graph& graph, const virtual_stage_request& request)
      : graph_(graph), request_(request), n_(graph.operators.size()), devices_(request.devices + request.cpus) {
    std::vector<bool> following;
    for (std::size_t v = 0; v < n_; ++v) following.push_back(follows(graph, v));
    for (operators set = 0; set >> n_ == 0; ++set) {
      bool may = true;
      for (std::size_t a = 0; a < n_; ++a) {
        for (std::size_t b = 0; b < n_ && may; ++b) {
          if (holds(set, a) && !holds(set, b)) may = may_stand(graph, following, a, 0, b, 1);
        }
      }
      may_be_first_.push_back(may);
    }
  }

  /// The least load; nothing if there is no partition.
  std::optional<double> least() {
    for (std::size_t kinds = 0; kinds < std::size_t{1} << devices_; ++kinds) {
      if (static_cast<std::size_t>(__builtin_popcountll(kinds)) != request_.cpus) continue;
      table_.clear();
      for (std::size_t d = 0; d < devices_; ++d) {
        for (operators set = 0; set >> n_ == 0; ++set) {
          table_.push_back(price_device(graph_, request_.load, set, (kinds >> d & 1U) != 0, d));
        }
      }
      kinds_ = kinds;
      sets_.assign(devices_, 0);
      count_.assign(devices_, 0);
      row_.clear();
      extend(0);
    }
    return best_;
  }

  /// Bytes that a device needs in addition to those of `price_device`, for more microbatches in flight.
  static double more_memory(const operator_graph& graph, const load_options& options,
                            const std::vector<std::pair<std::size_t, operators>>& row, std::size_t device) {
    double result = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::size_t kept = options.in_flight ? row.size() - c : 1;
      if (options.in_flight && options.microbatches != 0) kept = std::min(kept, options.microbatches);
      for (std::size_t v = 0; v < graph.operators.size(); ++v) {
        const bool here = row[c].first == device && holds(row[c].second, v);
        if (here) result += static_cast<double>(kept - 1) * graph.operators[v].activations;
      }
    }
    return result;
  }

  /// Whether the operators of a set may stand on chunks before all others.
  [[nodiscard]] bool may_be_first(operators set) const { return may_be_first_[set]; }

 private:
  void extend(operators placed) {
    if (placed + 1 == operators{1} << n_) return finish();
    for (operators next = placed + 1; next >> n_ == 0; ++next) {
      if ((next & placed) != placed || !may_be_first_[next]) continue;
      for (std::size_t d = 0; d < devices_; ++d) {
        if (count_[d] == request_.stages_per_rank || (!row_.empty() && row_.back().first == d)) continue;
        row_.emplace_back(d, next ^ placed);
        sets_[d] ^= next ^ placed;
        ++count_[d];
        extend(next);
        --count_[d];
        sets_[d] ^= next ^ placed;
        row_.pop_back();
      }
    }
  }
  void finish() {
    double most = 0;
    for (std::size_t d = 0; d < devices_; ++d) {
      const bool on_cpu = (kinds_ >> d & 1U) != 0;
      if (sets_[d] == 0) {
        if (!on_cpu && !request_.at_most) return;
        continue;
      }
      const priced& each = table_[(d << n_) + sets_[d]];
      if (!each.fits || (best_ && each.figures.load >= *best_)) return;
      most = std::max(most, each.figures.load);
      if (on_cpu || !request_.load.memory_limit) continue;
      if (each.figures.memory + more_memory(graph_, request_.load, row_, d) > *request_.load.memory_limit) return;
    }
    best_ = most;
  }

  const operator_graph& graph_;
  const virtual_stage_request& request_;
  std::size_t n_;
  std::size_t devices_;
  std::vector<bool> may_be_first_{};
  std::vector<priced> table_{};  // of every device and set
  std::size_t kinds_ = 0;
  std::vector<operators> sets_{};  // of every device
  std::vector<std::size_t> count_{};
  std::vector<std::pair<std::size_t, operators>> row_{};  // device and set of every chunk
  std::optional<double> best_{};
};

/// What is wrong with the chunks of an answer; empty: nothing.
inline std::string wrong_with_chunks(const virtual_stage_request& request, const chunk_rows& all,
                                     const virtual_partition& answer,
                                     std::vector<std::pair<std::size_t, operators>>& row) {
  std::vector<std::size_t> count(answer.devices.size());
  for (const std::size_t d : answer.device_of) {
    if (d >= count.size()) return "a chunk on a device that there is not";
    if (++count[d] > request.stages_per_rank) return "a device with too many chunks";
    if (!row.empty() && row.back().first == d) return "a chunk on the device of the one before";
    row.emplace_back(d, 0);
  }
  for (std::size_t v = 0; v < answer.assignment.size(); ++v) {
    if (answer.assignment[v] >= row.size()) return "an operator in a chunk that there is not";
    row[answer.assignment[v]].second |= 1U << v;
  }
  operators placed = 0;
  for (const auto& [d, set] : row) {
    if (set == 0) return "an empty chunk";
    placed |= set;
    if (!all.may_be_first(placed)) return "an edge or a group broken";
  }
  return "";
}

/// What is wrong with an answer; empty: nothing.
inline std::string wrong_with(const operator_graph& graph, const virtual_stage_request& request, const chunk_rows& all,
                              const virtual_partition& answer) {
  if (answer.assignment.size() != graph.operators.size()) return "not every operator has a chunk";
  std::vector<std::pair<std::size_t, operators>> row;
  if (const std::string wrong = wrong_with_chunks(request, all, answer, row); !wrong.empty()) return wrong;
  std::size_t cpus = 0;
  std::size_t accelerators = 0;
  double most = 0;
  for (std::size_t d = 0; d < answer.devices.size(); ++d) {
    operators set = 0;
    for (const auto& each : row) set |= each.first == d ? each.second : 0;
    const graph_stage& said = answer.devices[d];
    if (set == 0 && said.load != 0) return "a device that holds nothing and takes time";
    if (set == 0) continue;
    ++(said.on_cpu ? cpus : accelerators);
    const priced right = price_device(graph, request.load, set, said.on_cpu, d);
    if (!right.fits) return "a device that may not hold that";
    const graph_stage& is = right.figures;
    const double memory = is.memory + chunk_rows::more_memory(graph, request.load, row, d);
    if (!said.on_cpu && request.load.memory_limit && memory > *request.load.memory_limit)
      return "a device whose memory is too small";
    const bool same = close(is.load, said.load) && close(is.forward, said.forward) && close(memory, said.memory) &&
                      close(is.backward, said.backward) && close(is.communication, said.communication);
    if (!same) return "figures of a device";
    most = std::max(most, said.load);
  }
  if (most != answer.value) return "the load";
  if (cpus > request.cpus || accelerators > request.devices) return "more devices than there are";
  if (!request.at_most && accelerators != request.devices) return "an accelerator without a chunk";
  return answer.bound <= answer.value ? "" : "a bound above the load";
}

}  // namespace oracle
