// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>

#include "work/device.hpp"

namespace executor {

class gpu_stream;

/// A device on a stream of a GPU, which becomes that of the thread; products by cuBLAS, in float32 throughout. Sums are in
/// an order that does not change from run to run. Memory that is released is freed before the stream's next device.
[[nodiscard]] std::unique_ptr<device> make_gpu_device(gpu_stream& on);

}  // namespace executor
