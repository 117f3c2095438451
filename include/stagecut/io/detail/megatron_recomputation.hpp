// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/detail/target_kinds.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline v0::io::detail {

/// What a layer of a plan recomputes, as it was chosen or else as it was profiled; `none`: nothing.
[[nodiscard]] inline std::string_view recomputed(const plan& p, std::size_t i) noexcept {
  const std::string& chosen = p.choices[i].recomputation;
  const std::string& name = chosen.empty() ? p.profile.layers[i].recomputation.get() : chosen;
  return name.empty() ? std::string_view("none") : std::string_view(name);
}

/// The options with which Megatron-LM recomputes what a plan chose: the same in all layers, or as many whole layers at the
/// beginning of every stage.
///
/// @throws not_representable for another recomputation than `selective` and `full`, of other layers than decoders, and
///         for stages that differ in it
[[nodiscard]] inline std::string megatron_recomputation(std::string_view format, const plan& p,
                                                        const stagecut::detail::target_kinds& kinds) {
  if (p.choices.empty()) return "";
  std::optional<std::string_view> same;
  bool alike = true;
  std::vector<std::size_t> full(p.cuts.stages());
  for (std::size_t s = 0; s < p.cuts.stages(); ++s) {
    bool ended = false;
    for (std::size_t i = p.cuts[s]; i < p.cuts[s + 1]; ++i) {
      const std::string_view name = detail::recomputed(p, i);
      if (!kinds.is_decoder(i)) {
        if (name != "none")
          refuse(format, joined({layer_text(p.profile.layers[i]), " is recomputed, and is no decoder"}));
        continue;
      }
      if (name != "none" && name != "selective" && name != "full") {
        refuse(format, joined({layer_text(p.profile.layers[i]), ": recomputation ", in_quotes(std::string(name)),
                               " is not known to it"}));
      }
      alike = alike && (!same || *same == name);
      if (!same) same = name;
      if (name == "full" && !ended) ++full[s];
      if (name == "full" && ended) full[s] = p.profile.layers.size() + 1;  // not the first ones
      if (name == "selective") full[s] = p.profile.layers.size() + 1;
      ended = ended || name == "none";
    }
  }
  if (!same || (alike && *same == "none")) return "";
  if (alike && *same == "selective") return " --recompute-granularity selective";
  if (alike) return " --recompute-granularity full --recompute-method uniform --recompute-num-layers 1";
  for (std::size_t s = 0; s < full.size(); ++s) {
    if (full[s] == full[0] && full[s] <= p.profile.layers.size()) continue;
    refuse(format,
           joined({"stage ", s,
                   full[s] > p.profile.layers.size() ? " does not recompute its first layers, whole, and no others"
                                                     : " recomputes more or fewer layers than stage 0",
                   ", and it recomputes equally many whole layers at the beginning of every stage"}));
  }
  return joined({" --recompute-granularity full --recompute-method block --recompute-num-layers ", full[0]});
}

}  // namespace stagecut::inline v0::io::detail
