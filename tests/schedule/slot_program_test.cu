// SPDX-License-Identifier: BSL-1.0
// A slot program on a device: one thread a candidate, durations and slots of a block's threads side by side, the slots
// in shared memory. Same bits as the task graph here.
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/lanes.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/schedule/task_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../gpu/device_array.hpp"

namespace {

using stagecut::slot_steps;

constexpr unsigned block = 32;
constexpr std::size_t candidates = 6 * block + 8;  // the last block is not full

/// `times` holds, for each block, the durations of its candidates side by side.
template <class T>
__global__ void predict(slot_steps steps, const T* times, T* makespans) {
  extern __shared__ __align__(16) unsigned char room[];
  const std::size_t each = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (each >= candidates) return;
  const T* const own = times + blockIdx.x * steps.durations * block + threadIdx.x;
  T* const state = reinterpret_cast<T*>(room) + threadIdx.x;
  makespans[each] = steps.makespan(own, state, block);
}

template <class T>
T duration(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<T>(state >> 40U) / static_cast<T>(3);
}

/// The durations of all candidates, as `predict` reads them, and what a task graph says of each.
template <class T>
void make_candidates(const stagecut::task_graph& graph, const stagecut::slot_program& program, std::size_t stages,
                     std::vector<T>& times, std::vector<T>& makespans) {
  std::uint64_t state = 1;
  stagecut::simulation_workspace<T> workspace;
  const std::size_t durations = program.durations().size();
  times.resize((candidates + block - 1) / block * block * durations);
  for (std::size_t i = 0; i < candidates; ++i) {
    stagecut::pass_times<T> passes;
    stagecut::transfer_times<T> transfers{graph.options().transfers, {}, {}};
    for (std::size_t s = 0; s < stages; ++s) {
      passes.forward.push_back(duration<T>(state));
      passes.backward.push_back(duration<T>(state));
      if (s + 1 == stages) break;
      transfers.forward.push_back(duration<T>(state));
      transfers.backward.push_back(duration<T>(state));
    }
    makespans.push_back(graph.makespan(passes, transfers, workspace));
    for (std::size_t d = 0; d < durations; ++d) {
      times[(i / block * durations + d) * block + i % block] = workspace.table[program.durations()[d]];
    }
  }
}

/// Whether lanes on the host agree, in a file that a CUDA compiler reads.
template <class T>
bool lanes_agree(const stagecut::slot_program& program, const std::vector<T>& times, const std::vector<T>& expected) {
  stagecut::lanes<T> lanes(program);
  const std::size_t durations = program.durations().size();
  for (std::size_t i = 0; i + lanes.width <= candidates; i += lanes.width) {
    for (std::size_t l = 0; l < lanes.width; ++l) {
      for (std::size_t d = 1; d < durations; ++d) {
        lanes.time(d, l) = times[((i + l) / block * durations + d) * block + (i + l) % block];
      }
    }
    if (std::memcmp(lanes.run().data(), expected.data() + i, lanes.width * sizeof(T)) != 0) return false;
  }
  return true;
}

/// Whether host and device agree in every candidate.
template <class T>
bool agree(const stagecut::schedule& order, stagecut::transfer_kind kind, bool on_device) {
  const stagecut::task_graph graph(order, {kind, true});
  const stagecut::slot_program program(graph);
  std::vector<T> times;
  std::vector<T> expected;
  make_candidates(graph, program, order.stages(), times, expected);
  if (!lanes_agree(program, times, expected)) return false;
  if (!on_device) return true;

  device_memory memory;
  const slot_steps steps = stagecut::detail::placed(program, memory);
  const device_array<T> device_times(times);
  const device_array<T> makespans(expected.size());
  if (!memory.complete() || device_times.data() == nullptr || makespans.data() == nullptr) return false;
  predict<T><<<(candidates + block - 1) / block, block, steps.slots * block * sizeof(T)>>>(steps, device_times.data(),
                                                                                           makespans.data());
  std::vector<T> found;
  return started() && makespans.read(found) &&
         std::memcmp(found.data(), expected.data(), expected.size() * sizeof(T)) == 0;
}

}  // namespace

int main() {
  int devices = 0;
  const bool on_device = cudaGetDeviceCount(&devices) == cudaSuccess && devices != 0;
  const stagecut::schedule order = stagecut::interleaved_one_forward_one_backward(4, 2, 8);
  using stagecut::transfer_kind;
  bool same = true;
  for (const auto kind :
       {transfer_kind::latency, transfer_kind::link, transfer_kind::stream, transfer_kind::blocking}) {
    same = same && agree<double>(order, kind, on_device) && agree<std::int64_t>(order, kind, on_device);
    same = same && agree<float>(order, kind, on_device) && agree<std::int32_t>(order, kind, on_device);
  }
  if (same && !on_device) {
    std::printf("skipped: no device\n");
    return 77;
  }
  std::printf("%zu candidates, host and device: %s\n", candidates, same ? "the same bits" : "NOT the same bits");
  return same ? 0 : 1;
}
