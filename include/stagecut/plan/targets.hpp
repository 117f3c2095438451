// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/plan/detail/target_tables.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// What frameworks can express: one row each. `make_plan` takes its constraints from it, and the writers of their
// formats what they reject.
namespace stagecut::inline STAGECUT_ABI {

/// What each framework can express.
inline constexpr target_entry targets[] = {
    {.kind = framework::megatron,
     .name = "megatron",
     .framework = "Megatron-LM",
     .version = "core 0.16.1, and as well 0.20",
     .kinds = detail::megatron_kinds,
     .counts_encoders = true,
     .counts_patterns = true,
     .schedules = detail::megatron_schedules,
     .several_chunks = true,
     .devices = stage_devices::alike,
     .recomputed = recomputation_rule::decoders,
     .experts_need_sequence_parallel = true},
    {.kind = framework::megatron_flags,
     .name = "megatron-flags",
     .framework = "Megatron-LM",
     .version = "core 0.16.1, and as well 0.20",
     .kinds = detail::megatron_flags_kinds,
     .counts_encoders = true,
     .schedules = detail::megatron_schedules,
     .counts = decoder_counts::equal_or_ends,
     .several_chunks = true,
     .devices = stage_devices::alike,
     .recomputed = recomputation_rule::decoders,
     .experts_need_sequence_parallel = true},
    {.kind = framework::deepspeed,
     .name = "deepspeed",
     .framework = "DeepSpeed",
     .version = "0.16.5, 12e65a6b; dualpipev 0.19.8",
     .other_kinds = true,
     .schedules = detail::deepspeed_schedules,
     .several_chunks = true,
     .whole_backward = true,
     .most_zero = 1},
    {.kind = framework::torchgpipe,
     .name = "torchgpipe",
     .framework = "torchgpipe",
     .version = "03f85d3e",
     .other_kinds = true,
     .schedules = detail::gpipe_schedules,
     .shared = tie_rule::nowhere},
    {.kind = framework::fairscale,
     .name = "fairscale",
     .framework = "FairScale",
     .version = "151263ec",
     .other_kinds = true,
     .schedules = detail::gpipe_schedules,
     .shared = tie_rule::one_stage},
    {.kind = framework::pytorch,
     .name = "pytorch",
     .framework = "PyTorch",
     .version = "2.15",
     .other_kinds = true,
     .schedules = detail::pytorch_schedules,
     .several_chunks = true,
     .shared = tie_rule::one_stage,
     .names = name_rule::any,
     .weights_behind_inputs = true,
     .group = detail::pytorch_group},
    {.kind = framework::torchtitan,
     .name = "torchtitan",
     .framework = "torchtitan",
     .version = "0.3.0",
     .kinds = detail::torchtitan_kinds,
     .other_kinds = true,
     .schedules = detail::pytorch_schedules,
     .several_chunks = true,
     .shared = tie_rule::one_device,
     .names = name_rule::child,
     .devices = stage_devices::alike,
     .weights_behind_inputs = true,
     .group = detail::pytorch_group},
    {.kind = framework::vllm,
     .name = "vllm",
     .framework = "vLLM",
     .version = "get_pp_indices, 2025",
     .kinds = detail::counted_kinds,
     .counts = decoder_counts::any},
    {.kind = framework::sglang,
     .name = "sglang",
     .framework = "SGLang",
     .version = "0.5",
     .kinds = detail::counted_kinds,
     .counts = decoder_counts::any},
    {.kind = framework::sagemaker,
     .name = "sagemaker",
     .framework = "SageMaker",
     .version = "model parallel 1, as published",
     .other_kinds = true,
     .schedules = detail::sagemaker_schedules,
     .shared = tie_rule::one_stage},
    {.kind = framework::sapp,
     .name = "sapp",
     .framework = "SAPP",
     .version = "MindFormers 2.1.0",
     .kinds = detail::counted_kinds,
     .schedules = detail::sapp_schedules,
     .counts = decoder_counts::any,
     .several_chunks = true,
     .recomputed = recomputation_rule::any,
     .ends_without_decoders = true},
    {.kind = framework::alpa,
     .name = "alpa",
     .framework = "Alpa",
     .version = "01d71eb1",
     .other_kinds = true,
     .schedules = detail::alpa_schedules,
     .devices = stage_devices::one_node},
    {.kind = framework::pipedream,
     .name = "pipedream",
     .framework = "PipeDream",
     .version = "11c40c01",
     .other_kinds = true,
     .schedules = detail::pipedream_schedules,
     .devices = stage_devices::replicas},
};

namespace detail {

/// Whether every row is in the position of its kind, after `none`, which has no row.
[[nodiscard]] constexpr bool targets_in_order() noexcept {
  std::size_t place = 1;
  for (const target_entry& entry : targets) {
    if (static_cast<std::size_t>(entry.kind) != place++) return false;
  }
  return true;
}
static_assert(targets_in_order());

}  // namespace detail

/// The row of a target.
/// @throws argument_error for `none` and for an invalid target
[[nodiscard]] constexpr const target_entry& entry_of(framework kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (place - 1 < sizeof(targets) / sizeof(targets[0])) return targets[place - 1];
  detail::fail(argument_error("entry_of", "kind", std::to_string(place), "must have a row in targets"));
}

/// The target of that name; null if there is none.
[[nodiscard]] constexpr const target_entry* find_target(std::string_view name) noexcept {
  return stagecut::find_name(targets, name);
}

/// The schedule of a target, by its kind or its name; null if it does not run it.
/// @{
[[nodiscard]] constexpr const target_schedule* find_schedule(const target_entry& entry, schedule_kind kind) noexcept {
  for (const target_schedule& schedule : entry.schedules) {
    if (schedule.kind == kind) return &schedule;
  }
  return nullptr;
}
[[nodiscard]] constexpr const target_schedule* find_schedule(const target_entry& entry,
                                                             std::string_view name) noexcept {
  for (const target_schedule& schedule : entry.schedules) {
    if (schedule.name == name) return &schedule;
  }
  return nullptr;
}
/// @}

}  // namespace stagecut::inline STAGECUT_ABI
