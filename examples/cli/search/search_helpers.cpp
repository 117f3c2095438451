// SPDX-License-Identifier: BSL-1.0
// Search helpers that use Thrust. When compiled by nvcc, as search_helpers.cu, they also support GPUs.
#include "search/search_system.hpp"

#include <stagecut/search/backends_on.hpp>

#include <thrust/execution_policy.h>
#ifdef CLI_WITH_OPENMP
#include <thrust/system/omp/execution_policy.h>
#endif

#include <memory>
#include <stdexcept>

namespace {

template <class Policy>
class helpers_of final : public search_helpers {
 public:
  explicit helpers_of(const Policy& policy) : helpers_(policy) {}
  [[nodiscard]] stagecut::search_backends refs() override { return helpers_.refs(); }

 private:
  stagecut::search::backends_on<Policy> helpers_;
};

template <class Policy>
std::unique_ptr<search_helpers> made_on(const Policy& policy) {
  return std::make_unique<helpers_of<Policy>>(policy);
}

}  // namespace

std::unique_ptr<search_helpers> make_search_helpers(search_system where) {
  if (where == search_system::off) return nullptr;
  if (where == search_system::gpu) {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess) throw std::invalid_argument(std::string("no GPU: ") + cudaGetErrorString(status));
    if (devices == 0) throw std::invalid_argument("no GPU");
    return made_on(thrust::device);
#else
    throw std::invalid_argument("this program was built without CUDA");
#endif
  }
#ifdef CLI_WITH_OPENMP
  return made_on(thrust::omp::par);
#else
  return made_on(thrust::seq);
#endif
}
