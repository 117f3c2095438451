// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for SAPP and MindFormers: by how many decoders every stage has more than an even share, and how many of them
/// are recomputed. Rows are the chunks of the devices, columns the devices. A layer's recomputation is `select` (also
/// `selective`, `slct`), `comm`, `both` of them, or `full`; a count contains the stronger ones: `select_recompute` those of
/// `select`, `both` and `full`, `select_comm_recompute` those of `comm`, `both` and `full`.
///
/// Which of a stage's decoders are recomputed is lost.
///
/// @return  four lines of YAML; of a plan that cuts sequences a fifth, `seq_split_num`
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for a stage out of its
///          device's turn, kinds of layers but `embedding` (on the first stage), `decoder`, `norm` and `head` (on the
///          last), a stage without decoders, recomputation by another name, or of other layers than decoders
///
/// Source: the YAML of SAPP's simulator (BMPipe, hal-05564425v1) and of MindFormers' parallel configuration.
[[nodiscard]] STAGECUT_DECL std::string as_sapp(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp.ipp>
#endif
