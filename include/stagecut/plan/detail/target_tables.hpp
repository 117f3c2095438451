// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The lists of `targets`' rows: kinds of layers and schedules.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A schedule that a target runs, with the figures of its row in `schedules`.
[[nodiscard]] consteval target_schedule runs_as(schedule_kind kind, const char* called = "",
                                                std::string (*obstacle)(std::size_t, std::size_t, std::size_t,
                                                                        std::size_t) = nullptr,
                                                bool (*named)(std::size_t, std::size_t, std::size_t) = nullptr) {
  const schedule_entry& entry = entry_of(kind);
  return {kind, entry.name, entry.stages_per_rank, entry.v_shaped, called, obstacle, named};
}

/// Encoders in front of the embedding feed the decoders; an encoder after it, as in T5, has no pipeline.
inline constexpr kind_rule megatron_kinds[] = {{"vision_embedding", 0, layer_place::first_stage},
                                               {"vision", 0, layer_place::first_stage},
                                               {"audio", 0, layer_place::first_stage},
                                               {"projector", 0, layer_place::first_stage},
                                               {"encoder", 0, layer_place::first_stage},
                                               {"embedding", 1, layer_place::first_stage, true, true},
                                               {"decoder", 2},
                                               {"mtp", 3, layer_place::one_of_the_last},
                                               {"norm", 3, layer_place::with_last_decoder, true},
                                               {"head", 4, layer_place::last_stage, true, true}};
/// The same without a layout: multi-token prediction is on the last stage.
inline constexpr kind_rule megatron_flags_kinds[] = {{"vision_embedding", 0, layer_place::first_stage},
                                                     {"vision", 0, layer_place::first_stage},
                                                     {"audio", 0, layer_place::first_stage},
                                                     {"projector", 0, layer_place::first_stage},
                                                     {"encoder", 0, layer_place::first_stage},
                                                     {"embedding", 1, layer_place::first_stage, true, true},
                                                     {"decoder", 2},
                                                     {"mtp", 3, layer_place::last_stage},
                                                     {"norm", 3, layer_place::with_last_decoder, true},
                                                     {"head", 4, layer_place::last_stage, true, true}};
/// For targets that count decoders: what is in front of them is on the first stage, what is behind them on the last.
/// None of them cuts an encoder after the embedding, as in T5.
inline constexpr kind_rule counted_kinds[] = {{"vision_embedding", 0, layer_place::first_stage},
                                              {"vision", 0, layer_place::first_stage},
                                              {"audio", 0, layer_place::first_stage},
                                              {"projector", 0, layer_place::first_stage},
                                              {"encoder", 0, layer_place::first_stage},
                                              {"embedding", 1, layer_place::first_stage},
                                              {"decoder", 1},
                                              {"mtp", 1, layer_place::last_stage},
                                              {"norm", 1, layer_place::last_stage},
                                              {"head", 1, layer_place::last_stage}};

/// Why Megatron-LM does not interleave; empty: it does.
[[nodiscard]] STAGECUT_DECL std::string megatron_obstacle(std::size_t p, std::size_t, std::size_t m, std::size_t group);

inline constexpr target_schedule megatron_schedules[] = {
    runs_as(schedule_kind::one_forward_one_backward, "without interleaving"),
    runs_as(schedule_kind::interleaved, "with interleaving", megatron_obstacle)};
/// Why DeepSpeed does not run DualPipeV; empty: it does.
[[nodiscard]] STAGECUT_DECL std::string deepspeed_obstacle(std::size_t p, std::size_t, std::size_t m, std::size_t);

inline constexpr target_schedule deepspeed_schedules[] = {
    runs_as(schedule_kind::one_forward_one_backward, "TrainSchedule"),
    runs_as(schedule_kind::dualpipev, "DualPipeVSchedule", deepspeed_obstacle)};
inline constexpr target_schedule gpipe_schedules[] = {runs_as(schedule_kind::gpipe, "GPipe"),
                                                      runs_as(schedule_kind::gpipe_lifo, "GPipe")};
inline constexpr target_schedule sagemaker_schedules[] = {
    runs_as(schedule_kind::one_forward_one_backward, "interleaved"), runs_as(schedule_kind::gpipe, "simple")};
/// Why MindFormers does not interleave; empty: it does.
[[nodiscard]] STAGECUT_DECL std::string sapp_obstacle(std::size_t p, std::size_t, std::size_t, std::size_t group);

inline constexpr target_schedule sapp_schedules[] = {runs_as(schedule_kind::one_forward_one_backward, "1f1b"),
                                                     runs_as(schedule_kind::interleaved, "interleaved", sapp_obstacle),
                                                     runs_as(schedule_kind::sapp_big, "big memory"),
                                                     runs_as(schedule_kind::sapp_less_memory, "less memory")};
inline constexpr target_schedule alpa_schedules[] = {runs_as(schedule_kind::one_forward_one_backward, "1f1b"),
                                                     runs_as(schedule_kind::gpipe, "gpipe")};
inline constexpr target_schedule pipedream_schedules[] = {runs_as(schedule_kind::one_forward_one_backward, "1F1B")};
/// torchtitan's model has one module for the vision part, which writes into the word embeddings; its splitter builds no
/// module that it does not know.
inline constexpr kind_rule torchtitan_kinds[] = {{"vision_embedding", 0, layer_place::first_stage},
                                                 {"vision", 0, layer_place::first_stage},
                                                 {"projector", 0, layer_place::first_stage},
                                                 {"embedding", 0, layer_place::first_stage},
                                                 {"mtp", 0, layer_place::nowhere}};

/// PyTorch's microbatch group: m / p rounds of equal size.
[[nodiscard]] constexpr std::size_t pytorch_group(std::size_t ranks, std::size_t microbatches) noexcept {
  const std::size_t rounds = microbatches < ranks ? 1 : microbatches / ranks;
  return microbatches % rounds == 0 ? microbatches / rounds : 0;
}

/// PyTorch's classes; for the others it reads the order.
inline constexpr target_schedule pytorch_schedules[] = {
    runs_as(schedule_kind::one_forward_one_backward, "1F1B", nullptr,
            [](std::size_t p, std::size_t m, std::size_t) { return m >= p; }),
    runs_as(schedule_kind::gpipe, "GPipe"),
    runs_as(schedule_kind::gpipe_lifo),
    runs_as(schedule_kind::eager_one_forward_one_backward),
    runs_as(schedule_kind::in_flight),
    runs_as(schedule_kind::interleaved, "Interleaved1F1B", nullptr,
            [](std::size_t p, std::size_t m, std::size_t group) {
              return pytorch_group(p, m) == (group == 0 ? p : group);
            }),
    runs_as(schedule_kind::looped_bfs, "LoopedBFS"),
    runs_as(schedule_kind::zb_h1),
    runs_as(schedule_kind::zb_h2),
    runs_as(schedule_kind::interleaved_zero_bubble, "InterleavedZeroBubble"),
    runs_as(schedule_kind::zbv, "ZBVZeroBubble"),
    runs_as(schedule_kind::dualpipev, "DualPipeV"),
    runs_as(schedule_kind::sapp_big),
    runs_as(schedule_kind::sapp_less_memory),
    runs_as(schedule_kind::synthesized)};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/target_tables.ipp>
#endif
