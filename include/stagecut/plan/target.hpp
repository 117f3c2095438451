// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The frameworks that run plans, and the form of their rules; `targets` has the rules.
namespace stagecut::inline STAGECUT_ABI {

/// The framework that will run a plan, as its format describes it: each has a row in `targets`.
enum class framework : std::uint8_t {
  none,            ///< none: any plan is allowed
  megatron,        ///< Megatron-LM, with the layout of its pipeline
  megatron_flags,  ///< Megatron-LM without a layout, by decoder counts
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

/// The stage on which a framework places layers of a kind.
enum class layer_place : std::uint8_t {
  any_stage,         ///< any
  first_stage,       ///< on the first
  nowhere,           ///< omitted by the framework
  last_stage,        ///< on the last
  one_of_the_last,   ///< all on one stage, the last of its device
  with_last_decoder  ///< with the last decoder, in a model with multi-token prediction; else on the last
};

/// A framework's rule for layers of a kind.
struct kind_rule {
  const char* name = "";                       ///< the kind, as `layer::kind`
  std::size_t order = 0;                       ///< layers are sorted by it
  layer_place place = layer_place::any_stage;  ///< their place
  bool single = false;                         ///< whether there may be at most one layer of the kind
  bool needed = false;                         ///< whether there must be at least one
};

/// A kind of layers of hybrid models, where each layer is one part of a decoder.
struct pattern_kind {
  const char* name = "";  ///< the kind, as `layer::kind`
  char letter = 0;        ///< in Megatron-LM's patterns
};

/// All pattern kinds.
inline constexpr pattern_kind pattern_kinds[] = {
    {"mamba", 'M'}, {"attention", '*'}, {"mlp", '-'}, {"moe", 'E'}, {"gated_delta_net", 'G'}};

/// A schedule that a framework runs.
struct target_schedule {
  schedule_kind kind{};     ///< the library's kind
  const char* name = "";    ///< of its row in `schedules`
  std::size_t stages_per_rank = 1;  ///< from that row: stages per rank; 0: any number
  bool v_shaped = false;            ///< from that row: whether stages go down the ranks and back up
  const char* called = "";          ///< the framework's name for it; empty: it reads the order from a file
  /// Why it does not support these ranks, stages per rank, microbatches (0: not known) and `group` (0: as many as
  /// ranks); empty: it does. Null: it supports all.
  std::string (*obstacle)(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches,
                          std::size_t group) = nullptr;
  /// Whether it knows these numbers by that name; else it reads the order from a file. Null: always, if there is a
  /// name.
  bool (*named)(std::size_t ranks, std::size_t microbatches, std::size_t group) = nullptr;
};

/// Which decoder counts a framework can express.
enum class decoder_counts : std::uint8_t {
  none,          ///< none: it is given the layers of each stage
  any,           ///< any, at least one a stage
  equal_or_ends  ///< equal ones; the first and the last may differ with one stage a device, with several be one less
};

/// Whether layers may share parameters.
enum class tie_rule : std::uint8_t {
  anywhere,    ///< on any stages
  one_stage,   ///< only on one stage
  one_device,  ///< nowhere, unless there is only one stage
  nowhere      ///< nowhere
};

/// How a framework names the modules of layers.
enum class name_rule : std::uint8_t {
  none,  ///< no names: it counts layers, or they are in its source
  any,   ///< each has a name of its own
  child  ///< a unique name: a child of the model, or an index into a list of these: `norm`, `layers.3`
};

/// The devices on which a framework runs a stage.
enum class stage_devices : std::uint8_t {
  one,       ///< one
  alike,     ///< the same replicas, and devices of each, on every stage; replicas run microbatches of their own
  replicas,  ///< any number of replicas, one device each
  one_node   ///< any number of replicas, and devices of each, within one node
};

/// For which layers a framework can express recomputation.
enum class recomputation_rule : std::uint8_t {
  none,      ///< none
  decoders,  ///< decoders, and layers that predict further tokens: `selective`, `full` or nothing
  any        ///< all
};

/// What a framework can express.
struct target_entry {
  stagecut::framework kind{};                    ///< the framework
  const char* name = "";                         ///< the name of its format, and on a command line
  const char* framework = "";                    ///< its name
  const char* version = "";                      ///< of the source of its rules
  view<const kind_rule> kinds{};                 ///< the kinds that it places
  bool counts_encoders = false;                  ///< whether the layers of an encoder-only model are its decoders
  bool counts_patterns = false;                  ///< whether `pattern_kinds` are decoders in a model without decoders
  bool other_kinds = false;                      ///< whether it accepts layers of any other kind, on any stage
  view<const target_schedule> schedules{};       ///< that it runs; empty: it serves, and runs none
  decoder_counts counts = decoder_counts::none;  ///< the decoder counts that it can express
  bool several_chunks = false;                   ///< whether a device may have several stages
  tie_rule shared = tie_rule::anywhere;          ///< where layers may share parameters
  name_rule names = name_rule::none;             ///< how it names layers
  stage_devices devices = stage_devices::one;    ///< per stage
  recomputation_rule recomputed = recomputation_rule::none;  ///< the layers for which it can express recomputation
  /// Whether its W covers only what I visits on the way to a stage's inputs, so that I and W are not split if a layer's
  /// own inputs have no gradient, or two layers share parameters; on stage 0 they never are.
  bool weights_behind_inputs = false;
  /// Whether it runs every backward pass whole: weight gradients are computed at I.
  bool whole_backward = false;
  std::size_t most_zero = 3;  ///< the highest ZeRO stage with which it trains a pipeline
  /// Whether it trains experts with tensor parallelism only if sequence parallelism is on.
  bool experts_need_sequence_parallel = false;
  /// If every stage needs a decoder: whether the first may hold only layers before the decoders, and the last only
  /// layers after them.
  bool ends_without_decoders = false;
  /// The microbatch group for interleaving if microbatches are no multiple of the ranks; null: it does not interleave
  /// them.
  std::size_t (*group)(std::size_t ranks, std::size_t microbatches) = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI
