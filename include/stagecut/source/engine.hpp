// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/engine/detail/chain_ticks.ipp>
#include <stagecut/engine/detail/chain_times.ipp>
#include <stagecut/engine/detail/cut_rules.ipp>
#include <stagecut/engine/detail/in_flight_bound.ipp>
#include <stagecut/engine/detail/order_moments.ipp>
#include <stagecut/engine/detail/search_clock.ipp>
#include <stagecut/engine/detail/shortage.ipp>
#include <stagecut/engine/detail/stages_of_ranks.ipp>
#include <stagecut/engine/detail/times_simulator.ipp>
