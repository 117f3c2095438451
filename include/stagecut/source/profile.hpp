// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/profile/detail/accelerator.ipp>
#include <stagecut/profile/detail/architecture.ipp>
#include <stagecut/profile/detail/as_chain.ipp>
#include <stagecut/profile/detail/as_inference.ipp>
#include <stagecut/profile/detail/block.ipp>
#include <stagecut/profile/detail/check_architecture.ipp>
#include <stagecut/profile/detail/check_figures.ipp>
#include <stagecut/profile/detail/each_tie.ipp>
#include <stagecut/profile/detail/efficiencies.ipp>
#include <stagecut/profile/detail/flatten_modules.ipp>
#include <stagecut/profile/detail/layer.ipp>
#include <stagecut/profile/detail/layer_graph.ipp>
#include <stagecut/profile/detail/microbatch.ipp>
#include <stagecut/profile/detail/parameters.ipp>
#include <stagecut/profile/detail/pass_terms.ipp>
#include <stagecut/profile/detail/profile.ipp>
#include <stagecut/profile/detail/roofline.ipp>
#include <stagecut/profile/detail/sharded_transformer.ipp>
#include <stagecut/profile/detail/shared_bytes.ipp>
#include <stagecut/profile/detail/take_measured.ipp>
#include <stagecut/profile/detail/training_flops.ipp>
#include <stagecut/profile/detail/training_memory.ipp>
#include <stagecut/profile/detail/transformer.ipp>
#include <stagecut/profile/detail/transformer_inference.ipp>
#include <stagecut/profile/detail/transformer_training.ipp>
