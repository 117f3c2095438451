// SPDX-License-Identifier: BSL-1.0
// Candidates in parallel on a device: one thread predicts the iteration of one table of durations. Same bits as here.
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/longest_path.hpp>
#include <stagecut/schedule/task_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../gpu/device_array.hpp"

namespace {

using stagecut::view;

constexpr std::size_t candidates = 200;

/// `tables` and `ends` hold one row for each candidate.
template <class T>
__global__ void predict(view<const stagecut::task> tasks, view<const std::uint32_t> delays, const T* tables,
                        std::size_t entries, T* ends) {
  const std::size_t each = blockIdx.x * blockDim.x + threadIdx.x;
  if (each >= candidates) return;
  stagecut::longest_path<T>(tasks, delays, {tables + each * entries, entries},
                            {ends + each * (tasks.size() + 1), tasks.size() + 1});
}

template <class T>
T duration(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<T>(state >> 40U) / static_cast<T>(3);
}

/// Whether host and device agree in every end of every candidate.
template <class T>
bool agree(const stagecut::schedule& order, stagecut::transfer_kind kind, bool on_device) {
  const stagecut::task_graph graph(order, {kind, true});
  const std::vector<stagecut::task> tasks(graph.tasks().begin(), graph.tasks().end());
  const std::vector<std::uint32_t> delays(graph.delays().begin(), graph.delays().end());
  const std::size_t ends = tasks.size() + 1;

  std::uint64_t state = 1;
  std::vector<T> tables;
  std::vector<T> expected(candidates * ends);
  std::size_t entries = 0;
  for (std::size_t i = 0; i < candidates; ++i) {
    stagecut::pass_times<T> times;
    stagecut::transfer_times<T> transfers{kind, {}, {}};
    for (std::size_t s = 0; s < order.stages(); ++s) {
      times.forward.push_back(duration<T>(state));
      times.backward.push_back(duration<T>(state));
      if (s + 1 == order.stages()) break;
      transfers.forward.push_back(duration<T>(state));
      transfers.backward.push_back(duration<T>(state));
    }
    std::vector<T> table;
    graph.fill(times, transfers, table);
    entries = table.size();
    tables.insert(tables.end(), table.begin(), table.end());
    stagecut::longest_path<T>(tasks, delays, table, {expected.data() + i * ends, ends});
  }
  if (!on_device) return true;

  const device_array<stagecut::task> device_tasks(tasks);
  const device_array<std::uint32_t> device_delays(delays);
  const device_array<T> device_tables(tables);
  const device_array<T> device_ends(expected.size());
  if (device_tasks.data() == nullptr || device_tables.data() == nullptr || device_ends.data() == nullptr) return false;
  predict<T><<<(candidates + 63) / 64, 64>>>({device_tasks.data(), tasks.size()}, {device_delays.data(), delays.size()},
                                             device_tables.data(), entries, device_ends.data());
  std::vector<T> found;
  return started() && device_ends.read(found) &&
         std::memcmp(found.data(), expected.data(), expected.size() * sizeof(T)) == 0;
}

}  // namespace

int main() {
  int devices = 0;
  const bool on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices != 0;
  const stagecut::schedule order = stagecut::interleaved_one_forward_one_backward(4, 2, 8);
  using stagecut::transfer_kind;
  bool same = true;
  for (const auto kind : {transfer_kind::latency, transfer_kind::link}) {
    same = same && agree<double>(order, kind, on_device) && agree<std::int64_t>(order, kind, on_device);
  }
  if (!on_device) {
    std::printf("skipped: no device\n");
    return 77;
  }
  std::printf("%zu candidates, host and device: %s\n", candidates, same ? "the same bits" : "NOT the same bits");
  return same ? 0 : 1;
}
