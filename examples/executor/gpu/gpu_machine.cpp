// SPDX-License-Identifier: BSL-1.0
#include "gpu/gpu_machine.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "gpu/gpu_stream.hpp"
#include "gpu/gpu_transport.hpp"

namespace executor {
namespace {

using gpu_streams = std::vector<std::unique_ptr<gpu_stream>>;

/// Calls a function of the driver, which is not linked, so the program also starts without one.
template <class Function, class... Arguments>
void drive(const char* name, Arguments... arguments) {
  void* found = nullptr;
  auto state = cudaDriverEntryPointSymbolNotFound;
  checked(cudaGetDriverEntryPointByVersion(name, &found, CUDA_VERSION, cudaEnableDefault, &state), name);
  if (state != cudaDriverEntryPointSuccess) throw std::runtime_error(fmt::format("{}: not in this driver", name));
  const CUresult result = reinterpret_cast<Function*>(found)(arguments...);
  if (result != CUDA_SUCCESS) throw std::runtime_error(fmt::format("{}: CUresult {}", name, static_cast<int>(result)));
}

/// Divides a GPU by green contexts, which exist until the process ends: splits it once into the smallest groups of
/// multiprocessors, and gives some to every rank.
std::string divide(gpu_streams& streams, const std::vector<std::size_t>& wanted) {
  CUdevice gpu = 0;
  CUdevResource whole{};
  drive<decltype(cuDeviceGet)>("cuDeviceGet", &gpu, 0);
  drive<decltype(cuDeviceGetDevResource)>("cuDeviceGetDevResource", gpu, &whole, CU_DEV_RESOURCE_TYPE_SM);
  const unsigned least = std::max(1U, whole.sm.minSmPartitionSize);
  unsigned count = whole.sm.smCount / least;
  std::vector<CUdevResource> groups(count);
  drive<decltype(cuDevSmResourceSplitByCount)>("cuDevSmResourceSplitByCount", groups.data(), &count, &whole, nullptr,
                                               0U, least);
  std::string text;
  for (std::size_t r = 0, first = 0; r < streams.size(); ++r) {
    const unsigned size = groups.at(0).sm.smCount;
    const auto each = static_cast<unsigned>(wanted.empty() ? count / streams.size() : wanted.at(r) / size);
    if (each == 0 || first + each > count) throw std::runtime_error("there are too few multiprocessors");
    CUdevResourceDesc description = nullptr;
    CUgreenCtx context = nullptr;
    CUstream stream = nullptr;
    drive<decltype(cuDevResourceGenerateDesc)>("cuDevResourceGenerateDesc", &description, &groups[first], each);
    drive<decltype(cuGreenCtxCreate)>("cuGreenCtxCreate", &context, description, gpu, CU_GREEN_CTX_DEFAULT_STREAM);
    drive<decltype(cuGreenCtxStreamCreate)>("cuGreenCtxStreamCreate", &stream, context, CU_STREAM_NON_BLOCKING, 0);
    streams[r].reset(new gpu_stream{0, static_cast<int>(each * size), stream_handle(stream, cudaStreamDestroy)});
    text += fmt::format("{}{}", r == 0 ? "" : "+", each * size);
    first += each;
  }
  return fmt::format("green contexts of {} of {} multiprocessors", text, whole.sm.smCount);
}

}  // namespace

std::size_t gpu_count() noexcept {
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);  // so that streams share no connection
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);       // so that no first launch waits for kernels that wait for it
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? static_cast<std::size_t>(count) : 0;
}

gpu_machines make_gpu_machines(std::size_t ranks, const gpu_request& request) {
  const std::size_t gpus = gpu_count();
  if (gpus == 0) throw std::runtime_error("there is no GPU");
  const bool each_its =
      gpus >= ranks && request.multiprocessors.empty() && !request.self_nccl && (has_nccl || ranks == 1);
  const gpu_way way = each_its ? gpu_way::nccl : request.self_nccl ? gpu_way::self_nccl : gpu_way::copies;
  cudaDeviceProp properties{};
  checked(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::string text = fmt::format("{}: ", properties.name);
  std::shared_ptr<std::string> folder(new std::string(request.folder));
  const auto streams = std::make_shared<gpu_streams>(ranks);
  if (each_its) {
    text += fmt::format("{} of {} GPUs", ranks, gpus);
    if (request.folder.empty()) {
      const auto remove = [](std::string* of) { std::filesystem::remove_all(*of), delete of; };
      folder = {new std::string(std::filesystem::temp_directory_path() / "gpus-XXXXXX"), remove};
      if (mkdtemp(folder->data()) == nullptr) throw std::runtime_error("mkdtemp: failed");
    }
  } else {
    checked(cudaSetDevice(0), "cudaSetDevice");
    checked(cudaFree(nullptr), "cudaFree");  // creates the context that contains the green ones
    try {
      text += divide(*streams, request.multiprocessors);
    } catch (const std::exception& error) {
      if (!request.multiprocessors.empty()) throw;
      for (auto& each : *streams) each.reset(new gpu_stream{0, 0, make_stream()});
      text += fmt::format("undivided ({})", error.what());
    }
  }
  text += way == gpu_way::copies ? ", messages copied" : way == gpu_way::nccl ? ", NCCL" : ", NCCL to itself";
  const auto make = [=](const run_setup& setup, std::size_t rank, std::vector<inbox>& boxes) {
    if (setup.timed()) throw std::invalid_argument("GPUs hold no times");
    auto& stream = streams->at(rank);
    const int gpu = way == gpu_way::nccl ? static_cast<int>(rank) : 0;
    checked(cudaSetDevice(gpu), "cudaSetDevice");
    if (!stream) stream.reset(new gpu_stream{gpu, 0, make_stream()});
    stream->timeout = setup.timeout;
    rank_machine result{make_gpu_device(*stream), nullptr};
    result.data = std::make_unique<gpu_transport>(*stream, way, setup.order, rank, *folder, boxes);
    return result;
  };
  return {make, text};
}

}  // namespace executor
