// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by tests/source_headers.py.
#include <stagecut/core/config.hpp>
#if defined(STAGECUT_HEADER_ONLY)
#error "stagecut/source/ is for the compiled form: define STAGECUT_COMPILED in every file of the program, before its first header of stagecut"
#endif

#include <stagecut/io/detail/accelerator_file.ipp>
#include <stagecut/io/detail/alpa.ipp>
#include <stagecut/io/detail/assignment_json.ipp>
#include <stagecut/io/detail/axis_marks.ipp>
#include <stagecut/io/detail/check_picture.ipp>
#include <stagecut/io/detail/chrome_trace.ipp>
#include <stagecut/io/detail/csv.ipp>
#include <stagecut/io/detail/data_unit.ipp>
#include <stagecut/io/detail/deepspeed.ipp>
#include <stagecut/io/detail/dnn_partitioning.ipp>
#include <stagecut/io/detail/dot.ipp>
#include <stagecut/io/detail/efficiencies_file.ipp>
#include <stagecut/io/detail/file.ipp>
#include <stagecut/io/detail/file_schema.ipp>
#include <stagecut/io/detail/formats.ipp>
#include <stagecut/io/detail/graph_svg.ipp>
#include <stagecut/io/detail/hugging_face_config.ipp>
#include <stagecut/io/detail/json_line.ipp>
#include <stagecut/io/detail/json_parse.ipp>
#include <stagecut/io/detail/json_plan.ipp>
#include <stagecut/io/detail/json_profile.ipp>
#include <stagecut/io/detail/json_value.ipp>
#include <stagecut/io/detail/layer_ranges.ipp>
#include <stagecut/io/detail/measured_file.ipp>
#include <stagecut/io/detail/megatron.ipp>
#include <stagecut/io/detail/megatron_layout.ipp>
#include <stagecut/io/detail/mindspore_log.ipp>
#include <stagecut/io/detail/mindspore_trace.ipp>
#include <stagecut/io/detail/nvtx_ranges.ipp>
#include <stagecut/io/detail/pipedream.ipp>
#include <stagecut/io/detail/pipedream_conf.ipp>
#include <stagecut/io/detail/pipeline_picture.ipp>
#include <stagecut/io/detail/piper.ipp>
#include <stagecut/io/detail/piper_plan.ipp>
#include <stagecut/io/detail/profiler_trace.ipp>
#include <stagecut/io/detail/pytorch.ipp>
#include <stagecut/io/detail/read_limits.ipp>
#include <stagecut/io/detail/read_plan_or_profile.ipp>
#include <stagecut/io/detail/read_profile.ipp>
#include <stagecut/io/detail/sagemaker.ipp>
#include <stagecut/io/detail/sapp.ipp>
#include <stagecut/io/detail/sapp_figures.ipp>
#include <stagecut/io/detail/sapp_init.ipp>
#include <stagecut/io/detail/sapp_layers.ipp>
#include <stagecut/io/detail/sapp_strategy.ipp>
#include <stagecut/io/detail/svg.ipp>
#include <stagecut/io/detail/sweep_csv.ipp>
#include <stagecut/io/detail/sweep_scatter.ipp>
#include <stagecut/io/detail/text.ipp>
#include <stagecut/io/detail/torch_letters.ipp>
#include <stagecut/io/detail/torch_schedule.ipp>
#include <stagecut/io/detail/torchgpipe.ipp>
#include <stagecut/io/detail/torchtitan.ipp>
#include <stagecut/io/detail/transformer_config.ipp>
#include <stagecut/io/detail/vertex_ids.ipp>
#include <stagecut/io/detail/vllm.ipp>
#include <stagecut/io/detail/write_report.ipp>
