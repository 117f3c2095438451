// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/makespan/detail/chain_ticks.ipp>
#include <stagecut/makespan/detail/chain_times.ipp>
#include <stagecut/makespan/detail/cut_of_order.ipp>
#include <stagecut/makespan/detail/cut_rules.ipp>
#include <stagecut/makespan/detail/in_flight_bound.ipp>
#include <stagecut/makespan/detail/matrix_game.ipp>
#include <stagecut/makespan/detail/minimize_cut_and_order.ipp>
#include <stagecut/makespan/detail/minimize_makespan.ipp>
#include <stagecut/makespan/detail/model_rules.ipp>
#include <stagecut/makespan/detail/order_moments.ipp>
#include <stagecut/makespan/detail/plain_orders.ipp>
#include <stagecut/makespan/detail/search_clock.ipp>
#include <stagecut/makespan/detail/search_makespan.ipp>
#include <stagecut/makespan/detail/shared_effort.ipp>
#include <stagecut/makespan/detail/stages_of_ranks.ipp>
#include <stagecut/makespan/detail/times_simulator.ipp>
#include <stagecut/makespan/detail/why_no_cut.ipp>
