// SPDX-License-Identifier: BSL-1.0
// nvcc reads all headers wherever it is; what core promises to device code is run where there is a device.
#include <stagecut/stagecut.hpp>

#include <cstdio>
#include <vector>

#include "../gpu/device_array.hpp"

__global__ void sum(stagecut::view<const double> items, stagecut::interval part, double* result) {
  const stagecut::view<const double> inside = items.slice(part.first, part.last);
  double total = 0;
  for (const double item : inside) total += item;
  *result = part.empty() || !part.contains(part.first) || inside.size() != part.size() ? -1 : total + inside[0];
}

int main() {
  const std::vector<int> chain{3, 1, 4, 1, 5};
  const auto best = stagecut::minimize_bottleneck(stagecut::prefix_sums(chain), 3);
  if (best->value != 5) return 1;

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no device\n");
    return 77;
  }
  const double items[] = {1, 2, 4, 8};
  double* memory = nullptr;
  double result = 0;
  if (cudaMalloc(&memory, sizeof items + sizeof result) != cudaSuccess) return 1;
  cudaMemcpy(memory, items, sizeof items, cudaMemcpyHostToDevice);
  sum<<<1, 1>>>({memory, 4}, {1, 3}, memory + 4);
  if (!started()) return 1;
  if (cudaMemcpy(&result, memory + 4, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  cudaFree(memory);
  std::printf("sum on the device: %g\n", result);
  return result == 8 ? 0 : 1;
}
