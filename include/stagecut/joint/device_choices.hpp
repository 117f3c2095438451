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

/// The definitions of a stage's `time`. The stage takes T for both passes of a microbatch, has P bytes of parameters on
/// each device and r replicas, exchanges x and x' bytes with its neighbours, and its links carry b bytes a second.
enum class stage_measure : std::uint8_t {
  passes,  ///< T / r
  /// PipeDream (SOSP 2019, section 3.1) on machines of one level: `(T + 4 (r - 1) P / (b r)) / r`, as gradients are
  /// exchanged after each microbatch, and at least each of the messages before and after the stage, `2 x / (b r)`,
  /// which overlap with it
  pipedream,
  /// Piper (NeurIPS 2021, section 3): `(T + 2 (x + x') / b) / r + 4 (r - 1) P / (b r M)`, one exchange for M microbatches
  piper,
};

/// How the stages of a profile may be run.
struct device_choices {
  topology machine{{}, {}};                     ///< the devices, and the links between them
  std::vector<std::size_t> replicas{1};         ///< numbers of replicas that a stage may have
  std::vector<std::size_t> tensor_parallel{1};  ///< tensor-parallel degrees that a replica may have
  /// Recomputations that layers may use, `none` for no recomputation; empty: all. A layer as profiled has its own
  /// `recomputation`; one without variants runs as profiled.
  std::vector<std::string> recomputations{};
  memory_options memory_accounting{};  ///< how memory is computed; without checkpoints
  /// Processors of each device, such as those that share a sample. Ranks are numbered by tensor-parallel rank first:
  /// where a replica spans several groups of the innermost level, each of its rows of `tensor_parallel` processors begins at a
  /// multiple of `device_size`.
  std::size_t device_size = 1;
  /// Bytes of gradients that replicas exchange for each byte of parameters.
  double gradient_bytes = 1;
  /// What `stage_option::time` is.
  stage_measure measure = stage_measure::passes;
  std::size_t microbatches = 1;  ///< of all replicas per iteration: for Piper's measure
  /// Whether each replica runs microbatches of its own instead of a share of each: then all stages have the same number
  /// of replicas.
  bool own_microbatches = false;
  /// Whether all devices of a stage must lie in one node: a group of the outermost level but one; with one level, the
  /// whole machine.
  bool in_one_node = false;
  /// Whether surplus options of a stage are merged into optimistic ones, each as good as every option that it replaces:
  /// planning with them yields a bound, not a plan.
  bool relaxed = false;
  /// Whether the layers `[first, last)` may form a stage; unset: always.
  function_ref<bool(std::size_t first, std::size_t last)> allowed{};
};

}  // namespace stagecut::inline STAGECUT_ABI
