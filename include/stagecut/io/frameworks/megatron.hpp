// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for Megatron-LM: the options that set its pipeline layout, with any number of layers on any stage. The number
/// of stages per device follows from the layout.
///
/// A final norm has no letter: Megatron-LM puts it with the head, and with multi-token prediction with the last decoder.
/// A hybrid model, with layers of `pattern_kinds` instead of decoders, gets its pattern, with bars between stages.
///
/// @return  one line of options
/// @throws  argument_error if the parts of the plan contradict each other; not_representable for
///          - kinds of layers other than `embedding` (one, on the first stage, with `vision`, `projector` and whatever
///            else precedes it), `decoder` or those of `pattern_kinds`, `mtp` (all on one stage, the last of its device;
///            not in hybrid models), `norm` (at most one, where Megatron-LM puts it), `head` (one, on the last stage), or
///            another order of these
///          - stages not assigned to devices round-robin; several stages on a single device; several stages on each of
///            several devices with microbatches that are no multiple of the ranks, or do not fit the group
///          - a schedule other than `1f1b`, or with several stages per device other than `interleaved`
///          - chosen recomputation other than `selective` or `full` of all decoders, or `full` of the same number at the
///            beginning of every stage
///
/// Source: Megatron-LM, `megatron/core/transformer/pipeline_parallel_layer_layout.py`, 2025, and
/// `megatron/core/models/hybrid/hybrid_layer_allocation.py`, 2026.
[[nodiscard]] STAGECUT_DECL std::string as_megatron(const plan& p);

/// Known failures of Megatron-LM with a plan that `as_megatron` writes and Megatron-LM's checks accept; one sentence
/// each:
/// - stages without a layer, with which custom layouts have hung (issue 1852)
/// - stages with an odd number of decoders, in models with experts: they have hung with
///   `--overlap-moe-expert-parallel-comm` (issue 1810). A plan does not record which decoders have experts; all are
///   counted.
///
/// For hybrid models, also the change since which their patterns may have bars.
///
/// @throws  as `as_megatron`
[[nodiscard]] STAGECUT_DECL std::vector<std::string> megatron_cautions(const plan& p);

/// A plan for Megatron-LM without a layout, for versions that have none: the same number of decoders on all stages, or on
/// all but the first and the last.
///
/// @return  one line of options, only those that the plan needs
/// @throws  argument_error and not_representable as `as_megatron`, and the latter for
///          - multi-token prediction that is not on the last stage
///          - a stage without decoders, or middle stages that differ; the error has the sum that does not match
///          - with several stages per device, stages that differ, except for one decoder less on the first, if the
///            embedding counts as a layer, and on the last, if the loss does
///
/// Source: Megatron-LM, `megatron/training/arguments.py` and `megatron/core/transformer/transformer_config.py`, 2025.
[[nodiscard]] STAGECUT_DECL std::string as_megatron_flags(const plan& p);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/megatron.ipp>
#endif
