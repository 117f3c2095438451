// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What the `time` of a stage is that takes T for both passes of a microbatch and has P bytes of parameters on each device: on r
/// replicas, beside neighbours to which x and from which x' bytes cross, over links of b bytes a second.
enum class stage_measure : std::uint8_t {
  passes,  ///< T / r
  /// PipeDream's (SOSP 2019, section 3.1) on machines of one level: `(T + 4 (r - 1) P / (b r)) / r`, as gradients are exchanged
  /// after each microbatch, and no less than the messages before and behind it, each `2 x / (b r)`, which are sent meanwhile
  pipedream,
  /// Piper's (NeurIPS 2021, section 3): `(T + 2 (x + x') / b) / r + 4 (r - 1) P / (b r M)`, with an exchange for M microbatches
  piper,
};

/// How the stages of a profile may be run.
struct device_choices {
  topology machine{{}, {}};                   ///< the devices, and the links between them
  std::vector<std::size_t> replicas{1};       ///< numbers of copies that a stage may have
  std::vector<std::size_t> ways{1};           ///< numbers of devices that may share a copy
  /// Those that layers may have, `none` for nothing; empty: all. As it is profiled a layer has its own `recomputation`; one
  /// that has no variants at all is run as it is.
  std::vector<std::string> recomputations{};
  memory_options memory{};                    ///< how memory is reckoned; without checkpoints
  /// Processors of each device, as those that share a sample. Ranks are numbered by ways first: where a copy of a stage takes
  /// several groups of the innermost level, each of its rows of `ways` processors begins at a multiple of these.
  std::size_t device_size = 1;
  /// Bytes of gradients that replicas exchange for each byte of parameters.
  double gradient_bytes = 1;
  /// What `stage_option::time` is.
  stage_measure measure = stage_measure::passes;
  std::size_t microbatches = 1;  ///< of all replicas, in an iteration: for Piper's measure
  /// Whether replicas run microbatches of their own, in place of shares of each: all stages have as many replicas then.
  bool own_microbatches = false;
  /// Whether a stage lies in one node with all its devices: a group of the outermost level but one; of one level, the machine.
  bool in_one_node = false;
  /// Whether, where there are too many ways to run a stage, such stand for several of them that are as good as each: what is
  /// planned with these alone is a bound, and no plan.
  bool hopeful = false;
  /// Whether the layers `[first, last)` may be a stage; none: any may.
  function_ref<bool(std::size_t first, std::size_t last)> allowed{};
};

}  // namespace stagecut::inline STAGECUT_ABI
