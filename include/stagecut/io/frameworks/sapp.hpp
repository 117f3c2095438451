// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for SAPP and MindFormers: by how many decoders every stage exceeds an even share, and how many of them are
/// recomputed. Rows are the stages of a device, columns the devices. A layer's recomputation is `select` (also
/// `selective`, `slct`), `comm`, `both`, or `full`; a count includes the stronger kinds: `select_recompute` counts
/// `select`, `both` and `full`, `select_comm_recompute` counts `comm`, `both` and `full`.
///
/// The output does not identify which of a stage's decoders are recomputed.
///
/// @return  four lines of YAML; for a plan with sequence slices a fifth, `seq_split_num`
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for stages not assigned to
///          devices round-robin, kinds of layers other than `embedding` (on the first stage), `decoder`, `norm` and
///          `head` (on the last), a stage without decoders, recomputation under another name, or of layers other than
///          decoders
///
/// Source: the YAML of SAPP's simulator (BMPipe, hal-05564425v1) and of MindFormers' parallel configuration.
[[nodiscard]] STAGECUT_DECL std::string as_sapp(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp.ipp>
#endif
