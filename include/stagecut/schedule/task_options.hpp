// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Options of a task graph, in addition to its schedule.
struct task_options {
  transfer_kind transfers = transfer_kind::link;  ///< the resource that transfers occupy
  bool with_transfers = false;                    ///< whether transfers take any time
  bool by_microbatch = false;                     ///< whether passes of different microbatches may differ
  bool by_slice = false;                          ///< whether passes of different slices may differ
  bool all_reduce = false;                        ///< whether the gradients of the stages are reduced at the end
  bool optimizer_step = false;                    ///< whether the ranks then update their parameters
};

}  // namespace stagecut::inline STAGECUT_ABI
