// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/transformer_training.hpp>

#include <cstddef>
#include <optional>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/check_architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

STAGECUT_DECL std::optional<fault> out_of_range(const training& r) {
  constexpr std::size_t most = most_of_a_count;
  const field_range ranges[] = {{"sequence", r.sequence, 0, most, true},
                                {"microbatch", r.microbatch, 1, most, true},
                                {"tensor_parallel", r.tensor_parallel, 1, most, true},
                                {"context_parallel", r.context_parallel, 1, most, true},
                                {"expert_parallel", r.expert_parallel, 1, most, true},
                                {"data_parallel", r.data_parallel, 1, most, true},
                                {"zero", r.zero, 0, 3, true},
                                {"microbatches", r.microbatches, 0, most, true}};
  if (auto found = detail::first_out_of_range(ranges)) return found;
  struct amount {
    const char* field;
    std::optional<double> value;
    std::size_t most;
  };
  for (const auto& [field, value, limit] : {amount{"gradient_bytes", r.gradient_bytes, 1'000'000},
                                            {"state_bytes", r.state_bytes, 1'000'000},
                                            {"parameter_bytes", r.parameter_bytes, 1'000'000},
                                            {"recomputed_share", r.recomputed_share, 1},
                                            {"offload", r.offload, 1}}) {
    if (!value ||
        (stagecut::is_finite(*value) && !stagecut::is_negative(*value) && *value <= static_cast<double>(limit)))
      continue;
    return fault{true, field, joined({std::to_string(*value), " is not from 0 to ", limit})};
  }
  return std::nullopt;
}

/// The first option of a training that its model or its precision cannot have.
inline std::optional<fault> option_at_odds(const architecture& a, const training& r) {
  if (r.recompute_modules.mla_up_proj && !a.latent) {
    return fault{true, "recompute_modules", "has mla_up_proj, but the model has no latent attention"};
  }
  const bool of_experts = r.recompute_modules.moe || r.recompute_modules.moe_act;
  if (of_experts && a.experts == 0) {
    return fault{true, "recompute_modules",
                 joined({"has ", r.recompute_modules.moe ? "moe" : "moe_act", ", but the model has no experts"})};
  }
  bool all_experts = a.experts != 0;
  for (const layer_form& form : a.forms) all_experts = all_experts && !form.dense;
  if (r.recompute_modules.mlp && all_experts) {
    return fault{true, "recompute_modules", "has mlp, but no layer has a feed-forward part without experts"};
  }
  if (r.attention_fp8 && r.precision <= number::fp32) {
    return fault{true, "attention_fp8", "is set, but the precision is not of 8 or 4 bits"};
  }
  if (r.head_fp8 && r.precision <= number::fp32) {
    return fault{true, "head_fp8", "is set, but the precision is not of 8 or 4 bits"};
  }
  if (r.recomputation == recomputing::full && !r.recompute_modules.empty()) {
    return fault{true, "recompute_modules", "is set, but whole layers are recomputed"};
  }
  if ((r.fused_experts || r.expert_overlap) && a.experts == 0) {
    return fault{true, r.fused_experts ? "fused_experts" : "expert_overlap", "is set, but there are no experts"};
  }
  if (r.expert_overlap && r.expert_parallel == 1) {
    return fault{true, "expert_overlap", "is set, but no devices share the experts: expert_parallel = 1"};
  }
  return std::nullopt;
}

STAGECUT_DECL std::optional<fault> at_odds(const architecture& a, const training& r) {
  const std::size_t kv = a.latent ? a.heads : a.kv_heads != 0 ? a.kv_heads : a.heads;
  const std::size_t t = r.tensor_parallel;
  const std::size_t tokens = r.sequence != 0 ? r.sequence : a.sequence;
  const auto undivided = [](const char* field, std::size_t ways, const char* of, std::size_t value,
                            const char* why = "") {
    return fault{true, field, joined({at_odds_text(field, ways, "does not divide", of, value), why})};
  };
  if (a.positions != 0 && tokens > a.positions) {
    return fault{r.sequence != 0, "sequence", at_odds_text("sequence", tokens, "is above", "positions", a.positions)};
  }
  if (a.vision && tokens_of_images(*a.vision) > tokens) {
    return fault{r.sequence != 0, "sequence",
                 joined({"sequence = ", tokens, " is too short for the ", tokens_of_images(*a.vision),
                         " tokens that images become"})};
  }
  if (a.heads % t != 0) return undivided("tensor_parallel", t, "heads", a.heads);
  for (const layer_form& form : a.forms) {
    if (form.heads % t != 0) return undivided("tensor_parallel", t, "heads of a layer", form.heads);
    if (form.ffn % t != 0) return undivided("tensor_parallel", t, "ffn of a layer", form.ffn);
  }
  if (a.ffn % t != 0) return undivided("tensor_parallel", t, "ffn", a.ffn);
  if (a.vision && a.vision->heads % t != 0) return undivided("tensor_parallel", t, "vision/heads", a.vision->heads);
  if (a.recurrence && a.recurrence->heads % t != 0)
    return undivided("tensor_parallel", t, "recurrence/heads", a.recurrence->heads);
  if (auto found = option_at_odds(a, r)) return found;
  if (kv % t != 0 && t % kv != 0) {
    return fault{true, "tensor_parallel",
                 at_odds_text("tensor_parallel", t, "neither divides nor is a multiple of", "kv_heads", kv)};
  }
  if (tokens % r.context_parallel != 0) return undivided("context_parallel", r.context_parallel, "sequence", tokens);
  if (r.sequence_parallel.value_or(true) && tokens / r.context_parallel % t != 0) {
    return undivided("tensor_parallel", t, "sequence", tokens / r.context_parallel, ", as sequence_parallel needs");
  }
  if (r.expert_parallel == 1) return std::nullopt;
  if (a.experts == 0) return fault{true, "expert_parallel", "is above 1, but there are no experts"};
  if (a.experts % r.expert_parallel != 0) {
    return undivided("expert_parallel", r.expert_parallel, "experts", a.experts);
  }
  const std::size_t devices = t * r.context_parallel * r.data_parallel;
  if (devices % r.expert_parallel == 0) return std::nullopt;
  return fault{true, "expert_parallel",
               joined({"expert_parallel = ", r.expert_parallel, " devices share the experts, and a stage has ", devices,
                       ": tensor_parallel * context_parallel * data_parallel must be a multiple"})};
}

STAGECUT_DECL std::optional<fault> find_fault(const architecture& a, const training& r) {
  auto found = out_of_range(a);
  if (!found) found = out_of_range(r);
  if (!found) found = at_odds(a);
  return found ? found : at_odds(a, r);
}

}  // namespace detail

STAGECUT_DECL overlapping overlap_of(const architecture& a, const training& r) noexcept {
  if (r.overlap != overlapping::recipe) return r.overlap;
  const bool dense = a.experts == 0 && r.precision != number::nvfp4;
  return dense && r.sequence_parallel.value_or(true) ? overlapping::ub : overlapping::none;
}

STAGECUT_DECL void check(const architecture& a, const training& r) {
  const auto fault = detail::find_fault(a, r);
  if (!fault) return;
  const char* const part = fault->training ? "training." : "architecture.";
  stagecut::detail::fail(stagecut::invalid_input(detail::joined({part, fault->field}), fault->problem));
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
