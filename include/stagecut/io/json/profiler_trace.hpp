// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/tables/layer_ranges.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The device time of a layer, in seconds. A run is one microbatch: each time that the layer's range is entered outside
/// of a backward pass.
struct traced_layer {
  std::string name{};              ///< of the layer
  std::vector<double> forward{};   ///< of each run with kernels in the forward pass, in the order of the runs
  std::vector<double> backward{};  ///< of each run with kernels in the backward pass; includes recomputation

  /// Equal in every part.
  friend bool operator==(const traced_layer&, const traced_layer&) = default;
};

/// All kernels with one name.
struct traced_kernels {
  std::string name{};     ///< of the kernel
  std::size_t count = 0;  ///< of its runs
  double seconds = 0;     ///< of device time

  /// Equal in every part.
  friend bool operator==(const traced_kernels&, const traced_kernels&) = default;
};

/// Device time by layer.
struct profiler_trace {
  std::vector<traced_layer> layers{};          ///< with kernels, in the order of their first ranges
  std::vector<traced_kernels> unattributed{};  ///< kernels of no layer, the longest first
  std::vector<std::string> other_ranges{};     ///< names of annotations and modules that are no layer, each once
  std::size_t kernels = 0;                     ///< kernels, copies and fills of memory
  std::size_t attributed = 0;                  ///< of these, those of a layer
  double busy = 0;                             ///< seconds in which a device ran any of them, over all devices
  double span = 0;                             ///< seconds from the first start to the last end, over all devices
  std::size_t steps = 0;                       ///< ranges `ProfilerStep#N`

  /// Seconds of device time without a layer.
  [[nodiscard]] double unattributed_seconds() const noexcept {
    double seconds = 0;
    for (const traced_kernels& kernels_of_name : unattributed) seconds += kernels_of_name.seconds;
    return seconds;
  }
};

/// Reads the device time of layers from a trace of PyTorch's profiler, the JSON that `export_chrome_trace` and
/// `tensorboard_trace_handler` write.
///
/// **Layer of a kernel.** Its `correlation` leads to the call that launched it (without one, its `External id` to the
/// operator), and the call to the innermost range around it on that thread that has a layer. A range has a layer if its
/// name is one of `layers`, or if it is an operator of the backward pass whose forward operator ran in a layer: the
/// operator that the flow `fwdbwd` connects, else the last one with the same `Sequence number`. The accumulation of
/// gradients, which has no number, belongs to the backward operator before it on the thread. Kernels of a CUDA graph all
/// belong to its launch.
///
/// **Pass.** Kernels launched within an operator of the backward pass, or a range that states it, are of the backward
/// pass, recomputation included; all others are of the forward pass.
///
/// **Time.** An instant in which several kernels of a device run, on any streams, counts once: it is divided equally among
/// them. Kernels of NCCL and copies get only instants in which no other kernel runs; communication that computation hides
/// takes no time. So the times of all layers and of `unattributed` add up to `busy`. Gaps between kernels belong to
/// nobody.
///
/// @param source  the text's name in errors: its file name
/// @param layers  which ranges are layers
/// @param limits  limits on the input
/// @throws        invalid_input at `SOURCE:LINE` for invalid JSON, else at `SOURCE#POINTER`: no `traceEvents`, an event
///                without its times or with a negative duration; at `SOURCE` for a compressed file, and a trace without
///                kernels
///
/// O(n log n) for n events.
///
/// Sources: categories, fields and flows as libkineto writes them (pytorch/kineto, `libkineto/src/output_json.cpp`);
/// numbers and flows of forward and backward operators from PyTorch, `torch/csrc/profiler/collection.cpp`; a trace with
/// both passes in HolisticTraceAnalysis, `tests/data/call_stack/backward_thread.json`.
[[nodiscard]] STAGECUT_DECL profiler_trace read_profiler_trace(std::string_view text, std::string_view source,
                                                               const layer_ranges& layers,
                                                               const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/profiler_trace.ipp>
#endif
