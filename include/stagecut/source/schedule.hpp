// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/schedule/detail/backward_first.ipp>
#include <stagecut/schedule/detail/check_durations.ipp>
#include <stagecut/schedule/detail/check_schedule.ipp>
#include <stagecut/schedule/detail/check_shape.ipp>
#include <stagecut/schedule/detail/compare_runs.ipp>
#include <stagecut/schedule/detail/dualpipev.ipp>
#include <stagecut/schedule/detail/duration_table.ipp>
#include <stagecut/schedule/detail/gpipe.ipp>
#include <stagecut/schedule/detail/in_flight.ipp>
#include <stagecut/schedule/detail/in_flight_vectors.ipp>
#include <stagecut/schedule/detail/interleaved.ipp>
#include <stagecut/schedule/detail/lanes.ipp>
#include <stagecut/schedule/detail/looped_bfs.ipp>
#include <stagecut/schedule/detail/lower_transfers.ipp>
#include <stagecut/schedule/detail/make_schedule.ipp>
#include <stagecut/schedule/detail/makespan_parts.ipp>
#include <stagecut/schedule/detail/memory_curve.ipp>
#include <stagecut/schedule/detail/one_forward_one_backward.ipp>
#include <stagecut/schedule/detail/op.ipp>
#include <stagecut/schedule/detail/sapp_bubbles.ipp>
#include <stagecut/schedule/detail/sapp_interleaved.ipp>
#include <stagecut/schedule/detail/schedule.ipp>
#include <stagecut/schedule/detail/sliced.ipp>
#include <stagecut/schedule/detail/slot_program.ipp>
#include <stagecut/schedule/detail/stage_links.ipp>
#include <stagecut/schedule/detail/task_graph.ipp>
#include <stagecut/schedule/detail/zbv.ipp>
#include <stagecut/schedule/detail/zero_bubble.ipp>
