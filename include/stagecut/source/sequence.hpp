// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/sequence/detail/chain_clock.ipp>
#include <stagecut/sequence/detail/constrained_bottleneck.ipp>
#include <stagecut/sequence/detail/layered_total.ipp>
#include <stagecut/sequence/detail/minimize_variance.ipp>
#include <stagecut/sequence/detail/probe.ipp>
#include <stagecut/sequence/detail/reach_chain.ipp>
#include <stagecut/sequence/detail/uniform_cuts.ipp>
