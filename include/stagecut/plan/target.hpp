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

// The frameworks that run plans, and in which words their rules are told: `targets` has them.
namespace stagecut::inline STAGECUT_ABI {

/// The framework that will run a plan, in the words of a format: each has a row in `targets`.
enum class framework : std::uint8_t {
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
  alpa,            ///< Alpa
  pipedream        ///< PipeDream
};

/// On which stage a framework has the layers of a kind.
enum class layer_place : std::uint8_t {
  any_stage,         ///< wherever they are cut
  first_stage,       ///< on the first
  nowhere,           ///< it would leave them out
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

/// A kind of layers of hybrid models, in which each is one part of a decoder.
struct pattern_kind {
  const char* name = "";  ///< the kind, as `layer::kind`
  char letter = 0;        ///< in Megatron-LM's patterns
};

/// All of them.
inline constexpr pattern_kind pattern_kinds[] = {
    {"mamba", 'M'}, {"attention", '*'}, {"mlp", '-'}, {"moe", 'E'}, {"gated_delta_net", 'G'}};

/// A schedule that a framework runs.
struct target_schedule {
  schedule_kind kind{};     ///< as the library makes it
  const char* name = "";    ///< of its row in `schedules`
  std::size_t chunks = 1;   ///< as there: stages that every rank has; 0: any number
  bool v_shaped = false;    ///< as there: whether they go down the ranks and back up
  const char* called = "";  ///< what the framework calls it; empty: it reads the order from a file
  /// Why it does not run so many ranks, chunks and microbatches, 0: not known, in groups of `group`, 0: as many as ranks;
  /// empty: it does. Null: it always does.
  std::string (*obstacle)(std::size_t ranks, std::size_t chunks, std::size_t microbatches, std::size_t group) = nullptr;
  /// Whether it knows such numbers by that name; else it reads the order from a file. Null: always, if there is a name.
  bool (*named)(std::size_t ranks, std::size_t microbatches, std::size_t group) = nullptr;
};

/// Which numbers of decoders a framework can be told.
enum class decoder_counts : std::uint8_t {
  none,          ///< it is told which layers a stage has
  any,           ///< any, at least one a stage
  equal_or_ends  ///< equal ones; the first and the last may have others with one stage a device, with several one less
};

/// Whether layers may share parameters.
enum class tie_rule : std::uint8_t {
  anywhere,    ///< on whatever stages
  one_stage,   ///< on one stage
  one_device,  ///< nowhere, unless there is but one stage
  nowhere      ///< nowhere
};

/// By which names a framework finds the modules of layers.
enum class name_rule : std::uint8_t {
  none,  ///< by none: it counts layers, or they are in its source
  any,   ///< each has a name of its own
  child  ///< likewise, which is that of a child of the model, or a number in a list of these: `norm`, `layers.3`
};

/// On how many devices a framework runs a stage.
enum class stage_devices : std::uint8_t {
  one,       ///< one
  alike,     ///< as many replicas, and devices of each, as all others; replicas run microbatches of their own
  replicas,  ///< any number of replicas, of one device each
  one_node   ///< any number of replicas, and devices of each, of one node
};

/// Of which layers a framework can be told what they recompute.
enum class recomputation_rule : std::uint8_t {
  none,      ///< of none
  decoders,  ///< of decoders, and of layers that guess further tokens: `selective`, `full` or nothing
  any        ///< of all
};

/// What a framework can say.
struct target_entry {
  stagecut::framework kind{};                    ///< which
  const char* name = "";                         ///< of its format, and on a command line
  const char* framework = "";                    ///< its name
  const char* version = "";                      ///< of what its rules were read from
  view<const kind_rule> kinds{};                 ///< the kinds that it places
  bool counts_encoders = false;                  ///< whether the layers of an encoder alone are decoders to it
  bool counts_patterns = false;                  ///< whether those of `pattern_kinds` are, in a model without decoders
  bool other_kinds = false;                      ///< whether it knows layers of any other kind, too, on any stage
  view<const target_schedule> schedules{};       ///< that it runs; empty: it serves, and runs none
  decoder_counts counts = decoder_counts::none;  ///< what it is told of decoders
  bool several_chunks = false;                   ///< whether a device may have several stages
  tie_rule shared = tie_rule::anywhere;          ///< where layers may share parameters
  name_rule names = name_rule::none;             ///< by which names it finds layers
  stage_devices devices = stage_devices::one;    ///< of a stage
  recomputation_rule recomputed = recomputation_rule::none;  ///< which layers it recomputes where it is told to
  /// Whether it finds the gradients of parameters behind those of a stage's inputs, so that I and W are not run apart where
  /// a layer's own inputs have none, or two layers share parameters; of stage 0 they never are.
  bool weights_behind_inputs = false;
  /// Whether it runs every backward pass whole, with the gradients of parameters where an order has I.
  bool whole_backward = false;
  std::size_t most_zero = 3;  ///< the highest stage of ZeRO with which it trains a pipeline
  /// Whether it trains experts with tensor parallelism only where sequence parallelism is on.
  bool experts_need_sequence_parallel = false;
  /// Where every stage has a decoder, whether the first may do without in front of them, and the last behind them.
  bool ends_without_decoders = false;
  /// The group of microbatches by which it interleaves those that are no multiple of the ranks; null: it does not.
  std::size_t (*group)(std::size_t ranks, std::size_t microbatches) = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI
