// SPDX-License-Identifier: BSL-1.0
// What core promises to device code: compiled by nvcc wherever it is, run where there is a device.
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>

#include <cstdio>

__global__ void sum(stagecut::view<const double> items, stagecut::interval part, double* result) {
  const stagecut::view<const double> inside = items.slice(part.first, part.last);
  double total = 0;
  for (const double item : inside) total += item;
  *result = part.empty() || !part.contains(part.first) || inside.size() != part.size() ? -1 : total + inside[0];
}

int main() {
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
  if (cudaMemcpy(&result, memory + 4, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  cudaFree(memory);
  std::printf("sum on the device: %g\n", result);
  return result == 8 ? 0 : 1;
}
