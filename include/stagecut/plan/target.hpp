// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// What frameworks can say of a plan: one row each, from which `make_plan` takes its constraints, and the writers of their
// formats what they refuse.
namespace stagecut::inline v0 {

/// The framework that will run a plan, in the words of a format: each has a row in `targets`.
enum class target : std::uint8_t {
  none,            ///< none: every plan will do
  megatron,        ///< Megatron-LM, with the layout of its pipeline
  megatron_flags,  ///< Megatron-LM without a layout, by numbers of decoders
  deepspeed,       ///< DeepSpeed
  torchgpipe,      ///< torchgpipe
  fairscale,       ///< FairScale
  pytorch,         ///< torch.distributed.pipelining
  torchtitan,      ///< torchtitan
  vllm,            ///< vLLM
  sglang,          ///< SGLang
  sagemaker,       ///< SageMaker model parallel
  sapp,            ///< SAPP and MindFormers
  alpa             ///< Alpa
};

/// On which stage a framework has the layers of a kind.
enum class layer_place : std::uint8_t {
  any_stage,         ///< wherever they are cut
  first_stage,       ///< on the first
  last_stage,        ///< on the last
  one_of_the_last,   ///< all on one stage, the last of its device
  with_last_decoder  ///< where the last decoder is, in a model with multi-token prediction; else on the last
};

/// What a framework knows of layers of a kind.
struct kind_rule {
  const char* name = "";                       ///< the kind, as `layer::kind`
  std::size_t order = 0;                       ///< layers stand in the order of this
  layer_place place = layer_place::any_stage;  ///< where they stand
  bool single = false;                         ///< whether there is at most one layer of the kind
  bool needed = false;                         ///< whether there is at least one
};

/// A schedule that a framework runs.
struct target_schedule {
  schedule_kind kind{};      ///< as the library makes it
  const char* called = "";   ///< what the framework calls it; empty: it reads the order from a file
  /// Why it does not run so many ranks, chunks and microbatches, 0: not known, in groups of `group`, 0: as many as ranks;
  /// empty: it does. Null: it always does.
  std::string (*obstacle)(std::size_t ranks, std::size_t chunks, std::size_t microbatches, std::size_t group) = nullptr;
  /// Whether it knows such numbers by that name; else it reads the order from a file. Null: always, if there is a name.
  bool (*named)(std::size_t ranks, std::size_t microbatches, std::size_t group) = nullptr;
};

/// Which numbers of decoders a framework can be told.
enum class decoder_counts : std::uint8_t {
  none,              ///< it is told which layers a stage has
  any,               ///< any, at least one a stage
  equal_or_ends      ///< equal ones; with one stage a device, the first and the last may have others
};

/// What a framework can say.
struct target_entry {
  target kind{};                           ///< which
  const char* name = "";                   ///< of its format, and on a command line
  const char* framework = "";              ///< its name
  const char* version = "";                ///< of what its rules were read from
  view<const kind_rule> kinds{};           ///< the kinds that it places; empty: any kind, anywhere
  view<const target_schedule> schedules{}; ///< that it runs; empty: it serves, and runs none
  decoder_counts counts = decoder_counts::none;  ///< what it is told of decoders
  bool several_chunks = false;             ///< whether a device may have several stages
  bool shares_parameters = true;           ///< whether layers on different stages may share parameters
  bool by_names = false;                   ///< whether it finds layers by the names of their modules
  /// The group of microbatches by which it interleaves; null: as many as ranks, unless it is said.
  std::size_t (*group)(std::size_t ranks, std::size_t microbatches) = nullptr;
};

namespace detail {

inline constexpr kind_rule megatron_kinds[] = {{"vision_embedding", 0, layer_place::first_stage},
                                               {"vision", 0, layer_place::first_stage},
                                               {"audio", 0, layer_place::first_stage},
                                               {"projector", 0, layer_place::first_stage},
                                               {"encoder", 0, layer_place::first_stage},
                                               {"embedding", 0, layer_place::first_stage, true, true},
                                               {"decoder", 1},
                                               {"mtp", 2, layer_place::one_of_the_last},
                                               {"norm", 2, layer_place::with_last_decoder, true},
                                               {"head", 3, layer_place::last_stage, true, true}};
/// The same without a layout: multi-token prediction is on the last stage.
inline constexpr kind_rule megatron_flags_kinds[] = {{"vision_embedding", 0, layer_place::first_stage},
                                                     {"vision", 0, layer_place::first_stage},
                                                     {"audio", 0, layer_place::first_stage},
                                                     {"projector", 0, layer_place::first_stage},
                                                     {"encoder", 0, layer_place::first_stage},
                                                     {"embedding", 0, layer_place::first_stage, true, true},
                                                     {"decoder", 1},
                                                     {"mtp", 2, layer_place::last_stage},
                                                     {"norm", 2, layer_place::with_last_decoder, true},
                                                     {"head", 3, layer_place::last_stage, true, true}};
/// Of those that count decoders: what is in front of them is on the first stage, what is behind them on the last.
inline constexpr kind_rule counted_kinds[] = {{"vision_embedding", 0, layer_place::first_stage},
                                              {"vision", 0, layer_place::first_stage},
                                              {"audio", 0, layer_place::first_stage},
                                              {"projector", 0, layer_place::first_stage},
                                              {"encoder", 0, layer_place::first_stage},
                                              {"embedding", 0, layer_place::first_stage},
                                              {"decoder", 0},
                                              {"mtp", 0, layer_place::last_stage},
                                              {"norm", 0, layer_place::last_stage},
                                              {"head", 0, layer_place::last_stage}};

/// Why Megatron-LM does not interleave; empty: it does.
[[nodiscard]] inline std::string megatron_obstacle(std::size_t p, std::size_t, std::size_t m, std::size_t group) {
  if (p == 1) return "several stages on every device, and there is only one device";
  if (m == 0) return "";  // not known
  if (group == 0 || group == p) {
    if (m % p == 0) return "";
    return joined({m, " microbatches, and interleaved they must be a multiple of the ", p, " ranks"});
  }
  if (group < p || group > m) {
    return joined({"groups of ", group, " microbatches, and it takes from ", p, ", the ranks, to ", m, ", all"});
  }
  if (m % group == 0 || m % group >= p) return "";
  return joined({m, " microbatches in groups of ", group, " leave ", m % group,
                 " over, and the last group must have at least as many as the ", p, " ranks"});
}

inline constexpr target_schedule megatron_schedules[] = {
    {schedule_kind::one_forward_one_backward, "without interleaving"},
    {schedule_kind::interleaved, "with interleaving", megatron_obstacle}};
inline constexpr target_schedule deepspeed_schedules[] = {{schedule_kind::one_forward_one_backward, "TrainSchedule"}};
inline constexpr target_schedule gpipe_schedules[] = {{schedule_kind::gpipe, "GPipe"},
                                                      {schedule_kind::gpipe_lifo, "GPipe"}};
inline constexpr target_schedule sagemaker_schedules[] = {{schedule_kind::one_forward_one_backward, "interleaved"},
                                                          {schedule_kind::gpipe, "simple"}};
inline constexpr target_schedule sapp_schedules[] = {{schedule_kind::one_forward_one_backward, "1f1b"},
                                                     {schedule_kind::interleaved, "interleaved"},
                                                     {schedule_kind::sapp_big, "big memory"},
                                                     {schedule_kind::sapp_less_memory, "less memory"}};
inline constexpr target_schedule alpa_schedules[] = {{schedule_kind::one_forward_one_backward, "1f1b"},
                                                     {schedule_kind::gpipe, "gpipe"}};
/// PyTorch's rounds: as many microbatches in each as divide them into m / p groups.
[[nodiscard]] constexpr std::size_t pytorch_group(std::size_t ranks, std::size_t microbatches) noexcept {
  const std::size_t rounds = microbatches < ranks ? 1 : microbatches / ranks;
  return microbatches % rounds == 0 ? microbatches / rounds : 0;
}

/// PyTorch's classes; of the others it reads the order.
inline constexpr target_schedule pytorch_schedules[] = {
    {schedule_kind::one_forward_one_backward, "1F1B", nullptr,
     [](std::size_t p, std::size_t m, std::size_t) { return m >= p; }},
    {schedule_kind::gpipe, "GPipe"},
    {schedule_kind::gpipe_lifo},
    {schedule_kind::eager_one_forward_one_backward},
    {schedule_kind::in_flight},
    {schedule_kind::interleaved, "Interleaved1F1B", nullptr,
     [](std::size_t p, std::size_t m, std::size_t group) { return pytorch_group(p, m) == (group == 0 ? p : group); }},
    {schedule_kind::looped_bfs, "LoopedBFS"},
    {schedule_kind::zb_h1},
    {schedule_kind::zb_h2},
    {schedule_kind::interleaved_zero_bubble, "InterleavedZeroBubble"},
    {schedule_kind::zbv, "ZBVZeroBubble"},
    {schedule_kind::dualpipev, "DualPipeV"},
    {schedule_kind::sapp_big},
    {schedule_kind::sapp_less_memory}};

}  // namespace detail

/// What all frameworks can say.
inline constexpr target_entry targets[] = {
    {.kind = target::megatron,
     .name = "megatron",
     .framework = "Megatron-LM",
     .version = "core 0.14, 2025",
     .kinds = detail::megatron_kinds,
     .schedules = detail::megatron_schedules,
     .several_chunks = true},
    {.kind = target::megatron_flags,
     .name = "megatron-flags",
     .framework = "Megatron-LM",
     .version = "core 0.14, 2025",
     .kinds = detail::megatron_flags_kinds,
     .schedules = detail::megatron_schedules,
     .counts = decoder_counts::equal_or_ends,
     .several_chunks = true},
    {.kind = target::deepspeed,
     .name = "deepspeed",
     .framework = "DeepSpeed",
     .version = "0.16.5",
     .schedules = detail::deepspeed_schedules},
    {.kind = target::torchgpipe,
     .name = "torchgpipe",
     .framework = "torchgpipe",
     .version = "0.0.7",
     .schedules = detail::gpipe_schedules,
     .shares_parameters = false},
    {.kind = target::fairscale,
     .name = "fairscale",
     .framework = "FairScale",
     .version = "0.4.13",
     .schedules = detail::gpipe_schedules,
     .shares_parameters = false},
    {.kind = target::pytorch,
     .name = "pytorch",
     .framework = "PyTorch",
     .version = "2.15",
     .schedules = detail::pytorch_schedules,
     .several_chunks = true,
     .shares_parameters = false,
     .by_names = true,
     .group = detail::pytorch_group},
    {.kind = target::torchtitan,
     .name = "torchtitan",
     .framework = "torchtitan",
     .version = "b5bcd76c, 2025",
     .schedules = detail::pytorch_schedules,
     .several_chunks = true,
     .shares_parameters = false,
     .by_names = true,
     .group = detail::pytorch_group},
    {.kind = target::vllm,
     .name = "vllm",
     .framework = "vLLM",
     .version = "0.11",
     .kinds = detail::counted_kinds,
     .counts = decoder_counts::any},
    {.kind = target::sglang,
     .name = "sglang",
     .framework = "SGLang",
     .version = "0.5",
     .kinds = detail::counted_kinds,
     .counts = decoder_counts::any},
    {.kind = target::sagemaker,
     .name = "sagemaker",
     .framework = "SageMaker",
     .version = "model parallel 1.x",
     .schedules = detail::sagemaker_schedules,
     .shares_parameters = false},
    {.kind = target::sapp,
     .name = "sapp",
     .framework = "SAPP",
     .version = "MindFormers 1.3",
     .kinds = detail::counted_kinds,
     .schedules = detail::sapp_schedules,
     .counts = decoder_counts::any,
     .several_chunks = true},
    {.kind = target::alpa,
     .name = "alpa",
     .framework = "Alpa",
     .version = "0.2.3",
     .schedules = detail::alpa_schedules},
};

namespace detail {

/// Whether every row stands at the place of its kind, behind `none`, which has none.
[[nodiscard]] constexpr bool targets_in_order() noexcept {
  std::size_t place = 1;
  for (const target_entry& each : targets) {
    if (static_cast<std::size_t>(each.kind) != place++) return false;
  }
  return true;
}
static_assert(targets_in_order());

}  // namespace detail

/// The row of a target.
/// @throws argument_error for `none` and for what is no target
[[nodiscard]] constexpr const target_entry& entry_of(target kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (place - 1 < sizeof(targets) / sizeof(targets[0])) return targets[place - 1];
  detail::fail(argument_error("entry_of", "kind", std::to_string(place), "must have a row in targets"));
}

/// The target of that name; null: there is none.
[[nodiscard]] constexpr const target_entry* find_target(std::string_view name) noexcept {
  return stagecut::find_name(targets, name);
}

/// The schedule of a target; null: it does not run that.
[[nodiscard]] constexpr const target_schedule* find_schedule(const target_entry& entry, schedule_kind kind) noexcept {
  for (const target_schedule& each : entry.schedules) {
    if (each.kind == kind) return &each;
  }
  return nullptr;
}

}  // namespace stagecut::inline v0
