// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for Megatron-LM: the options that set its pipeline's layout, any number of layers on any stage. How many
/// stages a device has follows from their number.
///
/// A final norm has no letter: Megatron-LM puts it where the head is, and with multi-token prediction where the last
/// decoder is. A hybrid model, with layers of `pattern_kinds` in place of decoders, gets its pattern, with bars between stages.
///
/// @return  one line of options
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for
///          - kinds of layers but `embedding` (one, on the first stage, with `vision`, `projector` and what else stands
///            in front), `decoder` or those of `pattern_kinds`, `mtp` (all on one stage, the last of its device; in no
///            hybrid model), `norm` (at most one, where Megatron-LM puts it), `head` (one, on the last stage), or these in
///            another order
///          - a stage out of its device's turn, several stages on the only device, and on several, microbatches that
///            the ranks do not divide, or that do not come out in the group
///          - a schedule but `1f1b`, or with several stages a device but `interleaved`
///          - chosen recomputation but `selective` or `full` of all decoders, or `full` of equally many at the beginning
///            of every stage
///
/// Source: Megatron-LM, `megatron/core/transformer/pipeline_parallel_layer_layout.py`, 2025, and
/// `megatron/core/models/hybrid/hybrid_layer_allocation.py`, 2026.
[[nodiscard]] STAGECUT_DECL std::string as_megatron(const plan& p);

/// What is known to stop Megatron-LM though its checks accept it, of a plan that `as_megatron` writes; a sentence each:
/// - stages without a layer, at which custom layouts have hung (issue 1852)
/// - stages with an odd number of decoders, where there are experts: with `--overlap-moe-expert-parallel-comm` they have hung
///   (issue 1810). Which decoders have experts a plan does not say; all are counted.
/// And of hybrid models since when their patterns may have bars.
///
/// @throws  as `as_megatron`
[[nodiscard]] STAGECUT_DECL std::vector<std::string> megatron_cautions(const plan& p);

/// A plan for Megatron-LM without a layout, for its versions that have none: equally many decoders on all stages, or on
/// all but the first and the last.
///
/// @return  one line of options, none that the plan does not need
/// @throws  argument_error and not_representable as `as_megatron`, and the latter for
///          - multi-token prediction that is not on the last stage
///          - a stage without decoders, or middle stages that differ, with the sum that does not come out
///          - with several stages a device, stages that differ, but for one decoder less on the first, where the embedding
///            is accounted for, and on the last, where the loss is
///
/// Source: Megatron-LM, `megatron/training/arguments.py` and `megatron/core/transformer/transformer_config.py`, 2025.
[[nodiscard]] STAGECUT_DECL std::string as_megatron_flags(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/megatron.ipp>
#endif
