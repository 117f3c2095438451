// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/frameworks/alpa.hpp>
#include <stagecut/io/frameworks/deepspeed.hpp>
#include <stagecut/io/frameworks/megatron.hpp>
#include <stagecut/io/frameworks/pipedream_conf.hpp>
#include <stagecut/io/frameworks/pytorch.hpp>
#include <stagecut/io/frameworks/sagemaker.hpp>
#include <stagecut/io/frameworks/sapp.hpp>
#include <stagecut/io/frameworks/torchgpipe.hpp>
#include <stagecut/io/frameworks/torchtitan.hpp>
#include <stagecut/io/frameworks/vllm.hpp>
#include <stagecut/io/graphs/assignment_json.hpp>
#include <stagecut/io/graphs/dot.hpp>
#include <stagecut/io/graphs/piper_plan.hpp>
#include <stagecut/io/pictures/graph_svg.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// An output format of plans: input for a framework, or a description of where the layers are.
struct format {
  std::string_view name;              ///< its name for users
  std::string_view describes;         ///< the target, and what is written
  std::string (*write)(const plan&);  ///< the text; throws if the target cannot express the plan
  bool any_plan = false;              ///< whether it only describes the stages of layers, for any plan
};

/// All formats, the most widely used first, then those for any plan. A text has no final newline.
inline constexpr std::array formats = {
    format{"megatron", "Megatron-LM: options, with the pipeline's layout", as_megatron},
    format{"megatron-flags", "Megatron-LM: options, decoders of the first and the last rank", as_megatron_flags},
    format{"deepspeed", "DeepSpeed: a subclass of PipelineModule", as_deepspeed},
    format{"torchgpipe", "torchgpipe: balance, and the call of GPipe", as_torchgpipe},
    format{"fairscale", "FairScale: balance, and the call of fairscale.nn.Pipe", as_fairscale},
    format{"pytorch", "torch.distributed.pipelining: split_spec", as_split_spec},
    format{"split-module", "torch.fx.passes.split_module: the stage of every module", as_split_module},
    format{"torchtitan", "torchtitan: module_fqns_per_model_part", as_torchtitan},
    format{"vllm", "vLLM: VLLM_PP_LAYER_PARTITION", as_vllm},
    format{"sglang", "SGLang: SGLANG_PP_LAYER_PARTITION", as_sglang},
    format{"sagemaker", "SageMaker model parallel: parameters and partition contexts", as_sagemaker},
    format{"sapp", "SAPP and MindFormers: offsets and recomputation", as_sapp},
    format{"alpa", "Alpa: ManualStageOption", as_alpa},
    format{"pipedream", "PipeDream: the stage of every module, and the ranks of every stage", as_pipedream_conf},
    format{"assignment", "JSON: the stage of every vertex, and figures of the stages", as_assignment_json, true},
    format{"stage-map", "JSON: the stage of every layer by its name", as_stage_map, true},
    format{"piper", "JSON of Piper: layers, degrees and variants of every stage", as_piper, true},
    format{"dot", "Graphviz: the layers in DOT, a cluster a stage", as_dot, true},
    format{"graph-svg", "a picture of the layers in the colours of their stages", as_graph_svg, true}};

/// The format of that name; null if there is none.
[[nodiscard]] STAGECUT_DECL const format* find_format(std::string_view name);

/// Why a framework cannot train with the degrees for which a profile was computed, as its member `computed` records them;
/// empty: no reason is known. The framework's format rejects every plan of such a profile.
[[nodiscard]] STAGECUT_DECL std::string settings_obstacle(framework target, const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/formats.ipp>
#endif
