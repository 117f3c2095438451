// SPDX-License-Identifier: BSL-1.0
#include "gpu/gpu_machine.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "gpu/gpu_device.hpp"
#include "gpu/gpu_stream.hpp"
#include "gpu/gpu_transport.hpp"

namespace executor {
namespace {

struct shared_gpus {
  shared_gpus(std::size_t ranks, gpu_way by, const std::string& folder) : streams(ranks), way(by), ids(folder) {}
  std::vector<std::unique_ptr<gpu_stream>> streams;
  gpu_way way;
  unique_ids ids;
};

/// Calls a function of the driver, which the program is not linked with: it also starts where there is none.
template <class Function, class... Arguments>
void drive(const char* name, Arguments... arguments) {
  void* found = nullptr;
  auto state = cudaDriverEntryPointSymbolNotFound;
  checked(cudaGetDriverEntryPointByVersion(name, &found, CUDA_VERSION, cudaEnableDefault, &state), name);
  if (state != cudaDriverEntryPointSuccess) throw std::runtime_error(fmt::format("{}: not in this driver", name));
  const CUresult result = reinterpret_cast<Function*>(found)(arguments...);
  if (result != CUDA_SUCCESS) throw std::runtime_error(fmt::format("{}: CUresult {}", name, static_cast<int>(result)));
}

/// A green context of some groups of multiprocessors, and a stream on it.
std::unique_ptr<gpu_stream> green_stream(CUdevice gpu, CUdevResource* groups, unsigned count) {
  CUdevResourceDesc description = nullptr;
  CUgreenCtx context = nullptr;
  CUstream stream = nullptr;
  drive<decltype(cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc", &description, groups, count);
  drive<decltype(cuGreenCtxCreate)>("cuGreenCtxCreate", &context, description, gpu, CU_GREEN_CTX_DEFAULT_STREAM);
  drive<decltype(cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate", &stream, context, CU_STREAM_NON_BLOCKING, 0);
  CUdevResource got{};
  drive<decltype(cuGreenCtxGetDevResource)>("cuGreenCtxGetDevResource", context, &got, CU_DEV_RESOURCE_TYPE_SM);
  const auto end = [context](CUstream of) {
    cudaStreamDestroy(of);
    try {
      drive<decltype(cuGreenCtxDestroy)>("cuGreenCtxDestroy", context);
    } catch (const std::exception&) {  // nothing is left to be done
    }
  };
  return std::make_unique<gpu_stream>(0, stream_handle(stream, end), static_cast<int>(got.sm.smCount));
}

/// Divides a GPU by green contexts: it is split once into the smallest groups, and every rank is given some.
std::string divide(std::vector<std::unique_ptr<gpu_stream>>& streams, const std::vector<std::size_t>& wanted) {
  CUdevice gpu = 0;
  CUdevResource whole{};
  drive<decltype(cuDeviceGet)>("cuDeviceGet", &gpu, 0);
  drive<decltype(cuDeviceGetDevResource)>("cuDeviceGetDevResource", gpu, &whole, CU_DEV_RESOURCE_TYPE_SM);
  unsigned count = whole.sm.smCount / std::max(1U, whole.sm.minSmPartitionSize);
  std::vector<CUdevResource> groups(count);
  drive<decltype(cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount", groups.data(), &count, &whole, nullptr, 0U,
                                               whole.sm.minSmPartitionSize);
  std::string text;
  for (std::size_t r = 0, first = 0; r < streams.size(); ++r) {
    const std::size_t each = wanted.empty() ? count / streams.size() : wanted.at(r) / groups.front().sm.smCount;
    if (each == 0 || first + each > count) throw std::runtime_error("there are too few multiprocessors");
    streams[r] = green_stream(gpu, &groups[first], static_cast<unsigned>(each));
    text += fmt::format("{}{}", r == 0 ? "" : ", ", streams[r]->multiprocessors);
    first += each;
  }
  return fmt::format("green contexts of {} of its {} multiprocessors", text, whole.sm.smCount);
}

}  // namespace

std::size_t gpu_count() noexcept {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // so that streams share none
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);       // so that no first launch waits for kernels that wait for it
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? static_cast<std::size_t>(count) : 0;
}

gpu_machines make_gpu_machines(std::size_t ranks, const gpu_request& request) {
  const std::size_t gpus = gpu_count();
  if (gpus == 0) throw std::runtime_error("there is no GPU");
  const bool alone = request.multiprocessors.empty() && !request.self_nccl && gpus >= ranks && (has_nccl || ranks == 1);
  if (!alone && !request.folder.empty()) throw std::runtime_error("processes need a GPU each, and NCCL");
  const gpu_way way = alone && ranks > 1 ? gpu_way::nccl : request.self_nccl ? gpu_way::self_nccl : gpu_way::copies;
  const auto all = std::make_shared<shared_gpus>(ranks, way, request.folder);
  cudaDeviceProp properties{};
  checked(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::string text = fmt::format("{}: ", properties.name);
  if (alone) {
    text += fmt::format("{} of {}", ranks, gpus);
  } else {
    checked(cudaSetDevice(0), "cudaSetDevice");
    checked(cudaFree(nullptr), "cudaFree");  // makes the context that green ones are parts of
    try {
      text += divide(all->streams, request.multiprocessors);
    } catch (const std::exception& error) {
      if (!request.multiprocessors.empty()) throw;
      for (auto& each : all->streams) each = std::make_unique<gpu_stream>(0, make_stream(), 0);
      text += fmt::format("one stream a rank, undivided: {}", error.what());
    }
  }
  text += way == gpu_way::copies ? "; messages are copied" : way == gpu_way::nccl ? "; NCCL" : "; NCCL to itself";
  const auto make = [all, by_files = !request.folder.empty()](const run_setup& setup, std::size_t rank,
                                                               std::vector<inbox>& boxes) {
    if (setup.timed()) throw std::invalid_argument("no time can be held on a GPU");
    auto& stream = all->streams.at(rank);
    const int gpu = stream ? stream->gpu : static_cast<int>(rank);
    checked(cudaSetDevice(gpu), "cudaSetDevice");
    if (!stream) stream = std::make_unique<gpu_stream>(gpu, make_stream(), 0);
    stream->timeout = setup.timeout;
    rank_machine result;
    result.on = make_gpu_device(*stream);
    result.data = std::make_unique<gpu_transport>(*stream, all->way, setup.order, rank, all->ids, by_files ? nullptr : &boxes);
    return result;
  };
  return {make, text};
}

}  // namespace executor
