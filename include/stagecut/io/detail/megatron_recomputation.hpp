// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/detail/run_settings.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The recomputation of a layer in a plan, as chosen or else as profiled; `full` if the plan keeps only inputs of stages;
/// `none`: nothing.
[[nodiscard]] inline std::string_view recomputed(const plan& p, std::size_t i) noexcept {
  const layer& each = p.profile.layers[i];
  const bool any = i < p.choices.size();
  const layer_variant* const shared = any ? find_variant(each.shardings, p.choices[i].sharding) : nullptr;
  const bool chosen = any && !p.choices[i].recomputation.empty();
  const std::string& name = shared != nullptr ? shared->recomputation
                            : chosen          ? p.choices[i].recomputation
                                              : each.recomputation.get();
  if (!name.empty() && name != "none") return name;
  return p.memory.checkpoint == "always" ? "full" : "none";
}

/// The recomputation of a plan's layers, in Megatron-LM's words.
struct megatron_layers {
  bool known = true;        ///< whether each has a word
  std::string_view same{};  ///< common to all decoders and layers that predict further tokens; empty: they differ
  bool further = false;     ///< whether a layer that predicts further tokens is recomputed
  std::vector<std::size_t> full{};  ///< whole layers at the beginning of every stage; `others`: not only these
  static constexpr std::size_t others = static_cast<std::size_t>(-1);
};

/// The recomputation; not `known`: the layers were profiled with one that has no word, and none was chosen.
///
/// @throws  not_representable for a chosen recomputation without a word
[[nodiscard]] inline megatron_layers megatron_layers_of(std::string_view format, const plan& p,
                                                        const stagecut::detail::target_kinds& kinds) {
  megatron_layers result;
  bool any = false;
  for (std::size_t s = 0; s < p.cuts.stages(); ++s) {
    std::size_t full = 0;
    bool ended = false;
    for (std::size_t i = p.cuts[s]; i < p.cuts[s + 1]; ++i) {
      const layer& each = p.profile.layers[i];
      const std::string_view name = detail::recomputed(p, i);
      const bool further = each.kind == "mtp";
      if (!kinds.is_decoder(i) && !further) {
        if (name != "none" && !p.choices.empty() && p.memory.checkpoint != "always")
          refuse(format, joined({layer_text(each), " is recomputed, and is no decoder"}));
        continue;
      }
      if (name != "none" && name != "selective" && name != "full") {
        if (p.choices.empty()) {
          result.known = false;
          return result;
        }
        refuse(format,
               joined({layer_text(each), ": recomputation ", in_quotes(std::string(name)), " is not known to it"}));
      }
      result.same = !any || result.same == name ? name : std::string_view();
      any = true;
      result.further = result.further || (further && name != "none");
      if (further) continue;
      if (name == "selective" || (name == "full" && ended)) full = megatron_layers::others;
      if (name == "full" && full != megatron_layers::others) ++full;
      ended = ended || name == "none";
    }
    result.full.push_back(full);
  }
  if (!any) result.same = "none";
  return result;
}

/// Megatron-LM's options for parts of a layer that the profile recomputes one by one.
/// @param attention  whether the core of attention is one of them
[[nodiscard]] inline std::string megatron_modules(const plan& p, bool attention) {
  transformer::module_set modules = settings_of(p).recomputed;
  if (modules.empty()) return attention ? " --recompute-granularity selective" : "";
  modules.core_attn = modules.core_attn || attention;
  std::string text = " --recompute-granularity selective --recompute-modules";
  for (const auto& [name, field] : transformer::module_names) {
    if (modules.*field) text += joined({" ", name});
  }
  return text;
}

/// Megatron-LM's options for the recomputation that a plan chose, or else of its profile: the same in all layers, or the
/// same number of whole layers at the beginning of every stage.
///
/// @throws not_representable for a chosen recomputation other than `selective` and `full`, or of layers other than
///         decoders and those that predict further tokens; and for stages that differ in it
[[nodiscard]] inline std::string megatron_recomputation(std::string_view format, const plan& p,
                                                        const stagecut::detail::target_kinds& kinds) {
  const megatron_layers layers = detail::megatron_layers_of(format, p, kinds);
  if (!layers.known || layers.same == "none" || layers.same == "selective") {
    return megatron_modules(p, layers.known && layers.same == "selective");
  }
  if (layers.same == "full") return " --recompute-granularity full --recompute-method uniform --recompute-num-layers 1";
  for (std::size_t s = 0; s < layers.full.size(); ++s) {
    const bool others = layers.full[s] == megatron_layers::others;
    if (layers.full[s] == layers.full[0] && !others) continue;
    refuse(format, joined({"stage ", s,
                           others ? " does not recompute its first layers, whole, and no others"
                                  : " recomputes more or fewer layers than stage 0",
                           ", and it recomputes equally many whole layers at the beginning of every stage"}));
  }
  if (layers.further)
    refuse(format, "a layer that guesses further tokens is recomputed, which goes with all decoders alone");
  return joined({" --recompute-granularity full --recompute-method block --recompute-num-layers ", layers.full[0]});
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
